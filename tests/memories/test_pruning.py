"""Experience that has faded goes by itself; knowledge does not, nor what it rests on."""

from datetime import timedelta
from typing import Any

import pytest
from django_q.models import OrmQ

from memories import lifecycle, tasks
from memories.intake import evidence as witnessing
from memories.intake.evidence import Witness
from memories.models import AuditEntry, Episode, Event, Evidence, IdempotencyKey, Injection, Memory, Passage
from memories.values.choices import DeletionPolicy, Outcome, Status, Type
from skills.models import Skill, SkillVersion
from tests.at_once import at_once
from tests.make import ANNA, AT, make_memory, make_run, make_skill

DAY = timedelta(days=1)
LATER = AT + 400 * DAY


def make_digested(**facts: Any) -> Memory:
    """A conversation of AT that consolidation has read; it has faded by LATER."""
    episode = make_run(outcome="success")
    Episode.objects.digested([episode.pk], at=AT)
    Memory.objects.filter(pk=episode.pk).update(**facts)
    return episode


def make_working(**facts: Any) -> Memory:
    facts = {"half_life": 86_400.0, "status": Status.CONFIRMED} | facts
    return make_memory("planning", type=Type.WORKING, **facts)


@pytest.mark.django_db
def test_what_has_faded_is_gone_with_its_events_and_passages() -> None:
    episode, working = make_digested(), make_working()
    assert Passage.objects.exists()
    assert lifecycle.prune(at=LATER) == {"pruned": 2}
    assert not (Memory.objects.exists() or Event.objects.exists() or Passage.objects.exists())
    assert {entry.subject_id for entry in AuditEntry.objects.filter(action="prune")} == {episode.pk, working.pk}


@pytest.mark.django_db
def test_what_has_not_faded_stays() -> None:
    make_digested()
    make_working()
    assert lifecycle.prune(at=AT + 9 * DAY) == {}
    assert lifecycle.prune(at=AT + 10 * DAY) == {"pruned": 1}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "facts",
    [
        {"pinned": True},
        {"deletion_policy": DeletionPolicy.MANUAL_ONLY},
        {"deletion_policy": DeletionPolicy.NEVER},
        {"min_salience": 0.001},
        {"salience_at": LATER},
    ],
)
def test_what_is_kept_by_word_stays(facts: dict[str, Any]) -> None:
    make_digested(**facts)
    make_working(**facts)
    assert lifecycle.prune(at=LATER) == {}
    assert Memory.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("type", [Type.SEMANTIC, Type.COMPETENCE, Type.PLAN_GRAPH])
@pytest.mark.parametrize("status", Status.values)
def test_knowledge_is_never_pruned(type: Type, status: str) -> None:
    memory = make_memory(type=type, status=status)
    Memory.objects.filter(pk=memory.pk).penalize(1.0, at=AT)
    assert lifecycle.prune(at=LATER) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("facts", [{"digested_at": None}, {"digested_at": None, "closed_at": None}])
def test_what_consolidation_has_not_read_stays(facts: dict[str, Any]) -> None:
    episode = make_digested()
    Episode.objects.filter(pk=episode.pk).update(**facts)
    assert lifecycle.prune(at=LATER) == {}


@pytest.mark.django_db
def test_what_the_rules_have_not_read_stays() -> None:
    episode = make_digested()
    event = Event.objects.filter(episode=episode.pk)[:1]
    Event.objects.filter(pk__in=event.values("pk")).update(context={"company": "Acme"})
    assert lifecycle.prune(at=LATER) == {}
    Event.objects.update(ruled_at=AT)
    assert lifecycle.prune(at=LATER) == {"pruned": 1}


@pytest.mark.django_db
def test_what_a_live_memory_rests_on_stays_until_that_closes() -> None:
    episode, memory = make_digested(), make_memory()
    witnessing.count(memory, [Witness(episode.pk, Outcome.SUCCESS, AT, "said so")], at=AT)
    assert lifecycle.prune(at=LATER) == {"kept": 1}
    assert lifecycle.prune(at=LATER) == {}  # it is met once
    memory.dismiss(by=ANNA, why="wrong", at=LATER)
    assert lifecycle.prune(at=LATER) == {"pruned": 1}
    evidence = Evidence.objects.get()
    assert (evidence.episode, evidence.snapshot) == (None, "said so")


@pytest.mark.django_db
def test_what_two_rest_on_stays_when_one_of_them_goes() -> None:
    episode, first, second = make_digested(), make_memory(), make_memory()
    for memory in (first, second):
        witnessing.count(memory, [Witness(episode.pk, Outcome.SUCCESS, AT)], at=AT)
    assert lifecycle.prune(at=LATER) == {"kept": 1}
    Memory.objects.filter(pk=first.pk).update(expires_at=LATER)
    lifecycle.expire(at=LATER)
    assert lifecycle.prune(at=LATER) == {"kept": 1}
    Memory.objects.filter(pk=second.pk).update(expires_at=LATER)
    lifecycle.expire(at=LATER)
    assert lifecycle.prune(at=LATER) == {"pruned": 1}


@pytest.mark.django_db
def test_more_than_a_batch_goes_in_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle.batches, "BATCH", 2)
    for number in range(5):
        make_working(key=f"k{number}")
    assert lifecycle.prune(at=LATER) == {"pruned": 5}


@pytest.mark.django_db(transaction=True)
def test_two_jobs_at_once_remove_each_once() -> None:
    for number in range(20):
        make_working(key=f"k{number}")
    job = lambda: lifecycle.prune(at=LATER)["pruned"]  # noqa: E731 - one job, twice
    assert sum(at_once(job, job)) == 20
    assert AuditEntry.objects.filter(action="prune").count() == 20


@pytest.mark.django_db
def test_the_tasks_say_what_they_did() -> None:
    assert (tasks.prune(), tasks.sweep()) == ("nothing was due", "nothing was due")
    make_working(salience_at=AT - 1000 * DAY)
    IdempotencyKey.objects.create(caller="a", key="k", request_sha256=b"x", expires_at=AT - 1000 * DAY)
    Injection.objects.create(agent="a", at=AT - 1000 * DAY, task_sha256=b"x", status="ok", sensitivity=1)
    assert tasks.prune() == "1 pruned"
    assert tasks.sweep() == "1 idempotency keys, 1 injections"


@pytest.mark.django_db
def test_a_job_whose_time_is_up_nudges_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    make_working(salience_at=AT - 1000 * DAY)
    monkeypatch.setattr(tasks, "LONG_SLICE", 0)
    assert tasks.prune() == "nothing was due; more is due"
    assert [queued.task["func"] for queued in OrmQ.objects.all()] == ["memories.tasks.prune"]


@pytest.mark.django_db
def test_nothing_of_any_room_is_left_hanging_and_nothing_of_others_goes() -> None:
    skill, other = make_skill(), make_skill("rename-file")
    episode = make_run()
    for one in (skill, other):
        witnessing.count(one.memory, [Witness(episode.pk, Outcome.SUCCESS, AT)], at=AT)
    for memory in (skill.pk, episode.pk):
        Memory.objects.filter(pk=memory).update(expires_at=AT)
    lifecycle.expire(at=AT)
    assert [row.pk for row in Skill.objects.all()] == [row.pk for row in Memory.objects.all()] == [other.pk]
    assert [row.episode for row in Evidence.objects.all()] == [None]
    assert SkillVersion.objects.count() == 1
