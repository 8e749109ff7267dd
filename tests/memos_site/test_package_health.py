"""A store of packages that fails: the site is ready without it, and only what needs a package is refused."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memos_site.web import health
from memos_site.web.health import RemoteStore
from skills.manifest import Fields
from skills.packaging import pack
from tests.make import caller, make_memory, make_skill
from tests.memos_site.processes import until
from tests.pages import signed_in
from tests.skills import oss_server
from tests.skills.oss_server import Server
from tests.skills.stores import oss_settings, using

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore::DeprecationWarning:oss2")]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A store behind the network, of which this process knows nothing yet."""
    monkeypatch.setattr(health, "remote", RemoteStore())
    monkeypatch.setattr(health, "WAIT_SECONDS", 60)
    with oss_server.listening() as listening, using(oss_settings(listening.url), tmp_path):
        yield listening


def fail(server: Server) -> None:
    server.fault = lambda call: oss_server.error(503, "ServiceUnavailable")


def ready(client: Client) -> tuple[int, list[str], str]:
    answer = client.get("/health/ready")
    told = answer.json()
    return answer.status_code, told["degraded"], told["storage"]


def test_a_site_whose_store_fails_is_ready_and_names_it_until_it_answers(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", 0)
    assert ready(client) == (200, [], "ok")
    fail(server)
    assert ready(client) == (200, ["packages"], "failed")
    server.fault = lambda call: None
    assert ready(client) == (200, [], "ok")


def test_the_store_is_asked_once_in_a_while_however_often_readiness_is(server: Server, client: Client) -> None:
    fail(server)
    assert {ready(client)[2] for _ in range(5)} == {"failed"}
    assert len({call.path for call in server.calls}) == 1
    asked = len(server.calls)
    ready(client)
    assert len(server.calls) == asked


def test_a_silent_store_is_not_waited_for(server: Server, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "WAIT_SECONDS", 0.01)
    over = threading.Event()
    server.fault = lambda call: None if over.wait(60) else oss_server.error(503, "TooLate")
    assert ready(client) == (200, ["packages"], "failed")
    over.set()
    until(lambda: ready(client) == (200, [], "ok"))


def test_an_answer_in_the_moment_in_which_the_wait_ends_counts(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EndsTooLate(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            super().wait(60)
            return False

    monkeypatch.setattr(health.remote, "_answered", EndsTooLate())
    assert ready(client) == (200, [], "ok")


def test_only_what_needs_a_package_is_refused_while_the_store_is_away(server: Server) -> None:
    skill, memory = make_skill(), make_memory()
    agent: Any = caller()
    person = signed_in()
    person.raise_request_exception = False
    fail(server)
    reads = ["memories", f"memories/{memory.pk}", "skills", f"skills/{skill.name}", "audit", "metrics"]
    assert {path: agent.get(f"/api/v1/{path}").status_code for path in reads} == dict.fromkeys(reads, 200)
    question = agent.post("/api/v1/search", {"query": "net-30"}, format="json")
    claim = {"category": "fact", "source": "t", "key": "k", "content": "Beta pays late"}
    stored = agent.post("/api/v1/memories", claim, format="json")
    assert (question.status_code, stored.status_code) == (200, 201)
    pages = ["/", "/skills/", "/memories/", "/runs/", f"/memories/{memory.pk}/"]
    assert {path: person.get(path).status_code for path in pages} == dict.fromkeys(pages, 200)
    content = pack(Fields(name="refund", description="Refunds"), 1).content
    form = {"file": SimpleUploadedFile("refund.zip", content)}
    refused = agent.post("/api/v1/skills", form, format="multipart")
    assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
    assert int(refused["Retry-After"]) > 0
