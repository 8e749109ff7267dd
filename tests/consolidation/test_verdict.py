"""POST verdict: how a run would end, told by runs like it, and silence where they are few, unlike or hidden."""

from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from consolidation.api.verdict import VerdictAnswer
from consolidation.guidance.risk import HIGH, LOW, Level, RiskVerdict
from consolidation.guidance.verdict import sentences
from memories.lifecycle import removal
from memories.models import Episode, Memory
from memories.values.choices import Sensitivity
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import learn, talk
from tests.make import answer, call, caller, user
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
Json = dict[str, Any]


def ask(client: APIClient, **body: Any) -> Json:
    told: Any = client.post("/api/v1/verdict", body, format="json")
    assert told.status_code == 200, told.content
    VerdictAnswer.model_validate_json(told.content)
    return dict(told.json())


@shared_rows
def refunded() -> list[Memory]:
    """Twelve cases that ended well because they also refunded, eight that only cancelled and failed."""
    rows = [learn(n, "cancel_ticket", "refund_fare") for n in range(12)]
    rows += [learn(n, "cancel_ticket", outcome="failure") for n in range(12, 20)]
    consolidated()
    return rows


def test_a_run_that_lacks_what_the_good_ones_did_is_likely_to_fail(agent: APIClient, refunded: list[Memory]) -> None:
    told = ask(agent, messages=talk(30, "cancel_ticket"))
    assert (told["level"], told["unexpected"]) == ("high", [])
    assert told["missing"] == [{"tool": "refund_fare", "cases": 10, "of": 10}]
    assert told["said"][0] == "10 of 10 similar cases that ended well called `refund_fare`; this run did not."
    assert told["expected"]["effects"] == ["cancel_ticket", "refund_fare"]
    assert (len(told["said"]), told["based_on"]["cases"], len(told["similar"])) == (2, 20, 8)
    whole = ask(agent, messages=talk(30, "cancel_ticket", "refund_fare"))
    assert (whole["level"], whole["missing"]) == ("low", [])
    assert whole["risk"] <= LOW and told["risk"] >= HIGH


@pytest.mark.parametrize(
    ("level", "ill", "words"),
    [
        ("high", 1, "The one similar case that changed the same failed."),
        ("low", 0, "The one similar case that changed the same ended well."),
    ],
)
def test_a_single_case_is_not_spoken_of_as_several(level: Level, ill: int, words: str) -> None:
    assert sentences(RiskVerdict(level=level, alike=1, alike_ill=ill), "en") == [words]


@pytest.mark.parametrize(("level", "ill"), [("high", 0), ("high", 2), ("medium", 0), ("low", 5), ("low", 3)])
def test_how_alike_cases_ended_is_said_only_where_it_is_a_ground_of_the_level(level: Level, ill: int) -> None:
    said = sentences(RiskVerdict(level=level, risk=0.725, alike=5, alike_ill=ill), "en")
    assert said == ["About 72 % of the runs that went like this one failed."]


@pytest.mark.parametrize(("level", "ill", "words"), [("high", 4, "4 failed"), ("medium", 1, "1 failed")])
def test_how_alike_cases_ended_stands_for_the_share_where_it_is_a_ground(level: Level, ill: int, words: str) -> None:
    said = sentences(RiskVerdict(level=level, risk=0.7, alike=5, alike_ill=ill), "en")
    assert said == [f"Of 5 similar cases that changed the same, {words}."]


def test_a_run_that_did_more_is_told_what_was_not_expected(agent: APIClient, refunded: list[Memory]) -> None:
    told = ask(agent, messages=talk(30, "cancel_ticket", "refund_fare", "send_voucher"))
    assert told["unexpected"] == [{"tool": "send_voucher", "cases": 0, "of": 10}]
    assert told["level"] in ("medium", "high")


