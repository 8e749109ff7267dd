"""Figures: what each counts, within the caller's trust, by the same number of questions however much there is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import metrics
from memories.metrics import snapshots
from memories.models import AuditEntry, Injection, Memory, MetricSnapshot, Performance, Proposal
from memories.models.audit import REVISIONS
from memories.values.choices import Status, Type
from memories.values.trust import Trust, everything
from tests.make import ANNA, AT, make_memory, make_run
from tests.memories.revising import agent, ask, own
from tests.plans import new_tables, plan_of_sql

pytestmark = pytest.mark.django_db
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOW = AT + 40 * DAY


def figures(**trust: Any) -> dict[str, Any]:
    return metrics.collect(agent(**trust) if trust else everything(), at=NOW)


def given(*memories: Memory, at: datetime, **facts: Any) -> None:
    items = [{"memory": str(memory.pk), "why": "", "score": 1.0} for memory in memories]
    plain = {"agent": "P01", "task_sha256": b"x", "status": "ok", "sensitivity": 1}
    Injection.objects.create(items=items, at=at, **plain | facts)


def test_an_empty_store_has_no_rates() -> None:
    shown = figures()
    assert (shown["total_records"], shown["inbox"]) == (0, {"waiting": 0, "oldest_at": None})
    rates = [name for name in shown if name.endswith(("_rate", "_usefulness", "_frequency")) or name.startswith("avg")]
    assert len(rates) == 8
    assert {shown[name] for name in rates} == {None}


def test_memories_are_counted_by_type_status_category_and_sensitivity() -> None:
    make_memory(status="confirmed", category="fact", sensitivity=0)
    make_memory(status="retracted", category="fact")
    make_memory(type=Type.WORKING, status="confirmed", thread_id="t")
    make_memory(expires_at=NOW - HOUR)
    shown = figures()
    assert shown["total_records"] == 3
    assert shown["records_by_type"] == {
        "episodic": 0,
        "semantic": 2,
        "working": 1,
        "competence": 0,
        "plan_graph": 0,
    }
    assert (shown["records_by_status"]["confirmed"], shown["records_by_status"]["retracted"]) == (2, 1)
    assert (shown["records_by_category"]["fact"], shown["records_by_category"]["contact"]) == (2, 0)
    assert shown["records_by_sensitivity"] == {"public": 1, "low": 2, "medium": 0, "high": 0, "hyper": 0}


def test_salience_is_that_of_now_and_only_what_is_live_is_active() -> None:
    now: dict[str, Any] = {"salience_at": NOW, "created_at": NOW}
    make_memory(salience=1.0, confidence=100, **now)
    make_memory(salience=0.55, confidence=35, pinned=True, **now)
    make_memory(salience=1.0, confidence=5, half_life=3600)  # faded since
    make_memory(salience=1.0, confidence=90, status="dismissed", pinned=True, **now)
    shown = figures()
    assert (shown["active_records"], shown["pinned_records"]) == (2, 1)
    assert shown["avg_salience"] == pytest.approx((1.0 + 0.55) / 3, abs=1e-6)
    assert shown["avg_confidence"] == pytest.approx(140 / 3)
    salience, confidence = shown["salience_distribution"], shown["confidence_distribution"]
    assert {name: n for name, n in salience.items() if n} == {"0.0-0.1": 1, "0.5-0.6": 1, "0.9-1.0": 1}
    assert {name: n for name, n in confidence.items() if n} == {"0-9": 1, "30-39": 1, "90-100": 1}
    assert (len(salience), [*confidence][8:]) == (10, ["80-89", "90-100"])


def test_growth_is_the_share_that_came_in_the_last_day() -> None:
    for age in (HOUR, 3 * DAY, 20 * DAY, 35 * DAY):
        make_memory(created_at=NOW - age)
    shown = figures()
    assert shown["created"] == {"last_24_hours": 1, "last_7_days": 2, "last_30_days": 3}
    assert shown["memory_growth_rate"] == 0.25


def test_a_revision_counts_once_however_many_memories_it_moved() -> None:
    late = NOW - DAY
    rows = [own(name, created_at=late) for name in ("a", "b", "c", "d")]
    ask("merge", *rows[:3], content="abc", at=late)
    ask("retract", rows[3], at=late)
    old = own("e", created_at=AT)
    ask("retract", old, at=AT)  # too long ago
    shown = figures()
    assert shown["created"]["last_30_days"] == 5
    assert shown["revision_rate"] == 2 / 5
    assert shown["audit_last_30_days"] == {"entries": 5, "reinforcements": 0, "losses": 0}


def test_a_retrieval_is_useful_when_what_it_gave_was_reinforced_afterwards() -> None:
    before, after, never = (make_memory(name) for name in ("a", "b", "c"))
    given(before, after, at=NOW - 3 * HOUR)
    given(never, at=NOW - 3 * HOUR)
    given(at=NOW - HOUR)
    given(after, at=NOW - HOUR)
    Memory.objects.filter(pk=before.pk).update(reinforced_at=NOW - 4 * HOUR)
    Memory.objects.filter(pk=after.pk).update(reinforced_at=NOW - 2 * HOUR)
    shown = figures()
    assert (shown["retrievals"], shown["retrieval_hit_rate"]) == (4, 0.75)
    assert shown["retrieval_usefulness"] == pytest.approx(1 / 3)


def test_success_is_summed_over_all_uses_and_not_averaged_over_skills() -> None:
    for good, bad, status in ((9, 1, "confirmed"), (0, 0, "confirmed"), (0, 2, "candidate"), (0, 99, "retracted")):
        skill = make_memory(type=Type.COMPETENCE, status=status)
        Performance.objects.create(memory=skill, successes=good, failures=bad, partials=7)
    for times in (3, 0):
        plan = make_memory(type=Type.PLAN_GRAPH)
        Performance.objects.create(memory=plan, successes=times, failures=1, partials=1)
    shown = figures()
    assert shown["competence_success_rate"] == 9 / 12
    assert shown["plan_reuse_frequency"] == 7 / 2


def test_what_waits_is_knowledge_that_nobody_has_snoozed_and_open_proposals() -> None:
    candidate = make_memory(created_at=NOW - DAY)
    make_memory(snoozed_until=NOW + DAY)
    make_memory("b", status="confirmed")
    make_run()
    told: dict[str, Any] = {"by": ANNA, "why": "", "sensitivity": 1}
    Proposal.objects.propose(Proposal.Kind.REVISION, candidate, {"verb": "retract"}, at=NOW - 2 * DAY, **told)
    assert figures()["inbox"] == {"waiting": 2, "oldest_at": NOW - 2 * DAY}


def test_tombstones_and_adaptations_are_those_that_stand() -> None:
    for category in ("preference", "workflow"):
        make_memory(category, category=category).promote(to=Status.APPLIED, by=ANNA, at=AT)
    gone = Memory.objects.filter(category="workflow").get()
    gone.dismiss(by=ANNA, why="wrong", at=AT)
    shown = figures()
    assert (shown["active_adaptations"], shown["tombstones"]) == (1, {"standing": 1, "hits": 0})


def everything_once(**facts: Any) -> None:
    row = make_memory(category="preference", **facts)
    row.promote(to=Status.APPLIED, by=ANNA, at=NOW - DAY)
    given(row, at=NOW - HOUR, **facts)
    make_memory("b", **facts).dismiss(by=ANNA, why="wrong", at=NOW - DAY)
    waiting = make_memory("c", **facts)
    told: dict[str, Any] = {"by": ANNA, "why": "", "sensitivity": facts["sensitivity"]}
    Proposal.objects.propose(Proposal.Kind.REVISION, waiting, {"verb": "retract"}, at=NOW - 2 * DAY, **told)
    Performance.objects.create(memory=make_memory("d", type=Type.COMPETENCE, **facts), successes=1)


def test_what_the_caller_may_not_see_moves_no_figure() -> None:
    alpha: dict[str, Any] = {"max_sensitivity": 1, "scopes": frozenset({"project:alpha"})}
    everything_once(scope="project:alpha", sensitivity=1)
    before = figures(**alpha)
    assert before["total_records"] == 4
    everything_once(scope="project:alpha", sensitivity=2)
    everything_once(scope="project:beta", sensitivity=1)
    assert figures(**alpha) == before
    assert set(before["records_by_sensitivity"]) == {"public", "low"}


def test_more_memories_are_not_more_questions() -> None:
    with CaptureQueriesContext(connection) as few:
        figures()
    for scope in ("project:a", "project:b", "project:c"):
        everything_once(scope=scope, sensitivity=1)
    with CaptureQueriesContext(connection) as many:
        figures()
    assert (len(few), len(many)) == (17, 18)


@pytest.mark.parametrize(
    "trust",
    [
        everything(),
        agent(max_sensitivity=1),
        agent(max_sensitivity=3, scopes=frozenset({"project:alpha"})),
        agent(max_sensitivity=1, scopes=frozenset({"project:alpha", "project:beta"})),
        agent(max_sensitivity=4, scopes=frozenset({"project:unknown"})),
    ],
    ids=["everything", "low", "of one scope", "of two scopes", "of a scope without memories"],
)
def test_a_snapshot_tells_each_caller_what_counting_would_tell(trust: Trust) -> None:
    for scope, sensitivity in (("project:alpha", 1), ("project:alpha", 2), ("project:beta", 1), ("", 0)):
        everything_once(scope=scope, sensitivity=sensitivity)
    counted = metrics.collect(trust, at=NOW)
    snapshots.take(at=NOW)
    with CaptureQueriesContext(connection) as queries:
        read = metrics.collect(trust, at=NOW)
    assert read == counted | {"avg_salience": pytest.approx(counted["avg_salience"])}
    assert not [query["sql"] for query in queries if "salience_bucket" in query["sql"]]


def test_figures_of_a_snapshot_say_when_it_was_taken_and_follow_the_next_one() -> None:
    make_memory("a")
    snapshots.take(at=NOW)
    make_memory("b")
    later = NOW + timedelta(minutes=5)
    shown = metrics.collect(everything(), at=later)
    assert (shown["total_records"], shown["collected_at"]) == (1, NOW)
    snapshots.take(at=later)
    shown = metrics.collect(everything(), at=later)
    assert (shown["total_records"], shown["collected_at"]) == (2, later)
    assert MetricSnapshot.objects.count() == 1


def test_without_a_worker_an_old_snapshot_is_not_told() -> None:
    snapshots.take(at=NOW - timedelta(hours=1))
    make_memory("a")
    assert (figures()["total_records"], figures()["collected_at"]) == (1, NOW)


def test_only_a_large_store_has_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not metrics.refresh(at=NOW)
    monkeypatch.setattr(snapshots, "LARGE", 0)
    assert metrics.refresh(at=NOW)
    monkeypatch.setattr(snapshots, "LARGE", 1_000_000)
    assert not metrics.refresh(at=NOW)
    assert not MetricSnapshot.objects.exists()


@pytest.mark.parametrize(
    ("age", "changes", "due"),
    [(1, 7, False), (14 * 60, 7, False), (15 * 60, 7, True), (29, 8, False), (30, 8, True)],
)
def test_a_store_is_counted_after_a_change_but_for_a_tenth_of_the_time(age: int, changes: int, due: bool) -> None:
    last = MetricSnapshot(at=NOW, changes=7, seconds=3.0)
    assert snapshots._is_due(last, changes, at=NOW + timedelta(seconds=age)) == due


def test_revisions_are_counted_by_an_index_of_them() -> None:
    new_tables(AuditEntry)
    query = "SELECT count(*) FROM memories_auditentry WHERE action IN ({}) AND subject_kind = 'memory' AND at > now()"
    plan = plan_of_sql(query.format(", ".join(f"'{action}'" for action in REVISIONS)))
    assert "audit_of_revisions" in plan
