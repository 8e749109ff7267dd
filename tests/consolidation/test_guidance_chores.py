"""Chores that some runs do beside the work do not silence guidance: a note, logged time."""

from itertools import product
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from consolidation import guidance
from consolidation.guidance.optional_effects import ballot_of, optional_effects
from consolidation.guidance.rendering import block
from consolidation.guidance.votes import Case
from consolidation.models import Pattern
from memories.models import Memory
from memories.values.trust import SYSTEM
from skills import publishing
from tests.consolidation.experience import AGENT, NOON, consolidated, run
from tests.make import answer, call, user

WORK = {
    "refund_payment": [
        "The parcel of {n} arrived broken, I want my money back.",
        "Item in {n} is damaged. Please refund me.",
        "My order {n} came cracked, refund please.",
        "{n} was smashed on arrival; I would like the money back.",
    ],
    "change_address": [
        "Please send {n} to my new address, 4 Mill Lane.",
        "I moved: {n} has to go to another address.",
        "Wrong street on {n}, deliver it to 9 Park Road.",
        "Can {n} be shipped to my new home instead?",
    ],
}
CHORES = ("add_note", "log_time")


def asked(tool: str, n: int) -> list[dict[str, Any]]:
    order = f"{tool[:6]}-{n}"
    opening = WORK[tool][n // 4 % 4].format(n=order)
    return [user(opening), call("get_order", "c0", order_id=order), answer('{"state": "delivered"}', "c0")]


def worked(tool: str, n: int, chores: list[str]) -> list[dict[str, Any]]:
    said = asked(tool, n)
    for name in [tool, *chores]:
        said += [call(name, name, order_id=f"{tool[:6]}-{n}"), answer('{"done": true}', name)]
    return said


@pytest.fixture
def desk(db: None) -> None:
    """Sixteen runs of each kind of work, each chore in half of them, in every combination with each wording."""
    for tool, n in product(WORK, range(16)):
        chores = [name for bit, name in enumerate(CHORES) if n >> bit & 1]
        run([], messages=worked(tool, n, chores))
    consolidated()


def ask(tool: str) -> guidance.Guidance:
    body = {"scopes": ["project:acme"], "messages": asked(tool, 99)}
    return guidance.answer(guidance.check(body), trust=AGENT, at=NOON)


def test_the_work_is_told_and_what_some_do_beside_it(desk: None) -> None:
    for tool in WORK:
        told = ask(tool)

        assert (told.decision, told.expected.effects, told.expected.cases) == ("act", [tool], 16)
        assert f"by calling `{tool}`, some with `add_note` or `log_time` beside, and no other tool" in block(told)


def test_a_published_skill_with_a_chore_is_offered_where_there_is_none_without(desk: None) -> None:
    def publish(*effects: str) -> Memory:
        memory = Pattern.objects.get(effects=sorted(effects)).memory
        assert memory is not None
        publishing.publish(memory, by=SYSTEM, at=NOON, batch=uuid4())
        return memory

    publish("change_address", "add_note")
    with_note = publish("refund_payment", "add_note")
    told = ask("refund_payment")
    assert told.decision == "skill" and told.skill and told.skill.memory_id == with_note.pk

    alone = publish("refund_payment")
    told = ask("refund_payment")
    assert told.skill and told.skill.memory_id == alone.pk


def cases(*sets: tuple[str, ...]) -> list[Case]:
    return [Case(str(n), "success", frozenset(one)) for n, one in enumerate(sets)]


def alike(kinds: list[int]) -> Any:
    """Runs of one kind are alike, and of another not."""
    return np.equal.outer(kinds, kinds).astype(np.float32) * 0.7 + np.eye(len(kinds), dtype=np.float32) * 0.3


def test_what_the_requests_foretell_is_no_chore() -> None:
    sets = [("cancel", "refund")] * 6 + [("cancel",)] * 6 + [("change", "refund")] * 6 + [("change",)] * 6
    by_request = alike([n // 6 for n in range(24)])
    whatever_is_asked = alike([n // 12 for n in range(24)])

    assert optional_effects(cases(*sets), by_request) == frozenset()
    assert optional_effects(cases(*sets), whatever_is_asked) == {"refund"}
    assert {case.effects for case in ballot_of(cases(*sets), whatever_is_asked).cases} == {
        frozenset({"cancel"}),
        frozenset({"change"}),
    }


def test_what_varies_beside_one_kind_of_work_seldom_or_as_all_of_a_run_is_no_chore() -> None:
    one_kind = [("cancel", "note")] * 10 + [("cancel",)] * 10
    seldom = [("cancel", "note")] * 2 + [("cancel",)] * 8 + [("change", "note")] * 2 + [("change",)] * 8
    alone = [("cancel", "note"), ("cancel",), ("change", "note"), ("change",)] * 5 + [("note",)]

    for sets in (one_kind, seldom, alone):
        assert optional_effects(cases(*sets), alike([0] * len(sets))) == frozenset()