def test_a_reported_run_is_found_by_its_thread_and_does_not_vote_for_itself(refunded: list[Memory]) -> None:
    agent = caller(clearance=Sensitivity.MEDIUM)
    reported = {"source": "tests", "scope": "project:acme", "messages": talk(30, "cancel_ticket")}
    stored: Any = agent.post("/api/v1/conversations", {**reported, "id": "r9", "thread_id": "T9"}, format="json")
    assert stored.status_code in (201, 202), stored.content
    episode = stored.json()["episode"]["id"]
    by_thread = ask(agent, thread_id="T9", source="tests")
    assert ask(agent, thread_id="T9", source="tests", task="Please cancel my ticket")["said"] == by_thread["said"]
    consolidated()
    by_id = ask(agent, episode_id=episode)
    likely: Any = agent.get("/api/v1/episodes?verdict=high&outcome=unknown").json()["results"]
    assert [row["id"] for row in likely] == [episode], "the verdict is kept, without the vote of the run itself"
    assert Episode.objects.filter(verdict="high").count() == 9 and not Episode.objects.without_verdict().exists()
    assert (by_thread["level"], by_id["level"]) == ("high", "high")
    assert episode not in [one["episode_id"] for one in by_id["similar"]]
    for body in ({"thread_id": "T9", "source": "tests"}, {"episode_id": episode}):
        other = ask(caller(clearance=Sensitivity.MEDIUM), **body)
        assert (other["level"], other["risk"], other["similar"]) == ("unknown", None, [])
        assert other["said"] == ["You have reported no run with this name that you may see."]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([user("Please cancel my ticket T9 to Rome")], "called no tool"),
        ([{"role": "assistant", "content": "Hello"}, call("cancel_ticket", "c"), answer("done", "c")], "No user spoke"),
        ([user("Write a haiku"), call("write_poem", "c"), answer("done", "c")], "Too few"),
        ([user("ช่วยยกเลิกตั๋วของฉันหน่อย"), call("cancel_ticket", "c"), answer("done", "c")], "Too few"),
        ([user("写一首关于大海的诗"), call("write_poem", "c"), answer("done", "c")], "太少"),
        ([user("wort " * 20_000), call("cancel_ticket", "c"), answer("x" * 90_000, "c")], "Too few"),
    ],
    ids=["no calls", "nobody asked", "about something else", "Thai", "Chinese", "long"],
)
def test_what_no_run_is_like_is_unknown(
    agent: APIClient, refunded: list[Memory], messages: list[Json], words: str
) -> None:
    told = ask(agent, messages=messages)
    assert (told["level"], told["risk"], told["missing"], told["similar"]) == ("unknown", None, [], [])
    assert words in told["said"][0]


def test_a_caller_learns_nothing_from_runs_that_it_may_not_see(refunded: list[Memory]) -> None:
    for client in (caller(scopes=["project:other"]), caller(clearance=Sensitivity.PUBLIC)):
        told = ask(client, messages=talk(30, "cancel_ticket"))
        assert {name: told[name] for name in ("level", "risk", "missing", "expected", "similar", "based_on")} == {
            "level": "unknown", "risk": None, "missing": [], "similar": [], "based_on": {"cases": 0},
            "expected": {"effects": [], "share": 0, "cases": 0},
        }  # fmt: skip


def test_of_a_run_without_its_transcript_nobody_says_that_it_called_nothing() -> None:
    agent = caller(clearance=Sensitivity.MEDIUM)
    run: Any = agent.post("/api/v1/conversations", {"messages": talk(1, "cancel_ticket"), "id": "r1"}, format="json")
    episode = run.json()["episode"]["id"]
    removal.remove_transcripts([UUID(episode)], at=timezone.now())
    told = ask(agent, episode_id=episode)
    assert (told["level"], told["said"]) == (
        "unknown",
        ["The transcript of this run was removed: there is nothing to compare."],
    )


def test_four_cases_are_too_few(agent: APIClient) -> None:
    for n in range(4):
        learn(n, "cancel_ticket", outcome="failure")
    consolidated()
    told = ask(agent, messages=talk(30, "cancel_ticket"))
    assert (told["level"], told["based_on"]["cases"]) == ("unknown", 4)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({}, "/messages"), ({"task": "x", "messages": [user("x")]}, "/messages"), ({"colour": 1}, "/colour"),
     ({"episode_id": "no"}, "/episode_id"), ({"task": "x", "limit": True}, "/limit"),
     ({"messages": [{"content": "x"}]}, "/messages/0/role")],
)  # fmt: skip
def test_bad_input_names_the_field(agent: APIClient, body: Json, pointer: str) -> None:
    told: Any = agent.post("/api/v1/verdict", body, format="json")
    assert told.status_code == 400, told.content
    assert pointer in [wrong["pointer"] for wrong in told.json()["errors"]]


def test_more_messages_than_are_read_are_refused_with_their_number(agent: APIClient) -> None:
    told: Any = agent.post("/api/v1/verdict", {"messages": [0] * 50_001}, format="json")
    wrong = {"pointer": "/messages", "code": "too_long", "detail": "needs no more than 50,000 items"}
    assert (told.status_code, told.json()["errors"]) == (400, [wrong])
