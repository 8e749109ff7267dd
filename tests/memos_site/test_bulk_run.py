"""A bulk decision that is too large for a request: a run of one batch, which neither loses nor repeats a decision."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from consolidation import ordering, run_queue
from consolidation.execution import Reporter
from consolidation.models import BulkOrder, Run
from memories.models import AuditEntry, Memory, PersonLimits
from memories.people import trust_of
from memories.values.choices import Category, Type
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memos_site import review
from memos_site.review import bulk_run
from tests.make import AT, BEN, make_memory, make_person, make_skill, make_version

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=1)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)
    monkeypatch.setattr(bulk_run, "PART", 3)
    monkeypatch.setattr(Reporter, "SECONDS", 1e9)  # what a run says is what stands in the transactions of its parts


def made(number: int) -> list[Memory]:
    return [make_memory(f"claim {n}") for n in range(number)]


def seen(*memories: Memory) -> dict[Any, str]:
    return {memory.pk: review.version_token(memory) for memory in memories}


def statuses() -> set[str]:
    return set(Memory.objects.values_list("status", flat=True))


class Killed(BaseException):
    """What nobody catches: the process is gone."""


def killed_after(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker dies in the transaction of the part after these, with its rows decided."""
    whole, left = BulkOrder.record, [parts]

    def record(self: BulkOrder, *args: Any, **how: Any) -> None:
        whole(self, *args, **how)
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(BulkOrder, "record", record)
        run_queue.work()


