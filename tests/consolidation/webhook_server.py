"""A local HTTP server that takes messages of webhooks and answers as a test says; webhooks, and what waits for them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.utils import timezone

from consolidation.models import Run, Webhook, WebhookDelivery
from consolidation.models.webhooks import WebhookEvent
from consolidation.webhooks import outbox
from memories.models import Proposal
from memories.values.trust import SYSTEM
from skills.models import SkillVersion
from tests.make import make_skill
from tests.memories.storing import store


@dataclass
class Receiver:
    """`answers`: the statuses of the next answers, then 204. `says`: the body of each. `slow`: writes its answer a byte
    at a time, for ever.
    """

    url: str = ""
    answers: list[int] = field(default_factory=list)
    slow: bool = False
    says: bytes = b""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            receiver.paths.append(self.path)
            while receiver.slow and not receiver.stopping.wait(0.05):
                self.wfile.write(b"H")
            status = receiver.answers.pop(0) if receiver.answers else 204
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{receiver.url}/elsewhere")
            self.send_header("Content-Length", str(len(receiver.says)))
            self.end_headers()
            self.wfile.write(receiver.says)

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def hook(url: str = "https://hooks.example.com/", **facts: Any) -> Webhook:
    plain = {"name": "chat", "events": WebhookEvent.values, "created_at": timezone.now() - timedelta(minutes=1)}
    return Webhook.objects.create(url=url, **plain | facts)


def waiting(url: str, **facts: Any) -> WebhookDelivery:
    row = hook(url, events=["run_failed"], **facts)
    Run.objects.create(kind="consolidate", trigger="api", status="failed", finished_at=timezone.now())
    outbox.collect(at=timezone.now())
    return WebhookDelivery.objects.get(webhook=row)


def happen(*, error: str = "ValueError", why: str = "2 of 9 uses ended well") -> None:
    """Outcomes of every kind."""
    now = timezone.now()
    store("Acme pays on net-30 terms", at=now)
    skill = make_skill()
    SkillVersion.objects.update(published_at=now)
    Run.objects.create(kind="consolidate", trigger="api", status="failed", finished_at=now, error=error)
    facts: Any = {"by": SYSTEM, "why": why, "at": now, "sensitivity": 1}
    Proposal.objects.propose(Proposal.Kind.FAILING, skill.memory, {"verb": "demote", "version": 1}, **facts)
