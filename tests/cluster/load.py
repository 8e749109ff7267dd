"""Mixed load of agents that never give up: each call is repeated with its key until it is acknowledged."""

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.cluster.whole import Cluster

SCOPE, SCOPES = "project:cluster", 4  # the beginning of the name of each
TIMEOUT, PAUSE = 15.0, 0.2  # seconds of one try, and between two
GIVE_UP = 300.0
REPEATED = 0.1  # of acknowledged calls
AGAIN = (429, 500, 502, 503, 504)


@dataclass
class Ledger:
    """What was acknowledged, by kind and name, and how long each call took from its first try."""

    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    tries: int = 0
    wrong: list[str] = field(default_factory=list)

    def keep(self, kind: str, name: str, what: Any = None) -> None:
        self.acknowledged.setdefault(kind, {})[name] = what

    def count(self, kind: str) -> int:
        return len(self.acknowledged.get(kind, {}))

    def percentile(self, share: float) -> float:
        return sorted(self.seconds)[int(share * (len(self.seconds) - 1))] if self.seconds else 0.0


class Wrong(Exception):
    """An answer that no repetition makes right."""


def refund(name: str) -> list[dict[str, Any]]:
    """A run: the number that the user says is wrong for the payment, the right one comes from an earlier result."""
    order, payment = {"order_id": f"order-7-{name}"}, {"payment_id": f"pay-7-{name}"}
    wish = f"The parcel of order-7-{name} arrived broken, I want my money back."
    messages: list[dict[str, Any]] = [{"role": "user", "content": wish}]
    for number, (tool, given, result) in enumerate([
        ("refund_payment", {"payment_id": f"order-7-{name}"}, {"error": "payment not found"}),
        ("get_order", order, order | payment),
        ("refund_payment", payment, {"refunded": True}),
    ]):  # fmt: skip
        call = {"id": f"c{number}", "function": {"name": tool, "arguments": json.dumps(given)}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result)})
    return messages


