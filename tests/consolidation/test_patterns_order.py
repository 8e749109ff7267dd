"""Whoever reads, in whatever order and in batches of any size, through indexes only: the same is learned."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consolidation import pattern_run
from consolidation.models import Run
from consolidation.models.groups import PluginRun, RuleGroup, RuleRetry
from memories.models import Event, Evidence, Memory
from tests.at_once import at_once
from tests.consolidation.plugins import (
    ACME,
    EMAIL,
    LATER,
    MORNING,
    days,
    found,
    keys,
    ran,
    ran_all,
    reported,
    ruled,
    seen_thrice,
)
from tests.plans import new_tables

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_come_to_what_one_comes_to() -> None:
    for n in range(30):
        other = reported("P06", MORNING + days(n) + timedelta(minutes=5), run_hour=8, scope=f"project:{n % 2}")
        ran_all([reported("P01", MORNING + days(n), **EMAIL), other])
    done = at_once(
        *(lambda: pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=LATER) for _ in range(2))
    )
    assert [run and run.status for run in done] == ["succeeded", "succeeded"]
    assert sum(run.counters["events_read"] for run in done if run) == 60
    memory = found(ACME)
    assert Evidence.objects.filter(memory=memory).count() == 30
    assert memory.times_confirmed == 27
    assert keys("temporal") == {"temporal-p06-8h", "temporal-p01-9h"}


EDITS = st.lists(st.tuples(st.integers(0, 20), st.sampled_from("ab"), st.booleans()), min_size=1, max_size=8)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), EDITS)
def test_the_order_in_which_batches_come_does_not_change_what_is_counted(db, data, story) -> None:  # type: ignore[no-untyped-def]
    """Sessions lie a day apart; a pause is a run of the rules in between."""
    outcomes = []
    for number, order in enumerate((story, data.draw(st.permutations(story)))):
        scope = f"project:{number}"
        for day, edit, pause in order:
            ran(at=MORNING + days(day), scope=scope, user_edited=True, edit_description=edit)
            if pause:
                ruled()
        ruled()
        groups = RuleGroup.objects.filter(scope=scope, rule="override").order_by("seen", "units")
        found = Memory.objects.live().filter(scope=scope, key__startswith="pref").order_by("key")
        counts = list(groups.values_list("seen", "units"))
        outcomes.append((counts, [(m.key, m.evidence.exists()) for m in found]))
    assert outcomes[0] == outcomes[1]
    for table in (RuleGroup, PluginRun, RuleRetry):
        table.objects.all().delete()
    Memory.objects.all().delete()


def test_what_a_batch_teaches_does_not_depend_on_its_size() -> None:
    story = [("P01", n, EMAIL) for n in range(6)] + [("P06", n, {"run_hour": 8}) for n in range(7)]
    for scope in ("project:whole", "project:single"):
        for source, day, context in sorted(story, key=lambda one: (one[1], one[0])):
            ran(source, MORNING + days(day) + timedelta(minutes=int(source[1:])), scope=scope, **context)
            if scope == "project:single":
                ruled()
    ruled()
    told = Memory.objects.live().exclude(key=None).values_list("key", "confidence", "times_confirmed")
    left = [sorted(told.filter(scope=scope)) for scope in ("project:whole", "project:single")]
    assert left[0] == left[1]
    assert len(left[0]) == 4


def test_what_a_batch_asks_is_answered_by_indexes() -> None:
    new_tables(Event, RuleGroup, PluginRun, RuleRetry)
    seen_thrice()
    first = Event.objects.earliest("at")
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as asked:
        cursor.execute("SET LOCAL enable_seqscan = off")  # small tables are read whole whatever stands beside them
        list(Event.objects.unruled((first.at, first.pk)))
        ran(at=MORNING + days(4), **EMAIL)
        ruled()
    sent = [query["sql"] for query in asked if query["sql"].lstrip().startswith("SELECT")]
    reads = [sql for sql in sent if "$1" not in sql]  # prepared ones have their parameters beside them
    with connection.cursor() as cursor:
        plans = []
        for sql in reads:
            cursor.execute("EXPLAIN " + sql)
            plans.append("\n".join(row[0] for row in cursor.fetchall()))
    assert any("event_unruled" in plan for plan in plans)
    for name in ("event", "rulesighting", "pluginrun", "rulegroup"):
        scans = [plan for plan in plans if re.search(rf"Seq Scan on \w+_{name}\b", plan)]
        assert scans == []
