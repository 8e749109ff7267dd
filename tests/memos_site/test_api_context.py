"""POST context: what is asked, what is answered, who may ask; and that no answer tells of what may not be seen."""

import json
from itertools import product
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Adaptation, Memory
from memories.values.choices import Category, Sensitivity, Status
from memos_site.api.context import EXAMPLE, ContextAnswer
from tests.make import ask, bearing, caller, make_agent, make_person
from tests.memories.contexts import applied, skill
from tests.memories.searched import known

pytestmark = pytest.mark.django_db
ROWS = list(product(["", "project:alpha", "project:beta"], [Sensitivity.LOW, Sensitivity.MEDIUM, Sensitivity.HYPER]))
TOKENS = [(1, ["project:alpha"]), (2, []), (0, ["project:beta"]), (4, ["project:beta"])]
Json = dict[str, Any]


def context(client: APIClient, body: Json) -> Json:
    answer: Any = client.post("/api/v1/context", body, format="json")
    assert answer.status_code == 200, answer.content
    ContextAnswer.model_validate_json(answer.content)
    return dict(answer.json())


def test_a_context_is_a_block_and_its_items(agent: APIClient) -> None:
    rule = known(
        "Remind Acme by mail", category=Category.PREFERENCE, status=Status.APPLIED, hold="floor", confidence=95
    )
    fact = known("Acme pays on net-30 terms", confidence=65)
    given = context(agent, {"task": "Remind Acme to pay", "source": "billing", "scope": "", "thread_id": "t1"})
    assert given == {
        "block": "## Relevant Memories\n- [preference] Remind Acme by mail (confidence: 95)\n"
        "- [fact, unreviewed, said by one agent] Acme pays on net-30 terms (confidence: 65)",
        "items": [item(rule, "preference", overridable=False), item(fact, "fact", overridable=True)],
        "guidance": None,
        "place": None,
        "quotes": [],
        "notices": [],
        "memory_status": "ok",
        "degraded": [],
    }
    assert set(Memory.objects.values_list("times_used", flat=True)) == {1}


def item(memory: Memory, category: str, *, overridable: bool) -> Json:
    return {
        "memory_id": str(memory.pk),
        "category": category,
        "content": memory.content,
        "confidence": memory.confidence,
        "status": memory.status,
        "overridable": overridable,
        "review": "one_agent" if overridable else "person",
        "agents": 1,
    }


def test_nothing_known_is_an_empty_block(agent: APIClient) -> None:
    empty: Json = {
        "block": "",
        "items": [],
        "guidance": None,
        "place": None,
        "quotes": [],
        "notices": [],
        "memory_status": "ok",
        "degraded": [],
    }
    assert context(agent, {"task": "Remind Acme to pay"}) == empty
    assert context(agent, {}) == empty


def test_the_example_of_the_schema_is_one(agent: APIClient) -> None:
    ContextAnswer.model_validate(ContextAnswer.example)
    context(agent, EXAMPLE)


def test_the_published_names_are_taken(agent: APIClient) -> None:
    skill("Refunds a broken parcel", scope="project:a")
    trust = {"max_sensitivity": "low", "scopes": ["project:a"], "authenticated": True, "actor_id": "x"}
    given = context(agent, {"task_descriptor": "refund the parcel", "source_plugin": "P01", "trust": trust})
    url = "http://testserver/api/v1/skills/refund/versions/1/content?scope=project%3Aa"
    assert [(one["category"], one["url"]) for one in given["items"]] == [("skill", url)]
    assert url in given["block"]
    assert "skills/refund/1.zip" not in str(given)
    shown = agent.get(f"/api/v1/memories/{given['items'][0]['memory_id']}").json()
    assert shown["payload"]["skill"]["url"] == url


def test_a_notice_is_told_once(agent: APIClient) -> None:
    applied("Reply in German", source="P07")
    assert len(context(agent, {"source": "P07"})["notices"]) == 1
    assert context(agent, {"source": "P07"})["notices"] == []