def paused_after_a_part(order: BulkOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Reporter.batch

    def pausing(self: Reporter, *args: Any) -> None:
        whole(self, *args)
        Run.objects.get(pk=order.run.pk).pause(by=BEN, at=timezone.now())

    with monkeypatch.context() as patched:
        patched.setattr(Reporter, "batch", pausing)
        run_queue.work()


def test_a_run_decides_in_one_batch_under_the_name_of_its_person_and_one_undo_takes_it_back() -> None:
    anna, memories = make_person(), made(8)
    order = review.order(anna, seen(*memories), "dismiss", at=LATER, why="noise")
    assert statuses() == {"candidate"}
    run_queue.work()
    order.refresh_from_db()
    assert (order.run.status, order.run.done, order.run.total) == ("succeeded", 8, 8)
    assert (order.counts, order.chosen) == ({"done": 8, "refused": 0}, [])
    trail = AuditEntry.objects.of_batch(order.batch)
    assert set(trail.values_list("actor", "action", "rationale")) == {("anna", "dismiss", "noise")}
    assert trail.count() == 8
    undone = review.undo(trust_of(anna), order.batch, at=timezone.now())
    assert len(undone.undone) == 8
    assert statuses() == {"candidate"}


def test_a_worker_that_is_killed_neither_loses_nor_repeats_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    order = review.order(make_person(), seen(*made(8)), "promote", at=LATER)
    killed_after(1, monkeypatch)
    assert Memory.objects.filter(status="confirmed").count() == 3, "the part under way is rolled back"
    order.run.refresh_from_db()
    assert (order.run.done, order.run.counters) == (3, {"done": 3, "refused": 0}), "the run says no less"
    run_queue.work()
    order.refresh_from_db()
    assert (order.run.status, order.counts) == ("succeeded", {"done": 8, "refused": 0})
    assert statuses() == {"confirmed"}
    assert AuditEntry.objects.of_batch(order.batch).count() == 8


def test_an_undo_that_is_killed_goes_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    anna = make_person()
    done = review.by_ids(trust_of(anna), [memory.pk for memory in made(8)], "dismiss", at=LATER, why="noise")
    order = review.order_undo(anna, done.batch, at=LATER)
    with pytest.raises(Conflict, match="being undone already"):
        review.order_undo(anna, done.batch, at=LATER)
    killed_after(2, monkeypatch)
    assert Memory.objects.filter(status="candidate").count() == 6
    run_queue.work()
    order.refresh_from_db()
    assert (order.run.status, order.counts) == ("succeeded", {"done": 8, "refused": 0})
    assert statuses() == {"candidate"}
    again = review.undo(trust_of(anna), order.batch, at=timezone.now())
    assert len(again.undone) == 8, "what was taken back is done again"
    assert statuses() == {"dismissed"}


def test_what_is_refused_is_named_with_its_reason_and_the_rest_is_decided() -> None:
    anna = make_person()
    stale, fine, secret, skill = make_memory("a"), make_memory("b"), make_memory("c"), make_skill()
    make_version(skill, description="Otherwise")
    gone = make_memory("d")
    order = review.order(anna, seen(stale, fine, secret, skill.memory, gone), "dismiss", at=LATER, why="noise")
    Memory.objects.get(pk=stale.pk).promote(by=BEN, at=LATER)
    Memory.objects.filter(pk=secret.pk).update(sensitivity=4)
    Memory.objects.filter(pk=gone.pk).delete()
    run_queue.work()
    order.refresh_from_db()
    assert order.counts == {"done": 1, "refused": 4}
    assert Memory.objects.get(pk=fine.pk).status == "dismissed"
    codes = {one["id"]: one["code"] for one in order.refused}
    ids = [str(one.pk) for one in (stale, secret, skill, gone)]
    assert [codes[pk] for pk in ids] == ["conflict", "not_found", "conflict", "not_found"]


def test_a_row_that_a_filter_found_and_that_changed_before_its_turn_is_left_alone() -> None:
    first, changed = made(2)
    order = review.order(make_person(), {first.pk: "", changed.pk: ""}, "promote", at=LATER)
    Memory.objects.get(pk=changed.pk).revise("revise", {"category": Category.FACT}, by=BEN, at=LATER, why="")
    run_queue.work()
    order.refresh_from_db()
    assert [one["id"] for one in order.refused] == [str(changed.pk)]
    assert "changed since you saw it" in order.refused[0]["detail"]
    assert Memory.objects.get(pk=first.pk).status == "confirmed"


def test_who_lost_the_permission_meanwhile_decides_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    anna = make_person()
    order = review.order(anna, seen(*made(8)), "promote", at=LATER)
    killed_after(1, monkeypatch)
    anna.groups.clear()
    run_queue.work()
    order.run.refresh_from_db()
    assert (order.run.status, order.run.error) == ("failed", "deciding needs the permission review")
    assert Memory.objects.filter(status="confirmed").count() == 3
    with pytest.raises(NotAllowed):
        review.order(make_person("vera", group="viewer"), {}, "promote", at=LATER)


def test_a_paused_run_stops_and_its_undo_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    anna = make_person()
    order = review.order(anna, seen(*made(8)), "promote", at=LATER)
    with pytest.raises(Conflict, match="still under way"):
        review.undo(trust_of(anna), order.batch, at=timezone.now())
    paused_after_a_part(order, monkeypatch)
    assert Memory.objects.filter(status="confirmed").count() == 3
    assert len(review.undo(trust_of(anna), order.batch, at=timezone.now()).undone) == 3
    run_queue.work()
    assert statuses() == {"candidate"}
    assert Run.objects.get(pk=order.run.pk).status == "skipped"


def test_who_may_not_undo_a_paused_run_does_not_end_it_either(monkeypatch: pytest.MonkeyPatch) -> None:
    order = review.order(make_person(), seen(*made(8)), "promote", at=LATER)
    limited = make_person("carl")
    PersonLimits.objects.create(user=limited, scopes=["project:a"])
    run = Run.objects.get(pk=order.run.pk)
    run.pause(by=BEN, at=timezone.now())
    with pytest.raises(NotFound):
        review.undo(trust_of(limited), order.batch, at=timezone.now())  # nothing of it was decided yet
    run.resume(by=BEN, at=timezone.now())
    paused_after_a_part(order, monkeypatch)
    for stranger in (limited, make_person("vera", group="viewer")):
        with pytest.raises(NotAllowed):
            review.undo(trust_of(stranger), order.batch, at=timezone.now())
    assert Run.objects.get(pk=order.run.pk).status == "paused"


def test_options_of_the_verb_come_through_and_an_order_has_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    anna, memories, until = make_person(), made(2), timezone.now().replace(microsecond=0) + timedelta(days=1)
    review.order(anna, seen(*memories), "snooze", at=LATER, until=until)
    run_queue.work()
    assert set(Memory.objects.values_list("snoozed_until", flat=True)) == {until}
    review.order(anna, seen(make_memory("x", category="preference")), "promote", at=LATER, to="applied")
    run_queue.work()
    assert Memory.objects.get(content="x", type=Type.SEMANTIC).status == "applied"
    monkeypatch.setattr(bulk_run, "MOST_IN_A_RUN", 1)
    with pytest.raises(Invalid, match="no more than 1 are taken"):
        review.order(anna, seen(*memories), "promote", at=LATER)


@pytest.mark.parametrize("verb", ["pause", "resume", "retry"])
def test_an_order_is_its_persons_and_theirs_who_may_see_as_much(verb: ordering.Verb) -> None:
    anna, limited, equal = make_person(), make_person("carl"), make_person("ben")
    status = {"pause": Run.Status.QUEUED, "resume": Run.Status.PAUSED, "retry": Run.Status.FAILED}[verb]
    PersonLimits.objects.create(user=limited, scopes=["project:a"])
    run = review.order(anna, seen(*made(2)), "promote", at=LATER).run
    Run.objects.update(status=status)
    with pytest.raises(NotAllowed, match="ordered by somebody who may see more"):
        ordering.decide(verb, run.pk, trust_of(limited), why="", at=LATER)
    less = trust_of(equal).narrowed(max_sensitivity=1)
    with pytest.raises(NotAllowed, match="ordered by somebody who may see more"):
        ordering.decide(verb, run.pk, less, why="", at=LATER)
    for person in (equal, anna):
        ordering.decide(verb, run.pk, trust_of(person), why="", at=LATER)
        Run.objects.update(status=status)


def test_who_is_limited_decides_about_an_order_of_their_own() -> None:
    limited, other = make_person("carl"), make_person("dora")
    PersonLimits.objects.create(user=limited, scopes=["project:a"])
    PersonLimits.objects.create(user=other, scopes=["project:b"])
    mine = make_memory("a", scope="project:a")
    run = review.order(User.objects.get(pk=limited.pk), seen(mine), "promote", at=LATER).run
    with pytest.raises(NotAllowed):
        ordering.decide("pause", run.pk, trust_of(User.objects.get(pk=other.pk)), why="", at=LATER)
    assert ordering.decide("pause", run.pk, trust_of(limited), why="", at=LATER).status == "paused"
