"""A worker of the pattern rules may be killed at any moment: what is learned is what an undisturbed run learns."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.dying import Moment, die, frozen
from tests.journeys.forking import Forking
from tests.memos_site.processes import PATIENCE

pytestmark = pytest.mark.slow

MOMENTS = {
    "placed": Moment("consolidation.patterns.reading", "apply", 0),
    "half-counted": Moment("consolidation.patterns.counts", "GroupCounts.count", 30),
    "before-commit": Moment("consolidation.models.groups", "EventBatch.take", 1),
    "committed": Moment("consolidation.models.groups", "EventBatch.take", 2),
}

REPORT = """
from datetime import UTC, datetime, timedelta
from memories.intake import episodes
from memories.intake.reports import events
from memories.values.trust import everything
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
def told(source, n, **context):
    body = {{"source": source, "event_kind": "plugin_run", "ref": f"r{{n}}", "scope": {scope!r}, "context": context}}
    at = START + timedelta(hours=8 * n, minutes=int(source[1:]))
    return events.check(events.EventReport, {{**body, "timestamp": at.isoformat()}})
runs = []
for n in range(20):
    runs.append(told("P01", n, company="Acme Corp", category="action-required"))
    runs.append(told("P06", n, user_edited=True, edit_description="shorter", run_hour=8))
    runs.append(told("P21", n, entity_value=f"client {{n % 5}}"))
episodes.record_events(runs, trust=everything(), at=START)
"""

TOTALS = """
import io, json
from django.core.management import call_command
call_command("consolidate", kind="patterns", stdout=io.StringIO())
from consolidation.models.groups import EventBatch, RuleGroup, RuleSighting, RuleRetry
from consolidation.models import Run
from memories.models import Event, Memory
found = Memory.objects.live().filter(scope={scope!r}).exclude(key=None)
groups = RuleGroup.objects.filter(scope={scope!r})
print(json.dumps({{
    "memories": sorted([m.key, m.confidence, m.times_confirmed, m.status, m.evidence.count()] for m in found),
    "groups": sorted(groups.values_list("rule", "seen", "units", "base")),
    "sightings": RuleSighting.objects.filter(group__scope={scope!r}).count(),
    "unread": Event.objects.unruled().count() + RuleRetry.objects.count(),
    "in hand": sum(len(reading.events) for reading in EventBatch.objects.all()),
    "running": Run.objects.filter(status="running").count(),
}}))
"""


def learned(home: Forking, scope: str) -> dict[str, Any]:
    """What stands in a scope after one more run of the rules."""
    found: dict[str, Any] = json.loads(home.shell(TOTALS.format(scope=scope)))
    return found


@pytest.fixture(scope="module")
def undisturbed(home: Forking) -> dict[str, Any]:
    home.shell(REPORT.format(scope="undisturbed"))
    return learned(home, "undisturbed")


def test_an_undisturbed_run_learns_all_of_it(undisturbed: dict[str, Any]) -> None:
    keys = {row[0] for row in undisturbed["memories"]}
    assert {"p01-acmecorp-action-required", "pref-p06-shorter", "entity-client-4", "temporal-p06-8h"} <= keys
    assert "workflow-seq-p01-p06-p21" in keys
    assert (undisturbed["unread"], undisturbed["in hand"], undisturbed["running"]) == (0, 0, 0)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_killed_at_a_bad_moment_loses_and_doubles_nothing(
    home: Forking, undisturbed: dict[str, Any], moment: str
) -> None:
    home.shell(REPORT.format(scope=moment))
    die(home, MOMENTS[moment], 'call_command("consolidate", kind="patterns")')
    assert learned(home, moment) == undisturbed


@pytest.mark.parametrize("moment", ["placed", "committed"])
def test_a_worker_that_was_frozen_while_another_took_over_doubles_nothing(
    home: Forking, undisturbed: dict[str, Any], moment: str, tmp_path: Path
) -> None:
    scope = f"frozen-{moment}"
    home.shell(REPORT.format(scope=scope))
    with frozen(home, MOMENTS[moment], 'call_command("consolidate", kind="patterns")', tmp_path) as process:
        assert learned(home, scope) | {"running": 0} == undisturbed
    out, err = process.communicate()
    assert process.returncode == 1, out
    given_up = "its worker died; the next run goes on"  # where the other one has written so before it woke up
    assert "another one took over" in err or given_up in err
    assert learned(home, scope) == undisturbed


def test_two_workers_at_once_learn_what_one_would(home: Forking, undisturbed: dict[str, Any]) -> None:
    home.shell(REPORT.format(scope="two"))
    workers = [home.begin("consolidate", "--kind", "patterns") for _ in range(2)]
    outputs = [worker.communicate(timeout=PATIENCE) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], outputs
    assert learned(home, "two") == undisturbed