def test_a_person_sees_what_an_agent_would_get_and_takes_nothing(client: Any) -> None:
    client.force_login(make_person())
    applied("Reply in German", source="P07")
    answer = client.post("/api/v1/context", {"task": "reply", "source": "P07"}, content_type="application/json")
    assert answer.json()["block"].endswith("- [preference] Reply in German (confidence: 80)")
    assert answer.json()["notices"] == []
    assert Adaptation.objects.get().notified_at is None
    assert Memory.objects.get().times_used == 0


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"task": "a\\u0000b"}', "/task"),
        (b'{"task": 5}', "/task"),
        (b'{"limit": 0}', "/limit"),
        (b'{"limit": 101}', "/limit"),
        (b'{"token_budget": 0}', "/token_budget"),
        (b'{"token_budget": "many"}', "/token_budget"),
        (b'{"scope": "a b"}', "/scope"),
        (b'{"max_sensitivity": "private"}', "/max_sensitivity"),
        (b'{"colour": "red"}', "/colour"),
        (b'["task"]', ""),
    ],
)
def test_what_is_wrong_is_refused_by_name(agent: APIClient, body: bytes, pointer: str) -> None:
    answer = ask(agent, "POST", "/api/v1/context", body)
    assert answer.status_code == 400
    assert pointer in {error["pointer"] for error in answer.json()["errors"]}


def test_asking_needs_the_permission_to_read() -> None:
    assert ask(caller(permissions=["ingest"]), "POST", "/api/v1/context", b"{}").status_code == 403


@pytest.mark.parametrize("token", TOKENS)
def test_a_context_holds_what_the_caller_may_see_and_nothing_else(token: tuple[int, list[str]]) -> None:
    clearance, scopes = token
    row, secret = make_agent(clearance=Sensitivity(clearance), scopes=scopes)
    client = bearing(secret)
    for number, (scope, sensitivity) in enumerate(ROWS):
        facts: Json = {"scope": scope, "sensitivity": sensitivity}
        applied(f"secret{number} pays now", **facts)
        skill(f"secret{number} pays later", **facts)
        known(f"secret{number} was paid", company_id="acme", **facts)
    trust = row.trust
    seen = {f"secret{n}" for n, (scope, level) in enumerate(ROWS) if trust.sees(Memory(scope=scope, sensitivity=level))}
    wide = {"max_sensitivity": "hyper", "trust": {"max_sensitivity": "hyper", "scopes": [row[0] for row in ROWS]}}
    for body in ({"task": "pays"}, {"task": "who at acme pays"}, {"company_id": "acme"}, {"source": "P01"}, wide):
        shown = json.dumps(context(client, {"task": "", "limit": 100, "token_budget": 10_000, **body}))
        told = {f"secret{n}" for n in range(len(ROWS)) if f"secret{n}" in shown}
        assert told <= seen, body
        assert bool(told) == bool(seen) or body is wide, body
    left = Adaptation.objects.filter(notified_at=None)
    assert {notice.content.split()[0] for notice in left} >= {f"secret{n}" for n in range(len(ROWS))} - seen


@pytest.mark.parametrize("token", TOKENS)
def test_an_answer_is_the_same_whether_what_may_not_be_seen_is_there_or_not(token: tuple[int, list[str]]) -> None:
    clearance, scopes = token
    row, secret = make_agent(clearance=Sensitivity(clearance), scopes=scopes)
    client, trust = bearing(secret), row.trust
    known("Acme pays on net-30 terms", sensitivity=Sensitivity.PUBLIC, company_id="acme")
    known("Terms are terms", sensitivity=Sensitivity.PUBLIC)
    asked = [{"task": "Acme and Globex terms"}, {"company_id": "globex", "task": "terms"}, {"source": "P01"}]
    before = [context(client, body) for body in asked]
    for number, (scope, sensitivity) in enumerate(ROWS):
        if not trust.sees(Memory(scope=scope, sensitivity=sensitivity)):
            facts: Json = {"scope": scope, "sensitivity": sensitivity}
            known(f"Acme secret terms {number}", company_id="globex", confidence=99, **facts)
            applied(f"Terms of all {number}", **facts)
    assert [context(client, body) for body in asked] == before
