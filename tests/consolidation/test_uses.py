"""What agents report of their uses and what consolidation reads from their runs is counted once together."""

from datetime import timedelta

import pytest

from memories.intake import episodes
from memories.intake.reports.events import OutcomeReport, check
from memories.models import Memory, Performance
from memories.values.choices import Outcome
from memos_site import review
from skills import outcomes
from skills.models import Skill
from skills.outcomes import Use
from tests.consolidation.experience import AGENT, NOON, consolidated, run

pytestmark = pytest.mark.django_db
BUILD = ["go_test", "go_build", "lint"]


def published() -> Skill:
    for minute in range(2):
        run(BUILD, minutes=minute)
    consolidated()
    memory = Memory.objects.filter(type="competence").order_by("created_at", "pk")[0]
    review.decide(AGENT, memory.pk, "promote", at=NOON + timedelta(hours=2))
    return Skill.objects.select_related("memory").get(pk=memory.pk)


def use(skill: Skill, outcome: Outcome, episode: Memory) -> None:
    outcomes.report(skill, Use(outcome, episode_id=episode.pk), trust=AGENT, at=NOON + timedelta(hours=3))


def record(skill: Skill) -> tuple[int, int]:
    row = Performance.objects.get(memory=skill.pk)
    return row.successes, row.failures


def test_a_run_that_was_reported_and_is_then_read_counts_once() -> None:
    skill = published()
    before = record(skill)
    use(skill, Outcome.SUCCESS, run(BUILD, minutes=10))
    consolidated(at=NOON + timedelta(hours=4))
    assert record(skill) == (before[0] + 1, before[1])


def test_a_use_of_a_run_that_was_read_says_how_it_ended() -> None:
    skill, episode = published(), run(BUILD, minutes=10)
    consolidated(at=NOON + timedelta(hours=4))
    before = record(skill)
    use(skill, Outcome.FAILURE, episode)
    assert record(skill) == (before[0] - 1, before[1] + 1)


def test_the_time_that_an_outcome_tells_is_the_time_of_the_run() -> None:
    skill, episode = published(), run(BUILD, None, minutes=10)
    told = {"source": "ci", "target_record_id": str(episode.pk), "outcome_status": "success", "latency_ms": 1200}
    episodes.outcome(check(OutcomeReport, told), trust=AGENT, at=NOON + timedelta(hours=3))
    consolidated(at=NOON + timedelta(hours=4))
    assert Performance.objects.get(memory=skill.pk).avg_latency_ms == 1200
