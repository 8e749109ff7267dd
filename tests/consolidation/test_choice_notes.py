"""A check notes an argument that differs from what decided it in runs that ended well."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from consolidation.models import Pattern
from memories.models import Memory
from memories.values.choices import ActorKind, Sensitivity, Status
from memories.values.trust import Actor
from tests.consolidation import experience
from tests.make import answer, call, caller, make_agent, user

pytestmark = pytest.mark.django_db
ORDER = "Work through the new tickets."
TEAMS = {"refund": "accounts", "damage": None, "question": "sales"}
Json = dict[str, Any]


def update(n: int, kind: str, team: str | None) -> Json:
    return {"ticket_id": f"T-{n}", "category": kind, **({"team": team} if team else {})}


def round_of(n: int, *, teams: dict[str, str | None] = TEAMS, done: int = len(TEAMS)) -> list[Json]:
    """One morning: the tickets are listed, and `done` of them get their category and team."""
    numbers = dict(zip(teams, range(1000 + 10 * n, 2000 + 10 * n), strict=False))
    rows = [{"ticket_id": f"T-{number}"} for number in numbers.values()]
    said = [user(ORDER), call("list_tickets"), answer(json.dumps(rows))]
    for kind, team in [*teams.items()][:done]:
        said += [call("update_ticket", kind, **update(numbers[kind], kind, team)), answer('{"ok": true}', kind)]
    return said


def test_a_copy_by_another_agent_is_no_further_call() -> None:
    copying = make_agent("copying-agent")[0].trust
    for n in range(5):
        experience.run([], thread_id=f"morning {n}", messages=round_of(n))
        experience.run([], trust=copying, source="copying-agent", thread_id=f"morning {n}", messages=round_of(n))
    experience.consolidated()

    [note] = notes(update(1091, "damage", "support"))
    assert "5 of 5 calls of runs that ended well" in note["note"]


def learned(*, mornings: int = 5, **facts: Any) -> None:
    for n in range(mornings):
        experience.run([], thread_id=f"morning {n}", messages=round_of(n, **facts))
    experience.consolidated()


def notes(about_to: Json, client: APIClient | None = None, messages: list[Json] | None = None) -> list[Json]:
    body = {"messages": messages or round_of(9, done=0), "about_to": {"tool": "update_ticket", "arguments": about_to}}
    told = (client or caller(clearance=Sensitivity.MEDIUM)).post("/api/v1/guidance", body, format="json").json()
    return list(told["check"]["arguments"])


def test_another_value_than_such_calls_sent_is_noted_at_its_argument() -> None:
    learned()
    damage = "where `category` was `damage`, 5 of 5 calls of runs that ended well did not send it"

    assert notes(update(1091, "damage", "support")) == [
        {"pointer": "/arguments/team", "note": f"`team` is `support`; {damage}"}
    ]
    assert notes(update(1090, "refund", None)) == [
        {
            "pointer": "/arguments/team",
            "note": "`team` is not sent; where `category` was `refund`, 5 of 5 calls of runs that ended well sent "
            "`accounts`",
        }
    ]


def test_nothing_is_noted_of_the_usual_value_of_another_case_or_of_no_word() -> None:
    learned()

    assert notes(update(1090, "refund", "accounts")) == []
    assert notes(update(1091, "damage", None)) == []
    assert notes({**update(1091, "damage", None), "team": None}) == []
    assert notes(update(1093, "praise", "support")) == []
    assert notes({**update(1091, "damage", None), "team": {"id": 4}}) == []


def test_a_field_of_the_record_decides_as_it_was_last_shown() -> None:
    def mail(kind: str, team: str | None) -> list[Json]:
        ticket, sent = {"ticket_id": "T-77"}, {"team": team} if team else {}
        return [
            *(call("get_ticket", **ticket), answer(json.dumps({**ticket, "kind": kind}))),
            *([call("update_ticket", "c2", **ticket, **sent), answer("done", "c2")] if team else []),
        ]

    for n in range(16):
        kind, team = ("private", "shop") if n % 2 else ("business", "key-accounts")
        experience.run([], thread_id=f"mail {n}", messages=[user("Sort the mail."), *mail(kind, team)])
    experience.consolidated()
    asked = {"ticket_id": "T-77", "team": "shop"}
    known = [user("Sort the mail."), *mail("private", None), *mail("business", None)]

    [note] = notes(asked, messages=known)
    assert note["note"].startswith("`team` is `shop`; where `kind` was `business`, 8 of 8 calls of runs that ended")
    assert notes(asked, messages=known[:3]) == []


def test_three_mornings_are_too_few_and_one_in_eight_otherwise_too_many() -> None:
    learned(mornings=3)
    assert notes(update(1091, "damage", "support")) == []

    odd = TEAMS | {"damage": "support"}
    for n in range(3, 8):
        experience.run([], thread_id=f"morning {n}", messages=round_of(n, teams=odd if n == 7 else TEAMS))
    experience.consolidated(at=experience.NOON.replace(hour=15))
    assert Pattern.objects.choices("update_ticket", "project:acme", experience.AGENT)
    assert "/arguments/team" not in [note["pointer"] for note in notes(update(1091, "damage", "sales"))]
    assert "/arguments/team" in [note["pointer"] for note in notes(update(1090, "refund", "sales"))]


def test_who_may_not_see_the_skill_is_told_nothing_and_nobody_once_it_is_dismissed() -> None:
    learned()
    skill = Memory.objects.get(type="competence")

    assert notes(update(1091, "damage", "support"), caller(clearance=Sensitivity.PUBLIC)) == []
    assert notes(update(1091, "damage", "support"))
    skill.dismiss(by=Actor(ActorKind.PERSON, "Rita"), why="", at=experience.NOON)
    assert notes(update(1091, "damage", "support")) == []


def test_the_conditions_of_a_published_skill_follow_the_runs() -> None:
    learned()
    Memory.objects.filter(type="competence").update(status=Status.APPLIED)
    moved = TEAMS | {"damage": "repairs"}
    for n in range(20, 80):
        experience.run([], thread_id=f"morning {n}", messages=round_of(n, teams=moved))
    experience.consolidated(at=experience.NOON.replace(hour=15))

    [note] = notes(update(1091, "damage", "support"))
    assert note["note"].endswith("50 of 50 calls of runs that ended well sent `repairs`")


def test_a_call_that_the_user_had_corrected_counts_as_it_was_left() -> None:
    wrong = TEAMS | {"damage": "support", "question": "support"}
    for n in range(5):
        right = [
            call("update_ticket", f"again {kind}", ticket_id=f"T-{1000 + 10 * n + at}", team=team)
            for at, (kind, team) in enumerate(TEAMS.items())
        ]
        mended = [part for one in right for part in (one, answer('{"ok": true}', one["tool_calls"][0]["id"]))]
        said = [*round_of(n, teams=wrong), user("Questions are for sales, and nobody gets a damage."), *mended]
        experience.run([], thread_id=f"morning {n}", messages=said)
    experience.consolidated()

    [question], [damage] = notes(update(1092, "question", "support")), notes(update(1091, "damage", "support"))
    assert question["note"].endswith("`question`, 5 of 5 calls of runs that ended well sent `sales`")
    assert damage["note"].endswith("`damage`, 5 of 5 calls of runs that ended well did not send it")


def test_similar_runs_that_ended_partly_well_speak_neither_for_a_call_nor_against_it() -> None:
    for n in range(2):
        experience.run([], "partial", thread_id=f"morning {n}", messages=round_of(n))
    experience.consolidated()
    body = {"messages": round_of(9, done=0), "about_to": {"tool": "update_ticket", "arguments": {}}}
    told = caller(clearance=Sensitivity.MEDIUM).post("/api/v1/guidance", body, format="json").json()["check"]

    assert told["text"] == "The similar runs ended partly well: they speak neither for this call nor against it."
    assert [one["outcome"] for one in told["runs"]] == ["partial", "partial"]
