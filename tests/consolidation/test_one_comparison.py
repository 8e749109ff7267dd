"""A request compares its task with the runs once, however many of its parts ask what these say."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Sensitivity, Status
from skills import publishing
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import SCOPE, WISH, learn, talk
from tests.make import ANNA, AT, caller

pytestmark = pytest.mark.django_db
TASK = WISH.format(n="T9")
ASKED: dict[str, dict[str, Any]] = {
    "search": {"query": TASK, "types": ["competence"], "scopes": [SCOPE]},
    "context": {"task": TASK, "source": "P01", "scopes": [SCOPE], "quotes": 2},
    "context of a run": {"task": TASK, "source": "P01", "scopes": [SCOPE], "thread_id": "case-1", "quotes": 2},
    "guidance": {"task": TASK, "scopes": [SCOPE], "about_to": {"tool": "cancel_ticket", "arguments": {"ticket": "T9"}}},
    "verdict": {"messages": talk(9, "cancel_ticket"), "scopes": [SCOPE]},
}


@pytest.fixture
def agent_with_skill() -> APIClient:
    for n in range(6):
        learn(n, "cancel_ticket", scope=SCOPE)
    consolidated()
    [skill] = Memory.objects.filter(type="competence")
    publishing.publish(skill, by=ANNA, at=AT, batch=uuid4())
    Memory.objects.filter(pk=skill.pk).update(status=Status.APPLIED)
    return caller(clearance=Sensitivity.MEDIUM)


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_asked_is_compared_with_the_runs_once(agent_with_skill: APIClient, asked: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer: Any = agent_with_skill.post(f"/api/v1/{asked.partition(' ')[0]}", ASKED[asked], format="json")
    assert answer.status_code == 200, answer.content
    compared = [one["sql"] for one in queries if "runprofile" in one["sql"] and "packed_opening" in one["sql"]]
    assert len([sql for sql in compared if "<#>" in sql]) == 1, compared


def test_where_runs_speak_what_was_said_is_not_searched(agent_with_skill: APIClient) -> None:
    searches = []
    for task in (TASK, "Which ticket did somebody cancel for T3 on a rainy day?"):
        with CaptureQueriesContext(connection) as queries:
            answer: Any = agent_with_skill.post("/api/v1/context", {**ASKED["context"], "task": task}, format="json")
        searches.append((bool(answer.json()["guidance"]), sum("WITH matched" in one["sql"] for one in queries)))
    assert searches == [(True, 1), (False, 2)]
