"""POST guidance: what similar runs did, how sure that is, and what they say of a call that is about to be made."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from consolidation.api.guidance import GuidanceAnswer
from consolidation.guidance import experience, features
from consolidation.guidance.latest_runs import LatestRuns
from consolidation.models.profiles import PendingProfile, RunProfile
from memories.models import Event, Memory
from memories.search.dismissed_words import LEFT_OUT
from memories.values.choices import Sensitivity
from tests.consolidation.experience import consolidated, run
from tests.consolidation.recorded import run as recorded
from tests.make import ANNA, AT, answer, call, caller, make_memory, user
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
SCOPE = "project:acme"
WISH = "Please cancel my ticket {n} to Rome, my plans have changed"
Json = dict[str, Any]


def talk(n: int, *tools: str, wish: str = WISH) -> list[Json]:
    """A wish, a look at the ticket, and the calls that change something."""
    said = [user(wish.format(n=f"T{n}00{n}")), call("get_ticket", ticket=f"T{n}00{n}"), answer('{"fare": "basic"}')]
    for tool in tools:
        said += [call(tool, "c2", ticket=f"T{n}00{n}"), answer("done", "c2")]
    return said


def learn(n: int, *tools: str, outcome: str = "success", **fields: Any) -> Memory:
    given = {"thread_id": f"case-{n}", "messages": talk(n, *tools, wish=fields.pop("wish", WISH))}
    return run([], outcome, **{**given, **fields})


def ask(client: APIClient, **body: Any) -> Json:
    told: Any = client.post("/api/v1/guidance", {"messages": talk(9), **body}, format="json")
    assert told.status_code == 200, told.content
    GuidanceAnswer.model_validate_json(told.content)
    return dict(told.json())


@shared_rows
def refused() -> list[Memory]:
    """Three cases in which refusing ended well, two in which cancelling ended badly."""
    rows = [learn(n) for n in range(3)]
    rows += [learn(n, "cancel_ticket", outcome="failure") for n in (3, 4)]
    consolidated()
    return rows


def test_a_write_with_which_no_case_ended_well_is_advised_against(agent: APIClient, refused: list[Memory]) -> None:
    check = ask(agent, about_to={"tool": "cancel_ticket", "arguments": {"ticket": "T9009"}})["check"]
    assert check["verdict"] == "advised_against"
    assert [check[name] for name in ("well_with", "well_without", "ill_with", "ill_without")] == [0, 3, 2, 0]
    assert {told["episode_id"] for told in check["runs"]} == {str(row.pk) for row in refused}
    assert "0 of 2 similar cases that called `cancel_ticket` ended well" in check["text"]


def test_a_call_that_only_reads_is_unknown(agent: APIClient, refused: list[Memory]) -> None:
    check = ask(agent, about_to={"tool": "get_order", "arguments": {}})["check"]
    assert (check["verdict"], check["well_without"]) == ("unknown", 0)


def test_a_write_with_which_one_similar_case_ended_well_is_never_advised_against(agent: APIClient) -> None:
    for n in range(4):
        learn(n)
    learn(5, "cancel_ticket")
    consolidated()
    check = ask(agent, about_to={"tool": "cancel_ticket"})["check"]
    assert (check["verdict"], check["well_with"], check["well_without"]) == ("unknown", 1, 4)


def test_a_write_that_did_at_least_as_well_is_supported(agent: APIClient) -> None:
    for n in range(4):
        learn(n, "cancel_ticket")
    learn(5, outcome="failure")
    consolidated()
    check = ask(agent, about_to={"tool": "cancel_ticket"})["check"]
    assert (check["verdict"], check["well_with"], check["ill_without"]) == ("supported", 4, 1)


def test_two_runs_of_one_thread_are_one_case(agent: APIClient) -> None:
    for n in range(3):
        learn(n, thread_id="case-0")
    consolidated()
    assert ask(agent, about_to={"tool": "cancel_ticket"})["check"]["well_without"] == 1


def test_an_argument_on_which_similar_cases_agree_is_noted(agent: APIClient) -> None:
    for n in range(4):
        learn(n, messages=[*talk(n), call("cancel_ticket", "c2", ticket=f"T{n}", refund="voucher"), answer("ok", "c2")])
    consolidated()
    check = ask(agent, about_to={"tool": "cancel_ticket", "arguments": {"ticket": "T9", "refund": "cash"}})["check"]
    assert [note["pointer"] for note in check["arguments"]] == ["/arguments/refund"]
    assert "voucher" in check["arguments"][0]["note"]


def test_there_is_a_check_exactly_when_a_call_is_named(agent: APIClient, refused: list[Memory]) -> None:
    assert ask(agent)["check"] is None
    empty = caller(scopes=["project:other"])
    assert ask(empty, about_to={"tool": "cancel_ticket"})["check"]["verdict"] == "unknown"


def test_similar_runs_that_changed_nothing_say_so(agent: APIClient, refused: list[Memory]) -> None:
    told = ask(agent)
    assert (told["decision"], told["expected"]["effects"], told["expected"]["cases"]) == ("no_action", [], 3)
    assert told["confidence"] >= 0.5
    assert not told["needs_more"]
    assert len(told["similar"]) == 5


def test_words_that_people_dismissed_open_no_similar_run(agent: APIClient, refused: list[Memory]) -> None:
    wish = WISH.format(n="T1001")
    assert wish in [one["opening"] for one in ask(agent)["similar"]]
    make_memory(wish, scope=refused[1].scope, category="fact").dismiss(by=ANNA, why="wrong", at=timezone.now())
    openings = [one["opening"] for one in ask(agent)["similar"]]
    assert wish not in openings and LEFT_OUT in openings


def test_similar_runs_that_agree_on_effects_without_a_skill_say_act(agent: APIClient) -> None:
    for n in range(5):
        learn(n, "cancel_ticket")
    consolidated()
    told = ask(agent)
    assert (told["decision"], told["expected"]["effects"], told["skill"]) == ("act", ["cancel_ticket"], None)


@pytest.mark.parametrize("messages", [[user("Write a haiku about the sea")], [user("写一首关于大海的诗")]])
def test_what_is_about_something_else_is_unsure(agent: APIClient, refused: list[Memory], messages: list[Json]) -> None:
    told = ask(agent, messages=messages)
    assert (told["decision"], told["confidence"], told["expected"]["effects"]) == ("unsure", 0, [])
    assert told["needs_more"]
    assert told["similar"] == []


def test_a_caller_who_sees_no_run_is_told_nothing(refused: list[Memory]) -> None:
    for client in (caller(scopes=["project:other"]), caller(clearance=Sensitivity.PUBLIC)):
        told = ask(client, about_to={"tool": "cancel_ticket"})
        assert (told["decision"], told["confidence"], told["similar"], told["alternatives"]) == ("unsure", 0, [], [])
        assert told["check"]["well_without"] == told["check"]["ill_with"] == 0


def test_runs_above_the_caller_count_nowhere() -> None:
    for n in range(3):
        learn(n)
    for n in range(3, 9):
        learn(n, "cancel_ticket", sensitivity="high")
    consolidated()
    told = ask(caller(clearance=Sensitivity.MEDIUM), about_to={"tool": "cancel_ticket"})
    assert told["expected"] == {"effects": [], "share": told["expected"]["share"], "cases": 3}
    assert (told["check"]["well_with"], told["alternatives"]) == (0, [])
    assert len(told["similar"]) == 3


def test_a_run_that_was_raised_or_forgotten_counts_no_longer(agent: APIClient, refused: list[Memory]) -> None:
    Memory.objects.filter(pk=refused[0].pk).update(sensitivity=Sensitivity.HYPER)
    assert ask(agent)["expected"]["cases"] == 2
    Memory.objects.filter(pk=refused[1].pk).delete()
    assert ask(agent)["expected"]["cases"] == 1


def test_another_outcome_replaces_the_first(agent: APIClient) -> None:
    rows = [learn(n, "cancel_ticket") for n in range(3)]
    consolidated()
    assert ask(agent, about_to={"tool": "cancel_ticket"})["check"]["well_with"] == 3
    body = {"source": rows[0].source, "target_record_id": str(rows[0].pk), "outcome_status": "failure"}
    reviewer = caller(permissions=["report", "review", "read"], clearance=Sensitivity.MEDIUM)
    assert reviewer.post("/api/v1/outcomes", body, format="json").status_code == 200
    consolidated()
    check = ask(agent, about_to={"tool": "cancel_ticket"})["check"]
    assert (check["well_with"], check["ill_with"]) == (2, 1)


def test_runs_that_were_digested_before_are_caught_up_with(refused: list[Memory], agent: APIClient) -> None:
    RunProfile.objects.all().delete()
    PendingProfile.objects.put(
        [row.episode for row in Memory.objects.filter(type="episodic").select_related("episode")]
    )
    assert ask(agent)["similar"] == []
    consolidated()
    assert len(ask(agent)["similar"]) == 5
    assert not PendingProfile.objects.exists()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/messages"),
        ({"task": "x", "messages": [user("x")]}, "/messages"),
        ({"messages": [{"content": "x"}]}, "/messages/0/role"),
        ({"task": "x", "about_to": {"arguments": {}}}, "/about_to/tool"),
        ({"task": "x", "about_to": {"tool": "t", "arguments": [1]}}, "/about_to/arguments"),
        ({"task": "x", "limit": 9}, "/limit"),
        ({"task": "x", "scopes": ["a b"]}, "/scopes/0"),
        ({"task": "x", "colour": 1}, "/colour"),
        ({"task": "x", "episode_id": "no"}, "/episode_id"),
    ],
)
def test_bad_input_names_the_field(agent: APIClient, body: Json, pointer: str) -> None:
    told: Any = agent.post("/api/v1/guidance", body, format="json")
    assert told.status_code == 400, told.content
    assert pointer in [wrong["pointer"] for wrong in told.json()["errors"]]
    assert "dictionary" not in told.json()["detail"]  # a word of Python, not of JSON


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "Be kind"}],
        [{"role": "assistant", "content": "Hello!"}],
        [user("?"), call("frobnicate", x=[1, {"y": None}]), answer("not json")],
        [user("wort " * 10_000)],
        [message for n in range(5_000) for message in (user(f"turn {n}"), {"role": "assistant", "content": "ok"})],
    ],
    ids=["no user", "agent only", "unknown tool", "long", "many turns"],
)
def test_odd_conversations_are_unsure(agent: APIClient, refused: list[Memory], messages: list[Json]) -> None:
    assert ask(agent, messages=messages)["decision"] == "unsure"


def test_guidance_needs_the_permission_to_read() -> None:
    client = caller(permissions=["ingest"])
    assert client.post("/api/v1/guidance", {"task": "x"}, format="json").status_code == 403


def test_an_answer_keeps_to_the_scopes_that_were_asked_for(agent: APIClient, refused: list[Memory]) -> None:
    about = {"about_to": {"tool": "cancel_ticket", "arguments": {"ticket": "T9009"}}}
    told = ask(agent, scopes=["project:other"], **about)
    assert (told["decision"], told["similar"], told["check"]["runs"]) == ("unsure", [], [])
    assert ask(agent, scopes=[SCOPE], **about)["similar"]


def test_the_latest_runs_of_a_level_leave_out_those_above_it(refused: list[Memory]) -> None:
    Memory.objects.filter(pk=refused[0].pk).update(sensitivity=Sensitivity.HIGH)
    seen = {profile.pk for profile in LatestRuns.of(SCOPE, Sensitivity.MEDIUM).runs}
    assert seen == {row.pk for row in refused[1:]}
    assert len(LatestRuns.of(SCOPE, Sensitivity.HIGH).runs) == len(refused)


def test_of_runs_that_share_an_identifier_come_the_newest_of_all_scopes(refused: list[Memory]) -> None:
    Memory.objects.filter(pk__in=[row.pk for row in refused[::2]]).update(scope="global")
    for n, row in enumerate(refused):
        RunProfile.objects.filter(pk=row.pk).update(identifiers=[7, n], at=AT + timedelta(hours=n))
    newest = [row.pk for row in refused[:1:-1]]
    for scopes in (None, [SCOPE, "global"]):
        assert [profile.pk for profile in RunProfile.objects.sharing([7, 8], scopes, 3)] == newest
    assert [profile.pk for profile in RunProfile.objects.sharing([7], [SCOPE, ""], 3)] == [refused[3].pk, refused[1].pk]


def test_an_argument_of_calls_that_failed_is_no_choice_of_the_cases_that_ended_well(agent: APIClient) -> None:
    for n in range(4):
        tried = [call("cancel_ticket", "c2", ticket=f"T{n}", refund="points"), answer('{"error": "refused"}', "c2")]
        done = [call("cancel_ticket", "c3", ticket=f"T{n}", refund="voucher"), answer("ok", "c3")]
        learn(n, messages=[*talk(n), *tried, *done])
    Event.objects.filter(args__refund="points").update(ok=False)
    consolidated()
    check = ask(agent, about_to={"tool": "cancel_ticket", "arguments": {"ticket": "T9", "refund": "cash"}})["check"]
    assert "in 4 similar cases that ended well it was voucher" in check["arguments"][0]["note"]


def test_the_likeness_of_words_goes_with_its_run_in_whatever_order_runs_were_read() -> None:
    wishes = ("I lost my umbrella in the lobby", WISH, "Please cancel my ticket {n} to Oslo")
    for n, wish in enumerate(wishes):
        learn(n, wish=wish)
    consolidated()
    said, profiles = features.of_moment(recorded(9, WISH.format(n="T9009")))[0], list(RunProfile.objects.all())
    assert said
    read = [experience.of_profiles(said, rows, opening=False) for rows in (profiles, profiles[::-1])]
    first, other = ({p.pk: round(float(w), 6) for p, w in zip(one.profiles, one.words, strict=True)} for one in read)
    assert first == other
    assert max(first, key=lambda pk: first[pk]) == RunProfile.objects.get(episode__memory__thread_id="case-1").pk
