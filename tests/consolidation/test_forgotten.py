"""A skill that a person has forgotten or dismissed is not learnt again from the runs that go on."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from consolidation.models import Sighting
from consolidation.pipelines import competence_writing
from memories import lifecycle
from memories.models import Memory, Tombstone
from memories.values.trust import SYSTEM, everything
from memos_site import review
from skills.models import SkillVersion
from tests.consolidation.experience import NOON, competence, consolidated, run
from tests.consolidation.test_consolidating import BUILD, SIGNATURE, failing_build
from tests.make import ANNA

pytestmark = pytest.mark.django_db


def test_more_runs_do_not_bring_back_what_a_person_forgot() -> None:
    for minute in range(2):
        run(["build", "lint"], minutes=minute)
    consolidated()
    lifecycle.forget(competence("build+lint"), trust=everything(ANNA), at=NOON)
    for minute in range(3, 6):
        run(["lint", "build"], minutes=minute)
    done = consolidated()
    assert done.counters["suppressed"] >= 3
    assert not Memory.objects.filter(type="competence").exists()
    assert Tombstone.objects.get().hits >= 1
    assert not Sighting.objects.uncounted().exists()


def test_it_is_learnt_again_when_the_tombstone_is_lifted() -> None:
    for minute in range(2):
        run(["build", "lint"], minutes=minute)
    consolidated()
    lifecycle.forget(competence("build+lint"), trust=everything(ANNA), at=NOON)
    Tombstone.objects.get().lift(by=ANNA, at=NOON)
    run(["lint", "build"], minutes=3)
    consolidated()
    assert competence("build+lint")


def test_what_is_dismissed_between_learning_and_writing_gets_no_version_and_no_evidence() -> None:
    for minute in range(3):
        run(BUILD, minutes=minute)
    consolidated()
    memory = competence(SIGNATURE)
    review.decide(everything(ANNA), memory.pk, "promote", at=NOON)
    versions, evidence, prepare = SkillVersion.objects.count(), memory.evidence.count(), competence_writing.prepare
    for minute in range(5, 15):
        run([*BUILD, "go_test"], minutes=minute, messages=failing_build())

    def prepare_slowly(*args: Any, **more: Any) -> Any:
        prepared = prepare(*args, **more)
        assert prepared is not None
        Memory.objects.get(pk=memory.pk).dismiss(by=ANNA, why="wrong", at=NOON)
        return prepared

    with patch.object(competence_writing, "prepare", prepare_slowly):
        done = consolidated(at=NOON + timedelta(hours=2))
    assert "versions_proposed" not in done.counters
    assert (SkillVersion.objects.count(), memory.evidence.count()) == (versions, evidence)
    assert consolidated(at=NOON + timedelta(hours=3)).counters["suppressed"] == 10


def test_a_run_of_a_dismissed_skill_is_suppressed_once() -> None:
    run(BUILD)
    run(BUILD, minutes=1)
    consolidated()
    memory = competence(SIGNATURE)
    memory.dismiss(by=SYSTEM, why="noise", at=NOON)
    run(BUILD, minutes=2)
    assert consolidated(at=NOON + timedelta(hours=2)).counters["suppressed"] == 1
    run(BUILD, minutes=3)
    assert consolidated(at=NOON + timedelta(hours=3)).counters["suppressed"] == 1
    memory.restore(by=SYSTEM, at=NOON + timedelta(hours=4))
    run(BUILD, minutes=4)
    consolidated(at=NOON + timedelta(hours=5))
    assert competence(SIGNATURE).performance.successes == 5
