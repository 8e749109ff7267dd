"""Where a claim starts, how it climbs, and what keeps it from climbing."""

from uuid import uuid4

import pytest

from memories.lifecycle.ladder import Ladder, may_climb
from memories.models import Memory
from memories.values.choices import Hold, Origin, Status, Type

LADDER = Ladder()


def climbs(start: int, stores: int, ladder: Ladder = LADDER) -> list[tuple[str, int, int]]:
    """Status, confidence and confirmations after the creation and after each further store."""
    status = ladder.status(Status.CANDIDATE, confidence=start, times_confirmed=0)
    seen = [(status.value, start, 0)]
    for times in range(1, stores + 1):
        confidence = ladder.gained(seen[-1][1])
        status = ladder.status(status, confidence=confidence, times_confirmed=times)
        seen.append((status.value, confidence, times))
    return seen


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (20, ["candidate 20", "candidate 35", "candidate 50", "confirmed 65", "applied 80"]),
        (30, ["candidate 30", "candidate 45", "confirmed 60", "confirmed 75", "applied 90"]),
        (35, ["candidate 35", "candidate 50", "confirmed 65", "applied 80"]),
        (50, ["candidate 50", "confirmed 65", "confirmed 80", "applied 95"]),
        (100, ["confirmed 100", "confirmed 100", "confirmed 100", "applied 100"]),
    ],
)
def test_a_claim_climbs_with_its_confirmations(start: int, expected: list[str]) -> None:
    seen = climbs(start, len(expected) - 1)
    assert [f"{status} {confidence}" for status, confidence, _ in seen] == expected


def test_both_steps_may_be_taken_at_once() -> None:
    assert LADDER.status(Status.CANDIDATE, confidence=80, times_confirmed=3) == Status.APPLIED


def test_a_claim_never_climbs_down_by_its_number() -> None:
    assert LADDER.status(Status.APPLIED, confidence=5, times_confirmed=0) == Status.APPLIED
    assert LADDER.status(Status.CONFIRMED, confidence=5, times_confirmed=0) == Status.CONFIRMED


def test_what_is_contested_waits_for_a_person() -> None:
    assert LADDER.status(Status.CONTESTED, confidence=100, times_confirmed=9) == Status.CONTESTED


def test_either_step_can_be_left_to_people() -> None:
    assert climbs(100, 3, Ladder(confirms=False))[-1][0] == "candidate"
    assert climbs(100, 3, Ladder(applies=False))[-1][0] == "confirmed"


@pytest.mark.parametrize(
    ("source", "direct", "given", "start"),
    [
        ("P01", False, None, 20),
        ("User", False, None, 50),
        ("P01", True, None, 50),
        ("P01", False, 140, 100),
        ("User", True, -3, 0),
        ("User", True, 42, 42),
    ],
)
def test_a_claim_starts_by_who_says_it_unless_its_confidence_is_given(
    source: str, direct: bool, given: int | None, start: int
) -> None:
    assert LADDER.start(source=source, direct=direct, confidence=given) == start


def test_only_claims_climb_and_none_that_waits_for_a_person() -> None:
    plain = {"type": Type.SEMANTIC, "origin": Origin.STORED}
    assert may_climb(Memory(**plain))
    for kept in (
        {"type": Type.COMPETENCE},
        {"type": Type.PLAN_GRAPH},
        {"hold": Hold.FIXED},
        {"flags": ["secret"]},
        {"flags": ["secret"], "hold": Hold.FLOOR},
        {"origin": Origin.CONSOLIDATED},
        {"resembles": uuid4()},
    ):
        assert not may_climb(Memory(**{**plain, **kept}))
    for settled in ({"origin": Origin.CONSOLIDATED}, {"resembles": uuid4()}):
        assert may_climb(Memory(**{**plain, **settled, "hold": Hold.FLOOR}))
