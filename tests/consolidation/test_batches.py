"""A batch of new episodes is read once and counted in a few statements, whatever ways of working it holds."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation.guidance import profiling
from consolidation.models import Pattern
from consolidation.models.profiles import RunProfile
from consolidation.pipelines import sightings
from tests.consolidation.experience import NOON, run

pytestmark = pytest.mark.django_db
EVENTS = 'FROM "memories_event"'


def statements(tools: list[list[str]], scope: str) -> list[str]:
    """What digesting and profiling these runs asks of the database."""
    for minute, used in enumerate(tools):
        run(used, scope=scope, minutes=minute)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        counters = sightings.digest(scope, at=NOON, after=(profiling.write,))
    assert (counters["episodes_read"], counters["profiles_written"]) == (len(tools), len(tools))
    return [query["sql"] for query in captured]


def test_many_ways_of_working_in_a_batch_cost_as_many_statements_as_one() -> None:
    one = statements([["build_0"]] * 12, "project:one")
    many = statements([[f"build_{n}"] for n in range(12)], "project:many")
    assert Pattern.objects.filter(scope="project:many").count() == 12
    assert len(many) == len(one)


def test_the_runs_of_a_batch_are_read_in_the_two_transactions_that_learn_from_them() -> None:
    read = [sql for sql in statements([["build"]] * 5, "project:one") if EVENTS in sql and "result" in sql]
    assert len(read) == 2


def test_a_batch_holds_no_more_events_than_fit_and_at_least_one_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    for minute, calls in enumerate([1, 1, 9, 1, 1, 1]):
        run(["build"] * calls, minutes=minute)
    monkeypatch.setattr(sightings, "BATCH_EVENTS", 5)  # a call with its result is one event, the wish another
    sizes: list[int] = []
    sightings.digest("project:acme", at=NOON, checkpoint=lambda done, _: sizes.append(done))
    assert sizes == [2, 1, 2, 1]


def test_a_profile_keeps_names_as_the_run_gave_them_and_is_replaced_with_its_outcome() -> None:
    odd = ['say "hi"', "back\\slash", "a,{b}", "NULL"]
    memory = run(odd, "failure")
    sightings.digest("project:acme", at=NOON, after=(profiling.write,))
    first = RunProfile.objects.get(pk=memory.pk)
    assert (sorted(first.effects), first.outcome) == (sorted(odd), "failure")
    first.outcome = "success"
    RunProfile.objects.put([first])
    assert RunProfile.objects.get(pk=memory.pk).outcome == "success"
    assert list(RunProfile.objects.get(pk=memory.pk).vector) == list(first.vector)
