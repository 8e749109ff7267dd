"""A check that names its open run and sends no steps knows what this caller has reported of it."""

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from consolidation.guidance.request import MOST_BYTES, MOST_STEPS
from memories.intake.episodes import close_silent
from memories.values.choices import Sensitivity
from tests.consolidation import experience
from tests.consolidation.test_command_facts import PASSED, nine_runs
from tests.consolidation.test_command_notes import NOTE
from tests.make import answer, call, caller, user
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
SCOPE = "project:acme"
RUN = {"source": "cc", "thread_id": "s1"}
WISH = "Refund order-9, please"
REFUND = {"order_id": "order-9", "payment_id": "pay-1"}
UNSHOWN = "`payment_id` `pay-1` was not shown in this run"
Json = dict[str, Any]


def steps(n: int) -> list[Json]:
    return [
        user(f"Refund order-{n}, please"),
        call("get_order", order_id=f"order-{n}"),
        answer(f'{{"payment": "pay-{n}"}}'),
    ]


@shared_rows
def five_refunds() -> None:
    """Each to the payment that the order named; they worked."""
    for n in range(2, 7):
        made = [call("refund", "c2", order_id=f"order-{n}", payment_id=f"pay-{n}"), answer("done", "c2")]
        experience.run([], thread_id=f"case-{n}", messages=[*steps(n), *made])
    experience.consolidated()


@pytest.fixture
def agent_of_two_scopes(five_refunds: None) -> APIClient:
    """Of two scopes."""
    return caller(scopes=[SCOPE, "project:other"])


def report(client: APIClient, messages: Sequence[Json], **more: Any) -> None:
    """As hooks do it: what the user said, and each call with its result."""
    for n, message in enumerate(messages):
        run = {"scope": SCOPE, **RUN, **more}
        if message["role"] == "user":
            said = {"event_kind": "user_message", "ref": f"m{n}", "summary": message["content"]}
            told: Any = client.post("/api/v1/events", {**run, **said}, format="json")
        elif message["role"] == "assistant":
            function = message["tool_calls"][0]["function"]
            called = {
                "tool_name": function["name"],
                "args": function["arguments"],
                "result": messages[n + 1]["content"],
            }
            told = client.post("/api/v1/tool-outputs", {**run, **called}, format="json")
        assert told.status_code in (200, 201, 202), told.content


def check(client: APIClient, arguments: Json = REFUND, tool: str = "refund", **body: Any) -> Json:
    asked = {"task": WISH, "scopes": [SCOPE], **RUN, **body}
    asked = {name: value for name, value in asked.items() if value is not None}
    told: Any = client.post(
        "/api/v1/guidance", {**asked, "about_to": {"tool": tool, "arguments": arguments}}, format="json"
    )
    assert told.status_code == 200, told.content
    return {name: value for name, value in told.json().items() if name not in ("took_ms", "offer_id")}


def noted(told: Json) -> str:
    return " ".join(note["note"] for note in told["check"]["arguments"])


def test_it_is_answered_as_if_the_steps_were_sent(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    told = check(agent_of_two_scopes)
    assert UNSHOWN in noted(told)
    assert told == check(agent_of_two_scopes, task=None, thread_id=None, messages=steps(9))
    assert noted(check(agent_of_two_scopes, {**REFUND, "payment_id": "pay-9"})) == ""


def test_a_task_that_was_not_reported_counts_with_the_steps(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9)[1:])
    assert check(agent_of_two_scopes) == check(agent_of_two_scopes, task=None, thread_id=None, messages=steps(9))


def test_a_run_that_has_just_begun_is_compared_with_openings(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9)[:1])
    assert check(agent_of_two_scopes) == check(agent_of_two_scopes, thread_id="no-such-thread")


