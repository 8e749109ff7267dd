"""What goes wrong with one event or one rule stays there; scopes, secrets and late events are where they belong."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError

from consolidation import pattern_run, set_aside
from consolidation.models import Run
from consolidation.models.groups import EventBatch, RuleRetry
from consolidation.patterns import applying, sessions
from consolidation.patterns.sessions import ReportedRun
from memories import lifecycle
from memories.models import Event, Memory, Tombstone
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, everything
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
    stands,
)
from tests.make import ANNA, make_memory

pytestmark = pytest.mark.django_db


def failed() -> Run:
    done = pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=LATER)
    assert done is not None
    assert done.status == Run.Status.FAILED
    return done


def unread_events() -> int:
    return Event.objects.unruled().count()


def test_a_rule_that_raises_stops_neither_the_others_nor_the_other_events() -> None:
    real = ReportedRun.user_edited.fget  # type: ignore[attr-defined]

    def poisoned(self: ReportedRun) -> bool:
        if self.text("edit_description") == "poison":
            raise ValueError("an edit makes no sense")
        return bool(real(self))

    for n in range(3):
        ran(at=MORNING + days(n), user_edited=True, edit_description="poison" if n == 1 else "shorter", **EMAIL)
    with patch.object(ReportedRun, "user_edited", property(poisoned)):
        done = failed()
        assert keys() == {ACME, "pref-p01-shorter"}
        assert unread_events() == 0
        assert done.error == "override: ValueError: each is tried again"
        for _ in range(2):
            failed()
        left = RuleRetry.objects.set_aside().get()
        assert (left.rule, left.attempts, left.error) == ("override", 3, "ValueError: an edit makes no sense")
        assert ruled().counters == {"events_read": 0, "set_aside": 1}
    assert set_aside.retry(pattern_run.KIND, everything()) == 1
    ruled()
    assert not RuleRetry.objects.exists()
    assert stands(ACME) == (20, 0)


def test_a_fault_of_the_database_leaves_the_events_in_the_queue() -> None:
    for n in range(3):
        ran(at=MORNING + days(n), **EMAIL)
    with patch.object(applying, "GroupCounts", side_effect=OperationalError("deadlock detected")):
        for _ in range(4):
            failed()
    assert (unread_events(), RuleRetry.objects.count()) == (3, 0)
    ruled()
    assert stands(ACME) == (20, 0)


def test_of_a_worker_that_dies_again_and_again_only_the_event_that_kills_it_is_set_aside() -> None:
    ran(at=MORNING, **EMAIL)
    deadly = Event.objects.get(episode=ran(at=MORNING + days(1), company="Deadly", category="x").pk)
    for n in range(2, 4):
        ran(at=MORNING + days(n), **EMAIL)
    assign = sessions.assign

    def dying(runs: Sequence[ReportedRun]) -> list[ReportedRun]:
        if deadly.pk in {run.event_id for run in runs}:
            raise KeyboardInterrupt
        return assign(runs)

    with patch.object(sessions, "assign", dying):
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=LATER)
        done = failed()
    assert "died three times" in done.error
    assert (unread_events(), stands(ACME)) == (0, (20, 0))
    assert RuleRetry.objects.set_aside().get().event_id == deadly.pk
    assert EventBatch.objects.get().events == []


def test_scopes_are_never_mixed() -> None:
    for n in range(3):
        ran(at=MORNING + days(n), scope=f"project:{n}", **EMAIL)
    for n in range(3):
        ran(at=MORNING + days(n), scope="project:one", **EMAIL)
    ruled()
    assert list(Memory.objects.filter(key=ACME).values_list("scope", flat=True)) == ["project:one"]


def test_a_pattern_is_as_secret_as_the_most_secret_of_its_runs_even_when_that_is_gone() -> None:
    secret = ran(at=MORNING, sensitivity="high", **EMAIL)
    ran(at=MORNING + days(1), **EMAIL)
    ruled()
    lifecycle.forget(secret, trust=everything(ANNA), at=LATER)
    ran(at=MORNING + days(2), **EMAIL)
    ruled()
    memory = found(ACME)
    assert memory.sensitivity == Sensitivity.HIGH
    assert sorted(evidence.episode_id is None for evidence in memory.evidence.all()) == [False, False, True]


def test_a_more_secret_confirmation_raises_it() -> None:
    seen_thrice()
    ran(at=MORNING + days(3), sensitivity="hyper", **EMAIL)
    ruled()
    memory = found(ACME)
    assert memory.sensitivity == Sensitivity.HYPER


def test_words_that_a_person_edited_are_confirmed_and_kept() -> None:
    memory = seen_thrice()
    memory.edit({"content": "Answer Acme within 2 days"}, by=ANNA, at=LATER)
    ran(at=MORNING + days(4), **EMAIL)
    ruled()
    memory.refresh_from_db()
    assert (memory.content, memory.confidence) == ("Answer Acme within 2 days", 35)
    assert not memory.proposals.exists()


def test_what_an_agent_said_under_that_key_is_not_taken_for_the_rules_own() -> None:
    said = make_memory("Never mark Acme as action-required", key=ACME, scope="project:acme", status="confirmed")
    for n in range(4):
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    said.refresh_from_db()
    assert (said.content, said.times_confirmed) == ("Never mark Acme as action-required", 0)
    assert said.proposals.count() == 1


@pytest.mark.parametrize("kind", [ActorKind.PERSON, ActorKind.AGENT])
def test_what_was_forgotten_by_a_person_stays_away_and_by_its_agent_begins_anew(kind: ActorKind) -> None:
    memory = seen_thrice()
    actor = Actor(kind, "who", "1")
    Memory.objects.filter(pk=memory.pk).update(created_by_id=actor.identity)
    memory.evidence.update(made_by_id=actor.identity)
    lifecycle.forget(memory, trust=everything(actor), at=MORNING + days(3))
    for n in range(4, 6):
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    assert keys("p01") == set()
    ran(at=MORNING + days(6), **EMAIL)
    ruled()
    assert keys("p01") == (set() if kind == ActorKind.PERSON else {ACME})


def test_what_was_erased_is_learned_only_from_what_comes_after() -> None:
    memory = seen_thrice()
    lifecycle.erase(memory.pk, trust=everything(ANNA), at=MORNING + days(3))
    assert not Tombstone.objects.exists()
    ran(at=MORNING + days(4), **EMAIL)
    ruled(at=MORNING + days(5))
    assert keys("p01") == set()
    for n in range(6, 9):
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    assert stands(ACME) == (20, 0)


def test_events_without_a_context_are_not_read() -> None:
    Event.objects.filter(episode=ran(company="Acme").pk).update(context={})
    assert ruled().counters["events_read"] == 0


def test_nothing_in_a_context_can_break_a_rule() -> None:
    long = "長" * 5000, "a" * 5000, "ﷺ" * 600
    odd: list[Any] = [None, True, [], {}, -1, 1e300, "", " ", "💥", "'; --", {"a": [1]}, "\u202e", *long]
    names = ("company", "category", "edit_description", "entity_type", "entity_value", "run_hour")
    for n, value in enumerate(odd):
        context = {**dict.fromkeys(names, value), "user_edited": True}
        ran_all([reported(source, MORNING + days(n), **context) for source in ("P1", "P2", "P3", "P9" * 256)])
    ruled()
    assert not RuleRetry.objects.filter(waiting=False).exists()
    assert all(len(key) <= 255 for key in keys())


def test_an_event_that_comes_late_counts_where_it_belongs() -> None:
    for n in range(3):
        ran("P06", MORNING + days(n) + timedelta(minutes=10))
    ruled()
    for n in range(3):
        ran("P01", MORNING + days(n))
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06"}


def test_what_happened_before_a_pattern_expired_does_not_bring_it_back() -> None:
    memory = seen_thrice(at=MORNING + days(3))
    lifecycle.forget(memory, trust=everything(Actor(ActorKind.SYSTEM, "Memos", "patterns")), at=MORNING + days(10))
    for n in range(4, 9):
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    assert keys("p01") == set()
