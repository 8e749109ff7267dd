"""A version that a person rejected stays rejected, however many runs go on to work that way."""

from datetime import timedelta

import pytest

from memos_site import review
from tests.consolidation.experience import AGENT, NOON, competence, consolidated, run
from tests.consolidation.test_consolidating import BUILD, SIGNATURE, failing_build

pytestmark = pytest.mark.django_db


def test_a_way_of_working_that_a_person_rejected_is_not_proposed_again() -> None:
    for minute in range(3):
        run(BUILD, minutes=minute)
    consolidated()
    skill = competence(SIGNATURE)
    review.decide(AGENT, skill.pk, "promote", at=NOON)
    for minute in range(5, 15):
        run([*BUILD, "go_test"], "success", minutes=minute, messages=failing_build())
    consolidated(at=NOON + timedelta(hours=2))
    rejected = review.decide(AGENT, skill.pk, "reject", at=NOON + timedelta(hours=3), why="wrong")
    for minute in range(20, 24):
        run([*BUILD, "go_test"], "success", minutes=minute, messages=failing_build())
    done = consolidated(at=NOON + timedelta(hours=4))
    assert done.counters["competences_reinforced"] == 1
    assert "versions_proposed" not in done.counters
    assert [version.status for version in competence(SIGNATURE).skill.versions.all()] == ["rejected", "published"]
    review.undo(AGENT, rejected.batch, at=NOON + timedelta(hours=5))
    proposed = competence(SIGNATURE).skill.proposed
    assert proposed is not None and proposed.number == 2
