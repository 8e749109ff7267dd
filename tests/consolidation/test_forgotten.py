"""A skill that a person has forgotten is not learnt again from the runs that go on."""

import pytest

from consolidation.models import Sighting
from memories import forgetting
from memories.models import Memory, Tombstone
from memories.trust import everything
from tests.consolidation.experience import NOON, competence, consolidated, run
from tests.make import ANNA

pytestmark = pytest.mark.django_db


def test_more_runs_do_not_bring_back_what_a_person_forgot() -> None:
    for minute in range(2):
        run(["build", "lint"], minutes=minute)
    consolidated()
    forgetting.forget(competence("build+lint"), trust=everything(ANNA), at=NOON)
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
    forgetting.forget(competence("build+lint"), trust=everything(ANNA), at=NOON)
    Tombstone.objects.get().lift(by=ANNA, at=NOON)
    run(["lint", "build"], minutes=3)
    consolidated()
    assert competence("build+lint")
