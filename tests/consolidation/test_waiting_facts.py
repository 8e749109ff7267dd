"""Which facts about commands a person is asked about: those that say what nobody would have tried first."""

from datetime import timedelta

import pytest

from consolidation.models.commands import CommandFact
from memories.models import Memory
from memories.values.choices import ActorKind, Status
from memories.values.trust import Actor, everything
from memos_site import review
from tests.consolidation.experience import NOON
from tests.consolidation.test_command_facts import DOES_NOT, PASSED, STARTS, commands, digested, facts

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
PYTEST = ("pytest -q tests", PASSED)


def asked() -> set[str]:
    """The places of the facts that wait, by both ways in which the queue is read."""
    at = NOON + timedelta(days=60)
    waiting = set(review.waiting_memories(everything(PERSON), at=at, kind="semantic").values_list("pk", flat=True))
    part = review.waiting_parts(everything(PERSON), at=at, kind="semantic")["semantic"]
    assert waiting == set(part.values_list("pk", flat=True))
    return set(CommandFact.objects.filter(memory__in=waiting).values_list("place", flat=True))


def runs_of(repository: str, *line: tuple[str, str]) -> None:
    for one in line:
        for _ in range(4):
            commands(one, repository=repository)


def test_what_starts_as_elsewhere_is_kept_and_what_starts_otherwise_waits() -> None:
    for repository in ("astropy", "flask", "sklearn"):
        runs_of(repository, PYTEST)
    runs_of("django", ("python tests/runtests.py", PASSED))
    runs_of("sympy", STARTS, DOES_NOT)
    digested()
    assert len(facts()) == 5
    assert asked() == {"django", "sympy"}


def test_where_nothing_is_known_of_other_places_a_person_is_asked_until_it_is() -> None:
    runs_of("sklearn", PYTEST)
    digested()
    assert asked() == {"sklearn"}
    runs_of("flask", PYTEST)
    digested()
    assert asked() == set()


def test_two_ways_that_start_in_as_many_places_are_both_usual() -> None:
    for repository, line in (("a1", PYTEST), ("a2", PYTEST), ("b1", STARTS), ("b2", STARTS)):
        runs_of(repository, line)
    digested()
    assert asked() == {"a1", "a2", "b1", "b2"}, "elsewhere the other way starts in one place more"
    runs_of("a3", PYTEST)
    digested()
    assert asked() == {"b1", "b2"}


def test_what_is_more_secret_does_not_tell_what_is_usual() -> None:
    runs_of("sklearn", PYTEST)
    for _ in range(4):
        commands(PYTEST, repository="flask", sensitivity="high")
    digested()
    assert asked() == {"sklearn"}


def test_a_decision_holds_whatever_becomes_usual() -> None:
    runs_of("sklearn", PYTEST)
    digested()
    (fact,) = facts()
    fact.revise("contest", {"status": Status.CONTESTED}, by=PERSON, why="is it?", at=NOON)
    runs_of("flask", PYTEST)
    digested()
    assert asked() == {"sklearn"}
    assert Memory.objects.get(pk=fact.pk).status == Status.CONTESTED
