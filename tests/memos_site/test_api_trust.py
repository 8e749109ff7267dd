"""A walk through every address of the API with tokens of different clearance and scopes: no answer tells of a row that
its caller may not see, neither by a word nor by looking different from the answer about nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from django.urls import URLResolver
from rest_framework.test import APIClient

from memories.models import Memory, Tombstone, subject
from memories.values.choices import Sensitivity, Type
from memories.values.trust import Trust
from memos_site.api.urls import urlpatterns
from memos_site.review.verbs import OF_MANY
from tests.deciding import make_applied, propose
from tests.make import ANNA, AT, bearing, bytes_of, make_agent, make_memory, make_run, make_skill, make_version, user
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
ROWS = list(product(["", "project:alpha", "project:beta"], [Sensitivity.LOW, Sensitivity.MEDIUM, Sensitivity.HYPER]))
TOKENS = [(1, ["project:alpha"]), (2, []), (0, ["project:beta"]), (4, ["project:beta"])]


@dataclass
class Secret:
    """One row of each kind with one scope and sensitivity; `word` stands in every text of them."""

    scope: str
    sensitivity: int
    word: str
    memory: UUID
    episode: UUID
    skill: str
    batch: UUID
    proposal: UUID
    tombstone: UUID
    adaptation: UUID

    def is_seen_by(self, trust: Trust) -> bool:
        return trust.sees(self)

    def addresses(self) -> dict[str, list[tuple[str, str, Any]]]:
        """Every route that leads to one row -> the requests that ask for it: method, path, body."""
        skill = f"skills/{self.skill}"
        return {
            "memories/<uuid:memory_id>": [
                ("GET", f"memories/{self.memory}", None),
                ("GET", f"memories/{self.episode}", None),
                ("PATCH", f"memories/{self.memory}", {"tags": ["x"]}),
            ],
            **{
                f"memories/<uuid:memory_id>/{trail}": [("GET", f"memories/{self.memory}/{trail}", None)]
                for trail in ("history", "evidence", "relations")
            },
            "memories/by-key/<any_text:key>": [
                ("GET", f"memories/by-key/{self.word or 'none'}?scope={self.scope}", None)
            ],
            "episodes/<uuid:memory_id>/events": [("GET", f"episodes/{self.episode}/events", None)],
            "skills/<str:name>": [("GET", f"{skill}?scope={self.scope}", None), ("GET", skill, None)],
            "skills/<str:name>/worth": [
                ("GET", f"{skill}/worth?scope={self.scope}", None),
                ("GET", f"{skill}/worth", None),
            ],
            "skills/<str:name>/uses": [("POST", f"{skill}/uses", {"outcome": "success"})],
            "skills/<str:name>/versions": [("GET", f"{skill}/versions", None)],
            "skills/<str:name>/versions/<str:number>": [
                ("GET", f"{skill}/versions/{n}", None) for n in ("1", "latest")
            ],
            "skills/<str:name>/versions/<str:number>/content": [("GET", f"{skill}/versions/1/content", None)],
            "skills/<str:name>/diff": [("GET", f"{skill}/diff", None)],
            "skills/<str:name>/versions/<str:number>/restore": [("POST", f"{skill}/versions/1/restore", {})],
            "skills/<str:name>/versions/<str:number>/files/<path:path>": [
                ("GET", f"{skill}/versions/1/files/SKILL.md", None)
            ],
            "skills/<str:name>/rename": [("POST", f"{skill}/rename", {"name": "x"})],
            "skills/<str:name>/merge": [("POST", f"{skill}/merge", {"other": self.skill})],
            "skills/<str:name>/retire": [("POST", f"{skill}/retire", {})],
            "skills/<str:name>/versions/<str:number>/publish": [("POST", f"{skill}/versions/1/publish", {})],
            "skills/<str:name>/versions/<str:number>/reject": [("POST", f"{skill}/versions/1/reject", {"why": "no"})],
            **{
                f"memories/<uuid:memory_id>/{verb.name}": [
                    ("POST", f"memories/{self.memory}/{verb.name}", verb.example)
                ]
                for verb in OF_MANY
            },
            "proposals/<uuid:proposal_id>": [("GET", f"proposals/{self.proposal}", None)],
            "proposals/<uuid:proposal_id>/accept": [("POST", f"proposals/{self.proposal}/accept", {})],
            "proposals/<uuid:proposal_id>/reject": [("POST", f"proposals/{self.proposal}/reject", {})],
            "tombstones/<uuid:tombstone_id>/lift": [("POST", f"tombstones/{self.tombstone}/lift", {})],
            "adaptations/<uuid:adaptation_id>/revert": [("POST", f"adaptations/{self.adaptation}/revert", {})],
            "subjects/<uuid:subject_id>": [("GET", f"subjects/{subject.subject_id(f'{self.word} corp')}", None)],
            "audit/<uuid:batch>/undo": [("POST", f"audit/{self.batch}/undo", {})],
            "working-states/<any_text:thread_id>": [("GET", f"working-states/thread-{self.word}", None)],
            "verdict": [
                ("POST", "verdict", {"episode_id": self.episode}),
                ("POST", "verdict", {"thread_id": f"thread-{self.word}", "source": "P01"}),
            ],
            **self.reports(),
            "episodes/<uuid:memory_id>/outcome": [("POST", f"episodes/{self.episode}/outcome", {"outcome": "success"})],
            **self.revisions(),
            **self.moves(),
        }

    def moves(self) -> dict[str, list[tuple[str, str, Any]]]:
        """What would make it more or less salient, or take it away."""
        asked = {"reinforce": {}, "penalize": {"amount": 0}}
        moved = {
            f"memories/<uuid:memory_id>/{verb}": [("POST", f"memories/{self.memory}/{verb}", body)]
            for verb, body in asked.items()
        }
        forgotten = [("DELETE", f"memories/{id}?dry_run=1", None) for id in (self.memory, self.episode)]
        return {**moved, "memories/<uuid:memory_id> ": forgotten}

    def revisions(self) -> dict[str, list[tuple[str, str, Any]]]:
        """What would change it, take its place or speak against it."""
        new = {"content": "otherwise", "payload": {"evidence": [{"source_type": "mail", "source_id": "1"}]}}
        bodies: dict[str, dict[str, Any]] = {
            "supersede": {"memory": new},
            "fork": {"memory": new},
            "contest": {"ref": "seen otherwise"},
            "retract": {},
        }
        asked = {
            f"memories/<uuid:memory_id>/{verb}": [
                ("POST", f"memories/{self.memory}/{verb}", {**body, "rationale": "because"})
            ]
            for verb, body in bodies.items()
        }
        merger = {"ids": [self.memory, self.episode], "memory": new, "rationale": "because"}
        return {**asked, "memories/merge": [("POST", "memories/merge", merger)]}

    def reports(self) -> dict[str, list[tuple[str, str, Any]]]:
        """Writes that name an episode by its id, alone and in a batch."""
        to, ended = {"source": "ci", "episode_id": self.episode}, {"source": "ci", "target_record_id": self.episode}
        bodies: dict[str, dict[str, Any]] = {
            "event": {**to, "event_kind": "deploy", "ref": "x"},
            "tool_output": {**to, "tool_name": "rg"},
            "outcome": {**ended, "outcome_status": "success"},
        }
        items = [{"kind": kind, **body} for kind, body in bodies.items()]
        paths = {"event": "events", "tool_output": "tool-outputs", "outcome": "outcomes"}
        alone = {paths[kind]: [("POST", paths[kind], body)] for kind, body in bodies.items()}
        return {**alone, "batch": [("POST", "batch", {"items": items})]}


NOTHING = Secret("", 0, "", uuid4(), uuid4(), "no-such-skill", uuid4(), uuid4(), uuid4(), uuid4())
LISTS = {
    "memories": [
        "memories?limit=5&status=candidate,confirmed,superseded",
        "memories?type=episodic,working&limit=50",
        "memories?ordering=key",
    ],
    "skills": ["skills?limit=5", "skills?status=candidate,confirmed"],
    "outcomes/queue": ["outcomes/queue?limit=100"],
    "inbox": ["inbox?limit=5", "inbox?kind=semantic", "inbox?kind=version", "inbox?kind=revision"],
    "tombstones": ["tombstones?limit=5", "tombstones?active=true"],
    "subjects": ["subjects?limit=5", "subjects?q=corp"],
    "adaptations": ["adaptations?limit=5", "adaptations?active=true"],
    "episodes": ["episodes?limit=5", "episodes?outcome=unknown"],
    "proposals": ["proposals?limit=5", "proposals?decision=open"],
    "audit": ["audit?limit=100", "audit?action=promote"],
}
REVIEWED = ("inbox", "tombstones", "outcomes/queue")
POST_READS = ("batch", "verdict", "/uses")  # items have a status of their own; writes nothing; of what is offered
# their own tests hold them to what the caller may see
COUNTS = {
    *("runs/queue", "metrics", "insights"),
    "search",
    "retrieve",
    "context",
    "guidance",
    "agents",
    "export",
    *("tools", "tools/<str:tool>", "places", "places/agents.md"),
}
COUNTS |= {"packs", "packs/<uuid:pack_id>/content", "subjects/<uuid:subject_id>/merge"}
COUNTS |= {"runs", *(f"runs/{name}" for name in ("<uuid:run_id>", "backlog", "contrast", "set-aside"))}
COUNTS |= {f"runs/<uuid:run_id>/{verb}" for verb in ("pause", "resume", "retry")}
COUNTS |= {"webhooks", "webhooks/deliveries", "webhooks/deliveries/<uuid:delivery_id>/replay", "skills/prompt"}
TELLS_ABOUT_THE_CALLER_ONLY = {"memories/teach", "memories/bulk", "schema/", "schema", "me", "conversations", ""}
TELLS_ABOUT_THE_CALLER_ONLY |= {"observations", "working-states", "traces"}
FOR_PEOPLE_ONLY = {"memories/<uuid:memory_id>/erase", "memories/<uuid:memory_id>/reveal"}  # tests of their own


def make_secret(number: int, scope: str, sensitivity: int) -> Secret:
    word = f"secret{number}"
    facts: dict[str, Any] = {"scope": scope, "sensitivity": sensitivity}
    waiting = make_memory(f"{word} waits", tags=[word], key=word, company_id=f"{word} Corp", **facts)
    subject.Mention.objects.name_in([waiting])
    decided = make_memory(f"{word} was decided", **facts)
    batch = decided.promote(by=ANNA, at=AT).batch_id
    said = [user(f"{word} happened"), {"role": "assistant", "content": f"{word} answered"}]
    run = make_run(messages=said, scope=scope, sensitivity=Sensitivity(sensitivity).label)
    make_memory(f"{word} works", type=Type.WORKING, status="confirmed", thread_id=f"thread-{word}", **facts)
    skill = make_skill(f"{word}-skill", content=f"{word} skill", **facts)
    make_version(skill, description=f"{word} proposed")
    proposed = propose(make_memory(f"{word} believed", **facts), content=f"{word} otherwise")
    gone = make_memory(f"{word} gone", key=f"{word} gone", **facts)
    gone.dismiss(by=ANNA, why="wrong", at=AT)
    buried = Tombstone.objects.get(memory_id=gone.pk)
    adapted = make_applied(f"{word} rule", key=f"{word} rule", **facts).adaptations.get()
    beside = {"proposal": proposed.pk, "tombstone": buried.pk, "adaptation": adapted.pk}
    return Secret(scope, sensitivity, word, waiting.pk, run.pk, skill.name, batch, **beside)


@shared_rows
def secrets() -> list[Secret]:
    return [make_secret(number, *row) for number, row in enumerate(ROWS)]


def routes(patterns: Sequence[Any]) -> set[str]:
    found = set()
    for pattern in patterns:
        found |= routes(pattern.url_patterns) if isinstance(pattern, URLResolver) else {str(pattern.pattern)}
    return found


def ask(client: APIClient, method: str, path: str, body: Any) -> tuple[int, str]:
    """Status and whole text, without what differs from request to request."""
    said = "" if body is None else json.dumps(body, default=str)
    answer: Any = cast(Any, client).generic(method, f"/api/v1/{path}", said, "application/json")
    if answer.streaming or answer.headers["Content-Type"].startswith("text/plain"):
        return answer.status_code, str(bytes_of(answer))
    shown = {**answer.json(), "instance": "", "request_id": ""} if answer.status_code >= 400 else answer.json()
    return answer.status_code, str({**shown, "took_ms": 0} if "took_ms" in shown else shown)


def caller_and_trust(clearance: int, scopes: list[str], *, review: bool) -> tuple[APIClient, Trust]:
    permissions = ["read", "skills", "ingest", "report", *(["review"] if review else [])]
    agent, token = make_agent(clearance=Sensitivity(clearance), scopes=scopes, permissions=permissions)
    return bearing(token), agent.trust


def test_the_walk_knows_every_address() -> None:
    walked = {*(route.strip() for route in NOTHING.addresses()), *LISTS, *COUNTS}
    assert routes(urlpatterns) == {*walked, *TELLS_ABOUT_THE_CALLER_ONLY, *FOR_PEOPLE_ONLY}, (
        "a new address: name it in Secret.addresses, where it leads to one row, else in LISTS or COUNTS"
    )


@pytest.mark.parametrize("review", [True, False])
def test_lists_show_what_the_caller_may_see_and_nothing_else(secrets: list[Secret], review: bool) -> None:
    for token in TOKENS:
        client, trust = caller_and_trust(*token, review=review)
        for path in [path for name, paths in LISTS.items() if review or name not in REVIEWED for path in paths]:
            shown = everything_listed(client, f"/api/v1/{path}")
            seen = {
                secret.word for secret in secrets if f"'{secret.word} " in shown or f"'{secret.word}-skill'" in shown
            }
            assert seen == {secret.word for secret in secrets if secret.is_seen_by(trust)}, (path, token)


def everything_listed(client: APIClient, url: str) -> str:
    shown = ""
    while url:
        page = client.get(url).json()
        shown += str(page["results"])
        url = page.get("next", "")
    return shown


@pytest.mark.parametrize("review", [True, False])
def test_what_may_not_be_seen_answers_as_what_does_not_exist(secrets: list[Secret], review: bool) -> None:
    versions = dict(Memory.objects.values_list("pk", "version"))
    for token in TOKENS:
        client, trust = caller_and_trust(*token, review=review)
        nothing = {route: [ask(client, *one) for one in requests] for route, requests in NOTHING.addresses().items()}
        hidden = [secret for secret in secrets if not secret.is_seen_by(trust)]
        why = {(trust.sees(replace(it, sensitivity=0)), it.sensitivity > trust.max_sensitivity): it for it in hidden}
        for secret in why.values():  # one hidden by its scope, one by its sensitivity, one by both
            for route, requests in secret.addresses().items():
                assert [ask(client, *one) for one in requests] == nothing[route], (route, secret, token)
    assert dict(Memory.objects.values_list("pk", "version")) == versions


def test_what_may_be_seen_is_found_at_every_address(secrets: list[Secret]) -> None:
    client, trust = caller_and_trust(1, ["project:alpha"], review=True)
    for secret in secrets:
        if secret.is_seen_by(trust):
            for method, path, body in [one for requests in secret.addresses().values() for one in requests]:
                status, shown = ask(client, method, path, body)
                foreign = method != "GET" and secret.scope != "project:alpha" and not path.endswith(POST_READS)
                assert status in ((403,) if foreign else (200, 201, 409)), (path, shown)  # 403: not to write into


def test_a_skills_name_that_others_use_elsewhere_is_not_told() -> None:
    for scope in ("project:alpha", "project:beta"):
        make_skill(scope=scope)
    client, _ = caller_and_trust(2, ["project:alpha"], review=True)
    assert client.get("/api/v1/skills/book-flight").json()["scope"] == "project:alpha"
    assert client.get("/api/v1/skills/book-flight?scope=project:beta").status_code == 404
    everywhere, _ = caller_and_trust(2, [], review=True)
    assert everywhere.get("/api/v1/skills/book-flight").status_code == 409
