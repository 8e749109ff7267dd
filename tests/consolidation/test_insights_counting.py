"""Daily counts: a job writes what the page of insights shows, of today and of the past."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from consolidation.insights import charts, day_counts, figures
from consolidation.insights.headline import headline
from consolidation.models import DailyCount, PlanShape
from consolidation.models.daily_counts import COUNTED, OTHER_SCOPES
from consolidation.models.worth import SkillOffer
from memories.intake import episodes
from memories.models import Episode, Injection, Memory
from memories.values.choices import ActorKind, Outcome, Sensitivity, Status, Type
from memories.values.trust import Actor, Trust, everything
from memos_site import review
from memos_site.review import decide_rows
from skills.models import SkillUse
from tests.deciding import propose
from tests.make import ANNA, AT, make_memory, make_run, make_skill, make_version

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
TODAY = AT.date()


def counts(name: str, day: date = TODAY) -> dict[str, int]:
    rows = DailyCount.objects.filter(name=name, day=day)
    return {label: sum(row.n for row in rows if row.label == label) for label in {row.label for row in rows}}


def stored(*, days_ago: int = 0, **facts: Any) -> Memory:
    at = AT - days_ago * DAY
    return make_memory(**{"created_at": at, "updated_at": at, "salience_at": at} | facts)


def test_a_day_that_is_over_is_counted_as_it_ended() -> None:
    kept = stored(days_ago=3, content="Acme pays in 30 days")
    stored(days_ago=3, content="Beta pays in 60 days")
    stored(days_ago=0, content="Gamma pays at once")
    kept.promote(by=ANNA, at=AT - DAY)
    assert day_counts.count(at=AT) == 4, "today and the three days since the first memory"
    assert counts("status", TODAY - 2 * DAY) == {"candidate": 2}, "before the decision"
    assert counts("status") == {"candidate": 2, "confirmed": 1}
    assert counts("arrived", TODAY - 3 * DAY) == {"": 2}
    assert counts("decided", TODAY - DAY) == {"taken": 1}
    assert counts("waiting", TODAY - 2 * DAY) == {"week": 2}
    assert counts("waiting") == {"day": 1, "week": 1}


def test_a_day_is_counted_again_until_it_is_over_and_then_no_more() -> None:
    stored()
    assert day_counts.count(at=AT) == 1
    stored(content="Another fact")
    assert day_counts.count(at=AT) == 1
    assert counts("arrived") == {"": 2}, "replaced, not added"
    assert day_counts.count(at=AT + DAY) == 2, "the rest of the day before, and today"
    assert day_counts.count(at=AT + DAY) == 1


def test_the_last_hour_of_a_day_on_which_clocks_go_back_is_counted_too(settings: Any) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    late = datetime(2026, 10, 25, 22, 30, tzinfo=UTC)  # 23:30 there: 24 and a half hours after the day began
    stored(created_at=late)
    assert day_counts.count(at=late) == 1
    stored(created_at=late + timedelta(minutes=15), content="Another fact")
    day_counts.count(at=late + DAY)
    assert counts("arrived", date(2026, 10, 25)) == {"": 2}


def test_a_queue_that_was_emptied_holds_nothing_and_has_shrunk() -> None:
    waited = [stored(days_ago=2, content=f"Customer {n} pays in {n} days") for n in range(3)]
    day_counts.count(at=AT - DAY)
    for memory in waited:
        memory.promote(by=ANNA, at=AT - timedelta(hours=1))
    day_counts.count(at=AT)
    found = headline(figures.read(everything(), at=AT, window=30), everything(), scope=None)
    assert (found.waiting, found.oldest, found.trend) == (0, "", "The queue shrinks by 2 a day.")


def test_work_that_runs_out_of_time_goes_on_with_the_next_job() -> None:
    stored(days_ago=5)
    assert day_counts.count(at=AT, should_stop=lambda: True) == 1, "today at least"
    assert counts("status") and not counts("status", TODAY - DAY)
    day_counts.count(at=AT)
    assert counts("status", TODAY - DAY) == {"candidate": 1}


def test_what_lies_ahead_and_the_histograms_are_of_today_only() -> None:
    stored(days_ago=1, confidence=45)
    run = make_run(at=AT - DAY)
    Memory.objects.filter(pk=run.pk).update(salience=0.0015, salience_at=AT, half_life=DAY.total_seconds())
    day_counts.count(at=AT)
    assert counts("confidence") == {"4": 1} and counts("confidence", TODAY - DAY) == {}
    assert counts("fades") == {"0": 1}, "within the first week"
    assert counts("salience") == {"0": 1, "9": 1} or sum(counts("salience").values()) == 2
    day_counts.count(at=AT + DAY)
    assert counts("confidence") == {} and counts("confidence", TODAY + DAY) == {"4": 1}


def test_uses_and_experience_are_no_knowledge() -> None:
    skill = make_skill()
    make_run()
    SkillUse.objects.create(skill=skill, agent="a", agent_identity="a", outcome="success", at=AT)
    day_counts.count(at=AT)
    assert counts("used") == {"success": 1}
    assert counts("status") == {"confirmed": 1}, "the episode is not counted"


def test_a_reader_sees_counts_of_scopes_and_levels_within_the_trust() -> None:
    stored(scope="project:a", sensitivity=Sensitivity.LOW)
    stored(scope="project:b", sensitivity=Sensitivity.HIGH, content="A secret")
    day_counts.count(at=AT)
    reader = Trust(Actor(ActorKind.AGENT, "a"), Sensitivity.MEDIUM, frozenset({"project:a"}))
    assert sum(row.n for row in DailyCount.objects.visible_to(reader).filter(name="status")) == 1
    everywhere = Trust(Actor(ActorKind.PERSON, "p"), Sensitivity.MEDIUM)
    assert sum(row.n for row in DailyCount.objects.visible_to(everywhere).filter(name="status")) == 1


def test_beyond_the_largest_scopes_the_others_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consolidation.models.daily_counts.MOST_SCOPES", 1)
    for n in range(2):
        stored(scope="project:large", content=f"Fact {n} of a large one")
    stored(scope="project:small", content="Of a small one")
    day_counts.count(at=AT)
    assert set(DailyCount.objects.exclude(name=COUNTED).values_list("scope", flat=True)) == {
        "project:large",
        OTHER_SCOPES,
    }
    reader = Trust(Actor(ActorKind.AGENT, "a"), Sensitivity.MEDIUM, frozenset({"project:small"}))
    assert not DailyCount.objects.visible_to(reader).filter(scope=OTHER_SCOPES).exists()


def test_plans_that_were_seen_once_do_not_wait() -> None:
    stored(type=Type.PLAN_GRAPH, status=Status.CANDIDATE)
    day_counts.count(at=AT)
    assert counts("waiting") == {"day": 1}, "one that somebody stored waits"


def test_what_agents_were_offered_is_counted_and_what_of_it_was_unreviewed() -> None:
    """By the mark that was kept with it: what became of a claim since changes nothing of what an agent read."""
    place = {"at": AT, "agent": "a", "task_sha256": b"x", "status": "ok", "sensitivity": 1}
    marks: list[list[bool]] = [[True, False], [False], []]
    for kept in marks:
        Injection.objects.create(items=[{"memory": "m", "unreviewed": mark} for mark in kept], **place)
    Injection.objects.create(items=[{"memory": "m"}], **place)  # of a version that did not tell
    stored()
    day_counts.count(at=AT)
    assert counts("offered") == {"reviewed": 2, "unreviewed": 1}
    chart = charts.CHARTS["offered"](figures.read(everything(), at=AT, window=30))
    assert [row.values[-1] for row in chart.series] == [2, 1]
    assert "1 of 3" in chart.note


def test_a_proposal_that_is_accepted_or_taken_back_is_one_decision() -> None:
    proposal, trust = propose(stored(status=Status.CONFIRMED)), everything(ANNA)
    batch = decide_rows.accept(trust, proposal.pk, at=AT)
    day_counts.count(at=AT)
    assert counts("decided") == {"taken": 1}
    review.undo(trust, batch, at=AT)
    day_counts.count(at=AT)
    assert counts("decided") == {"taken": 1, "undone": 1}


def test_verdicts_on_runs_without_an_outcome_are_counted_and_what_became_known_of_them_later() -> None:
    now = timezone.now()
    runs = [make_run(id=f"r{n}", at=now) for n in range(5)]
    told = make_run(id="told", outcome="failure", at=now)
    Episode.objects.update(verdict="high", risk=0.9, verdict_at=now)
    Episode.objects.filter(pk=runs[0].pk).update(verdict="low")
    Episode.objects.filter(pk=runs[1].pk).update(verdict="unknown")
    Episode.objects.filter(pk=told.pk).update(outcome_at=now - DAY)
    for run, outcome in ((runs[0], Outcome.SUCCESS), (runs[2], Outcome.FAILURE), (runs[3], Outcome.SUCCESS)):
        episodes.judge(Episode.objects.get(pk=run.pk), outcome, trust=everything(), at=now + timedelta(minutes=1))
    day_counts.count(at=now + timedelta(minutes=2))
    assert counts("verdicts", timezone.localdate(now)) == {"high": 3, "low": 1}
    chart = charts.CHARTS["verdicts"](figures.read(everything(), at=now, window=30))
    assert [row.values[-1] for row in chart.series] == [3, 0, 1]
    assert (
        "4 runs without a reported outcome resemble other runs: 3 have probably failed, 3 of them in the last week"
        in chart.note
    )
    assert "whose outcome is known, 1 of 2 failed" in chart.note and "likely to end well, 1 of 1 did" in chart.note


def test_runs_that_ended_are_counted_by_what_they_had_of_the_store() -> None:
    now = AT + DAY
    ends = ["success", "success", "failure", "failure", "success"]
    runs = [make_run(id=f"r{n}", outcome=end, thread_id=f"t{n}") for n, end in enumerate(ends)]
    make_run(id="partial", outcome="partial", thread_id="t0")
    Episode.objects.update(outcome_at=now)
    place = {"at": now, "agent": "a", "task_sha256": b"x", "status": "ok", "sensitivity": 1}
    Injection.objects.create(items=[{"memory": "m"}], thread_id="t0", **place)
    Injection.objects.create(items=[], thread_id="t3", **place)  # it found nothing
    scope = Episode.objects.get(pk=runs[1].pk).scope
    offer = {"memory": make_skill().memory, "version": 1, "scope": scope, "agent": "a", "at": now}
    SkillOffer.objects.create(thread_id="t1", withheld=False, **offer)
    SkillOffer.objects.create(thread_id="t2", withheld=True, **offer)
    day_counts.count(at=now + timedelta(minutes=1))
    day, source = timezone.localdate(now), Episode.objects.get(pk=runs[0].pk).source
    assert counts("with_well", day) == {source: 2} and counts("withheld_ill", day) == {source: 1}
    assert counts("without_ill", day) == {source: 1} and counts("without_well", day) == {source: 1}
    found = headline(figures.read(everything(), at=now, window=30), everything(), scope=None)
    assert (found.now.given.text, found.now.without.text, found.now.withheld.text) == ("2 of 2", "1 of 3", "0 of 1")
    assert [(one.name, one.runs) for one in found.by_agent] == [(source, 5)]


def test_a_run_without_a_thread_had_what_was_offered_to_its_episode() -> None:
    now = AT + DAY
    runs = [make_run(id=f"r{n}", outcome="success") for n in range(3)]
    Episode.objects.update(outcome_at=now)
    scope = Episode.objects.get(pk=runs[0].pk).scope
    offer = {"memory": make_skill().memory, "version": 1, "scope": scope, "agent": "a", "at": now}
    for run, withheld in ((runs[0], False), (runs[1], True)):
        SkillOffer.objects.create(episode_id=run.pk, withheld=withheld, **offer)
    day_counts.count(at=now + timedelta(minutes=1))
    ended = [
        sum(counts(name, timezone.localdate(now)).values()) for name in ("with_well", "withheld_well", "without_well")
    ]
    assert ended == [1, 1, 1]


def test_a_context_of_another_scope_counts_for_no_run_whose_thread_has_the_same_name() -> None:
    now = AT + DAY
    for scope in ("project:a", "project:b"):
        make_run(id=scope, outcome="success", thread_id="issue-1", scope=scope)
    Episode.objects.update(outcome_at=now)
    place = {"at": now, "agent": "a", "task_sha256": b"x", "status": "ok", "sensitivity": 1}
    Injection.objects.create(items=[{"memory": "m"}], thread_id="issue-1", scope="project:a", **place)
    day_counts.count(at=now + timedelta(minutes=1))
    ended = [sum(counts(name, timezone.localdate(now)).values()) for name in ("with_well", "without_well")]
    assert ended == [1, 1]


def test_sources_of_runs_beyond_the_largest_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consolidation.insights.flows.MOST_AGENTS", 1)
    now = AT + DAY
    for n, source in enumerate(["large", "large", "small", "smaller"]):
        make_run(id=f"r{n}", source=source, outcome="success")
    Episode.objects.update(outcome_at=now)
    day_counts.count(at=now + timedelta(minutes=1))
    assert counts("without_well", timezone.localdate(now)) == {"large": 2, "*": 2}


def test_what_waits_is_counted_by_the_rule_of_the_queue() -> None:
    learned = stored(type=Type.PLAN_GRAPH, status=Status.CANDIDATE)
    PlanShape.objects.create(scope="", sensitivity=1, sha256=b"x", steps="a", graph={}, cases=9, memory=learned)
    stored(content="Acme pays late", snoozed_until=AT + DAY)
    stored(content="Acme pays early", snoozed_until=AT - DAY)
    proposed = make_skill(published=True)
    make_version(proposed)
    make_skill("send-letter", published=False)
    propose(stored(content="Globex pays late", status=Status.CONFIRMED))
    day_counts.count(at=AT)
    waiting = review.kinds(everything(), at=AT)
    assert sum(counts("waiting").values()) == sum(waiting.values()) == 4, waiting
