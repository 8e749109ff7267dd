"""Episodes that speak for or against a memory: each counts once, as it ended last."""

from datetime import timedelta
from uuid import uuid4

import pytest

from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Evidence, Memory, Performance
from memories.values.choices import Outcome, Type
from tests.at_once import at_once
from tests.make import AT, make_memory, make_run

pytestmark = pytest.mark.django_db
SUCCESS, FAILURE, PARTIAL = Outcome.SUCCESS, Outcome.FAILURE, Outcome.PARTIAL


def make_competence(**facts: object) -> Memory:
    return make_memory("Books a flight", type=Type.COMPETENCE, **facts)


def seen(*outcomes: Outcome) -> list[Witness]:
    return [Witness(uuid4(), outcome, AT, snapshot=outcome) for outcome in outcomes]


def record(memory: Memory) -> tuple[int, int, int]:
    performance = Performance.objects.get(memory=memory)
    return performance.successes, performance.failures, performance.partials


def test_each_witness_is_counted_once_as_it_ended() -> None:
    memory, witnesses = make_competence(), seen(SUCCESS, SUCCESS, FAILURE, PARTIAL)
    assert evidence.count(memory, witnesses, at=AT) == 4
    assert evidence.count(memory, witnesses[:2], at=AT) == 0
    assert record(memory) == (2, 1, 1)
    kinds = Evidence.objects.filter(memory=memory).values_list("kind", flat=True)
    assert sorted(kinds) == ["contradicts", "reinforced", "reinforced", "supports"]


@pytest.mark.parametrize(
    ("first", "then", "counted"),
    [
        (SUCCESS, FAILURE, (0, 1, 0)),
        (FAILURE, SUCCESS, (1, 0, 0)),
        (SUCCESS, PARTIAL, (0, 0, 1)),
        (PARTIAL, PARTIAL, (0, 0, 1)),
    ],
)
def test_a_corrected_outcome_moves_the_counts_by_the_difference(
    first: Outcome, then: Outcome, counted: tuple[int, int, int]
) -> None:
    memory, [witness] = make_competence(), seen(first)
    evidence.count(memory, [witness], at=AT)
    corrected = Witness(witness.episode_id, then, AT)
    for _ in range(2):
        assert evidence.count(memory, [corrected], at=AT) == 0
    assert record(memory) == counted
    assert Evidence.objects.get(memory=memory).outcome == then


def test_a_new_success_reinforces_and_nothing_else_does() -> None:
    later = AT + timedelta(days=30)
    memory = make_competence(salience=0.8, half_life=30 * 86_400.0)
    evidence.count(memory, seen(FAILURE, PARTIAL), at=later)
    memory.refresh_from_db()
    assert (memory.salience, memory.reinforced_at) == (0.8, None)
    [success] = seen(SUCCESS)
    for _ in range(2):
        evidence.count(memory, [success], at=later)
    memory.refresh_from_db()
    assert memory.salience == pytest.approx(0.4 + 0.1)
    assert memory.salience_at == memory.reinforced_at == later


def test_reinforcement_ends_at_one() -> None:
    memory = make_competence(salience=1.0)
    evidence.count(memory, seen(*[SUCCESS] * 5), at=AT)
    memory.refresh_from_db()
    assert memory.salience == 1.0


def test_founding_evidence_counts_and_does_not_reinforce() -> None:
    memory = make_competence(salience=0.5)
    evidence.count(memory, seen(SUCCESS, SUCCESS), at=AT, founding=True)
    memory.refresh_from_db()
    assert (record(memory), memory.salience) == ((2, 0, 0), 0.5)
    assert set(Evidence.objects.values_list("kind", "delta")) == {("created", 0.0)}


def test_a_witness_whose_episode_is_gone_keeps_what_it_said() -> None:
    memory, episode = make_competence(), make_run()
    there, gone = Witness(episode.pk, SUCCESS, AT, "there"), Witness(uuid4(), SUCCESS, AT, "gone")
    evidence.count(memory, [there, gone], at=AT)
    assert dict(Evidence.objects.values_list("snapshot", "episode")) == {"there": episode.pk, "gone": None}
    episode.delete()
    assert evidence.count(memory, [there], at=AT) == 0
    assert record(memory) == (2, 0, 0)


def test_suppressed_evidence_is_one_row_a_day_and_moves_nothing() -> None:
    memory = make_competence(salience=0.5)
    moments = [AT, AT + timedelta(minutes=1), AT + timedelta(days=1)]
    for _ in range(2):
        evidence.record_suppressed(memory, dict.fromkeys(moments, "met"), source="P01")
    evidence.record_suppressed(memory, {AT: "met"}, source="P02")
    memory.refresh_from_db()
    assert Evidence.objects.filter(kind="suppressed").count() == 3
    assert (memory.salience, memory.reinforced_at, Performance.objects.exists()) == (0.5, None, False)


@pytest.mark.django_db(transaction=True)
def test_two_that_count_the_same_at_once_count_it_once() -> None:
    memory, witnesses = make_competence(), seen(SUCCESS, FAILURE)
    Performance.objects.create(memory=memory)
    counted = at_once(*[lambda: evidence.count(memory, witnesses, at=AT)] * 3)
    assert (sum(counted), record(memory)) == (2, (1, 1, 0))