def test_what_is_sent_wins(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    sent = [*steps(9)[:2], answer('{"payment": "pay-1"}')]
    assert noted(check(agent_of_two_scopes, task=None, messages=sent)) == ""


def test_by_its_episode_it_is_found_too(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    (row,) = agent_of_two_scopes.get("/api/v1/episodes?thread_id=s1").json()["results"]
    assert UNSHOWN in noted(check(agent_of_two_scopes, thread_id=None, source=None, episode_id=row["id"]))
    assert noted(check(caller(scopes=[SCOPE]), thread_id=None, source=None, episode_id=row["id"])) == ""


def test_a_command_that_started_in_this_run_is_left_alone() -> None:
    nine_runs()
    client = caller(scopes=[SCOPE])
    told = check(client, {"command": "pytest sympy/core"}, "bash")
    assert noted(told) == NOTE
    installed = [call("bash", command="pip install pytest"), answer(PASSED)]
    report(client, [user(WISH), *installed, call("bash", command="pytest sympy/core"), answer(PASSED)])
    assert noted(check(client, {"command": "pytest sympy/core"}, "bash")) == ""


def test_nobody_is_told_of_a_run_of_another_agent(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    other = caller(scopes=[SCOPE])
    assert check(other) == check(other, thread_id="no-such-thread")
    assert UNSHOWN in noted(check(agent_of_two_scopes))


@pytest.mark.parametrize(
    "asked", [{"scopes": ["project:other"]}, {"source": "codex"}, {"source": None}, {"thread_id": "s2"}]
)
def test_a_run_is_known_by_its_scope_source_and_thread(agent_of_two_scopes: APIClient, asked: Json) -> None:
    report(agent_of_two_scopes, steps(9))
    assert noted(check(agent_of_two_scopes, **asked)) == ""


def test_a_run_that_became_more_secret_than_its_caller_is_not_read(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    report(agent_of_two_scopes, [user("And this is between us")], sensitivity=Sensitivity.HYPER.name.lower())
    assert check(agent_of_two_scopes) == check(agent_of_two_scopes, thread_id="no-such-thread")


def test_a_run_below_what_the_caller_asks_for_is_not_read(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9), sensitivity="medium")
    assert check(agent_of_two_scopes, max_sensitivity="low") == check(
        agent_of_two_scopes, max_sensitivity="low", thread_id="no-such-thread"
    )


def test_a_run_that_is_closed_is_no_run_so_far(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    close_silent(at=experience.NOON + timedelta(days=36_500))
    assert check(agent_of_two_scopes) == check(agent_of_two_scopes, thread_id="no-such-thread")


def test_of_two_scopes_with_the_thread_the_younger_run_is_meant(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    assert UNSHOWN in noted(check(agent_of_two_scopes, scopes=[]))
    report(agent_of_two_scopes, steps(9)[:1], scope="project:other")
    assert noted(check(agent_of_two_scopes, scopes=[])) == ""
    assert UNSHOWN in noted(check(agent_of_two_scopes))


def test_a_run_too_long_to_be_read_whole_says_nothing_of_what_it_did_not_show(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))
    look = {"kind": "tool_output", "tool_name": "get_time", "result": "noon", "scope": SCOPE, **RUN}
    agent_of_two_scopes.post("/api/v1/batch", {"items": [look] * (MOST_STEPS - 2)}, format="json")
    assert UNSHOWN in noted(check(agent_of_two_scopes))
    agent_of_two_scopes.post("/api/v1/batch", {"items": [look]}, format="json")
    assert noted(check(agent_of_two_scopes)) == ""


def test_nor_does_a_run_whose_values_are_too_large_together(agent_of_two_scopes: APIClient) -> None:
    def look(n: int) -> list[Json]:
        page = b"".join(hashlib.sha256(bytes([n, part % 256, part // 256])).digest() for part in range(1_500)).hex()
        return [call("read_page"), answer(json.dumps({"page": page}))]

    pages = [message for n in range(MOST_BYTES // 96_000 + 1) for message in look(n)]
    report(agent_of_two_scopes, [*steps(9), *pages[:2], *steps(9)[1:]])
    assert UNSHOWN in noted(check(agent_of_two_scopes))
    report(agent_of_two_scopes, pages[2:])
    assert noted(check(agent_of_two_scopes)) == ""


def test_it_costs_one_statement_and_nothing_where_steps_are_sent(agent_of_two_scopes: APIClient) -> None:
    report(agent_of_two_scopes, steps(9))

    def statements(**body: Any) -> int:
        with CaptureQueriesContext(connection) as asked:
            check(agent_of_two_scopes, **body)
        return sum("memories_event" in one["sql"] for one in asked.captured_queries)

    assert statements() - statements(task=None, messages=steps(9)) == 1
    assert statements(thread_id=None) == statements(task=None, messages=steps(9))