class Client(threading.Thread):
    """One agent, who does one thing after another until `stop` is set, and ends what it has begun."""

    def __init__(self, number: int, seed: int, cluster: Cluster, stop: threading.Event) -> None:
        super().__init__(name=f"client {number}", daemon=True)
        self.number, self.cluster, self.stopped = number, cluster, stop
        self.chance, self.ledger, self.made = random.Random(f"{seed} {number}"), Ledger(), 0
        self.turn, self.scope = number, f"{SCOPE}-{number % SCOPES}"
        self.http = httpx.Client(timeout=TIMEOUT)
        # A slow machine makes few calls: one client ends with what it has not done, so that each trial counts all.
        self.at_last: dict[str, Callable[[str], None]] = {}
        if number == 0:
            self.at_last |= {"event": self.event, "claim": self.store}
            self.at_last |= {"conversation": self.conversation, "skill": self.skill}

    def run(self) -> None:
        actions: list[tuple[Callable[[str], None], int]] = [
            (self.event, 40), (self.store, 12), (self.observation, 8), (self.conversation, 10),
            (self.search, 12), (self.decision, 8), (self.skill, 2), (self.use, 8),
        ]  # fmt: skip
        work, weights = zip(*actions, strict=True)
        while not self.stopped.is_set():
            [action] = self.chance.choices(work, weights)
            self._do(action)
        for kind, action in self.at_last.items():
            if not self.ledger.count(kind):
                self._do(action)
        self.http.close()

    def _do(self, action: Callable[[str], None]) -> None:
        self.made += 1
        try:
            action(f"{self.number}-{self.made}")
        except Wrong as error:
            self.ledger.wrong.append(f"{action.__name__} {self.number}-{self.made}: {error}")

    def call(self, method: str, path: str, name: str = "", *, token: str = "", **more: Any) -> httpx.Response:
        """The first answer of any host that is no outage. `name`: of the thing, which is the key of all tries."""
        headers = {"Authorization": f"Bearer {token or self.cluster.agent}"}
        if name:
            headers["Idempotency-Key"] = f"{path}:{name}"
        begun = time.monotonic()
        while True:
            self.ledger.tries += 1
            answer = self._try(method, path, headers, more)
            if answer is not None and answer.status_code not in AGAIN:
                break
            if time.monotonic() - begun > GIVE_UP:
                raise Wrong(f"{method} {path} was not answered in {GIVE_UP:.0f} s; the last was {answer}")
            self.turn += 1
            time.sleep(PAUSE)
        self.ledger.seconds.append(time.monotonic() - begun)
        if answer.status_code >= 400:
            raise Wrong(f"{method} {path} answered {answer.status_code}: {answer.text[:400]}")
        if name and self.chance.random() < REPEATED:
            self._repeat(method, path, headers, more)
        return answer

    def _repeat(self, method: str, path: str, headers: dict[str, str], more: dict[str, Any]) -> None:
        """As a client that has lost the answer: another host must know that the work is done."""
        self.turn += 1
        answer = self._try(method, path, headers, more)
        if answer is not None and answer.status_code not in AGAIN and "Idempotent-Replay" not in answer.headers:
            raise Wrong(f"{method} {path} was done again: {answer.status_code} {answer.text[:400]}")

    def _try(self, method: str, path: str, headers: dict[str, str], more: dict[str, Any]) -> httpx.Response | None:
        host = self.cluster.hosts[self.turn % len(self.cluster.hosts)]
        try:
            return self.http.request(method, f"{host.url}/api/v1/{path}", headers=headers, **more)
        except httpx.TransportError:
            return None

    def event(self, name: str) -> None:
        body = {"source": "load", "event_kind": "step", "ref": name, "summary": f"Step {name}", "scope": self.scope}
        self.call("POST", "events", name, json=body | {"thread_id": f"thread-{self.number}-{self.made // 20}"})
        self.ledger.keep("event", name)

    def store(self, name: str) -> None:
        claim = {
            "key": f"claim-{name}",
            "category": "fact",
            "content": f"The word {name} means {name}",
            "scope": self.scope,
        }
        stored = self.call("POST", "memories", name, json=claim | {"source": "load"}).json()["memory"]
        self.ledger.keep("claim", f"claim-{name}", stored["id"])

    def observation(self, name: str) -> None:
        said = {"source": "load", "subject": f"Part {name}", "predicate": "weighs", "object": f"{name} g"}
        self.call("POST", "observations", name, json=said | {"scope": self.scope})
        self.ledger.keep("observation", f"Part {name}")

    def conversation(self, name: str) -> None:
        told: dict[str, Any] = {"id": f"run-{name}", "source": "load", "scope": self.scope, "outcome": "success"}
        told["messages"] = refund(name)
        self.call("POST", "conversations", name, json=told)
        self.ledger.keep("conversation", f"run-{name}", self.scope)

    def search(self, name: str) -> None:
        self.call("POST", "search", json={"query": f"what does the word {name} mean", "scopes": [self.scope]})
        self.ledger.keep("search", name)

    def decision(self, name: str) -> None:
        """Promote one of the claims of this client that was stored before."""
        decided = self.ledger.acknowledged.get("decision", {})
        open_ones = [row for row in self.ledger.acknowledged.get("claim", {}).values() if row not in decided]
        if open_ones:
            [row] = self.chance.sample(open_ones, 1)
            self.call("POST", f"memories/{row}/promote", name, token=self.cluster.reviewer, json={})
            self.ledger.keep("decision", row)

    def skill(self, name: str) -> None:
        """Upload one, publish it, and download what agents get."""
        text = f"---\nname: skill-{name}\ndescription: How to do {name} when {name} is asked for\n---\n\nDo {name}.\n"
        files = {"files": ("SKILL.md", text.encode())}
        told = {"scope": self.scope, "paths": f"skill-{name}/SKILL.md"}
        self.call("POST", "skills", name, files=files, data=told)
        path = f"skills/skill-{name}/versions/1"
        self.call("POST", f"{path}/publish", name, token=self.cluster.reviewer, json={"why": "read"})
        content = self.call("GET", f"{path}/content", follow_redirects=True).content
        self.ledger.keep("skill", f"skill-{name}", content)

    def use(self, name: str) -> None:
        skills = sorted(self.ledger.acknowledged.get("skill", {}))
        if skills:
            skill = self.chance.choice(skills)
            self.call("POST", f"skills/{skill}/uses", name, json={"outcome": "success", "note": name})
            self.ledger.keep("use", name, skill)
