"""Starting background work, deciding about runs and who may read their figures, for the API and the pages alike."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from consolidation import contrast_run, import_run, lessons_run, llm, run_queue, set_aside
from consolidation.extraction import queue
from consolidation.extraction.queue import Backlog, Choice, QueueVerb, ReadingQueue
from consolidation.model_lines.case_pairs import Price, pairs_of, pairs_of_scope, price
from consolidation.models import Run, bulk_orders
from memories.models import Episode, Memory
from memories.people import trust_of
from memories.values.exceptions import Conflict, NotAllowed, one_of
from memories.values.trust import Trust

EXTRACT_TASK, CONTRAST_TASK = "consolidation.tasks.extract", "consolidation.tasks.contrast"
TASKS = {  # of kinds with a queue of their own
    queue.KIND: EXTRACT_TASK,
    contrast_run.KIND: CONTRAST_TASK,
    lessons_run.KIND: CONTRAST_TASK,
}
Verb = Literal["retry", "pause", "resume"]
FIGURES = ("done", "total", "calls", "failed_calls", "tokens_in", "tokens_out", "tokens_reasoning")


def start(
    kind: str,
    trust: Trust,
    *,
    trigger: Run.Trigger,
    at: datetime,
    about: UUID | None = None,
    scope: str = "",
    retry_set_aside: bool = False,
) -> Run:
    """Queue a run, or answer the one that waits already.

    `about`: the episode or memory, for a kind that is about one, `scope` for one about a scope. Conflict: the kind is
    paused, or there is none.
    NotAllowed: work over everything needs a caller without a limit of scopes.
    """
    if kind == queue.KIND:
        return _extract(trust, about, trigger=trigger, at=at)
    if kind == contrast_run.KIND:
        return _contrast(trust, about, trigger=trigger, at=at)
    if kind == lessons_run.KIND:
        return _lessons(trust, scope, trigger=trigger, at=at)
    if kind not in run_queue.OVER_EVERYTHING:
        raise Conflict(f"there is no {kind} run")
    _check_scopes(trust)
    with transaction.atomic():
        if retry_set_aside:
            set_aside.retry(kind, trust)
        return run_queue.order(kind, trigger=trigger, by=trust.actor, at=at)


def _extract(trust: Trust, episode_id: UUID | None, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue one conversation for the language model, even if it was read before."""
    episode = one_of(Episode.objects.visible_to(trust).select_related("memory").filter(pk=episode_id))
    if episode.closed_at is None:
        raise Conflict("the episode is open: it is read when it is closed")
    trust.scope_to_write(episode.scope)
    return _ordered(queue.request(episode, trigger=trigger, at=at), trust, at=at)


def _contrast(trust: Trust, memory_id: UUID | None, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison of a skill's cases by the language model."""
    memory = _skill(trust, memory_id)
    trust.scope_to_write(memory.scope)
    return _ordered(contrast_run.request(memory, trigger=trigger, at=at), trust, at=at)


def _lessons(trust: Trust, scope: str, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison of a scope's cases by the language model, of runs that the caller may see."""
    trust.scope_to_write(scope)
    run = lessons_run.request(scope, trust.max_sensitivity, trigger=trigger, at=at)
    if not Run.objects.visible_to(trust).filter(pk=run.pk).exists():
        raise Conflict("the cases of this scope have already been compared")
    return _ordered(run, trust, at=at)


def _ordered(run: Run, trust: Trust, *, at: datetime) -> Run:
    run.audit("start", by=trust.actor, at=at).save(force_insert=True)
    run_queue.nudge(TASKS[run.kind])
    return run


def contrast_price(trust: Trust, memory_id: UUID) -> Price:
    """What the comparison of a skill's cases would take. NotFound: there is no such skill."""
    return price(pairs_of(_skill(trust, memory_id)))


def lessons_price(trust: Trust, scope: str) -> Price:
    """The same of a scope's cases."""
    trust.scope_to_write(scope)
    return price(pairs_of_scope(scope, trust.max_sensitivity))


def _skill(trust: Trust, memory_id: UUID | None) -> Memory:
    return one_of(Memory.objects.visible_to(trust).filter(pk__in=[memory_id], skill__isnull=False))


def unread(trust: Trust, choice: Choice, *, at: datetime) -> tuple[Backlog, ReadingQueue]:
    """The conversations that were closed before there was a model, what reading them would take, and the queue."""
    _check_scopes(trust)
    return queue.backlog(choice), queue.reading_queue(at=at)


def start_backlog(trust: Trust, choice: Choice, *, trigger: Run.Trigger) -> int:
    """Queue conversations of the backlog; how many. Conflict: there is no model."""
    _check_scopes(trust)
    if not llm.configured():
        raise Conflict(str(llm.NotConfigured()))
    count = queue.queue_backlog(choice, trigger=trigger)
    run_queue.nudge(EXTRACT_TASK)
    return count


def decide_queue(verb: QueueVerb, trust: Trust, choice: Choice, *, at: datetime) -> int:
    """Pause, resume or thin what waits to be read by the model; how many runs. Conflict: thin what, is not said."""
    _check_scopes(trust)
    if verb == "thin" and choice == Choice():
        raise Conflict("thin needs an outcome or a limit: otherwise nothing would be removed")
    count = queue.decide(verb, choice, by=trust.actor, at=at)
    if verb == "resume":
        run_queue.nudge(EXTRACT_TASK)
    return count


def decide(verb: Verb, run_id: UUID, trust: Trust, *, why: str, at: datetime) -> Run:
    """Retry, pause or resume a run. NotFound: it may not be seen. NotAllowed: the caller could not have started it, or
    it acts for a person who may see more. Conflict: its status does not allow it.
    """
    run = one_of(Run.objects.visible_to(trust).filter(pk=run_id))
    if run.kind in (import_run.KIND, bulk_orders.KIND):
        _check_person(run, trust)
    else:
        _check_place(run, trust)
    getattr(run, verb)(by=trust.actor, at=at, why=why)
    if verb != "pause":
        run_queue.nudge(TASKS.get(run.kind, run_queue.TASK))
    return run


def works_in_scopes_of(run: Run, trust: Trust) -> bool:
    """Whether a run works in scopes of the caller alone, who may then decide about it."""
    try:
        _check_place(run, trust)
    except NotAllowed:
        return False
    return True


def _check_place(run: Run, trust: Trust) -> None:
    if run.kind in TASKS:
        trust.scope_to_write(run.scope)
    elif run.episode_id is None and run.subject is None:
        _check_scopes(trust)


def _check_scopes(trust: Trust) -> None:
    if trust.scopes is not None:
        raise NotAllowed("this run works on all scopes, but the token is limited to some")


def _check_person(run: Run, trust: Trust) -> None:
    """A run that acts for a person is that person's, and theirs who may see all that it may touch."""
    theirs = trust_of(_person_of(run))
    if trust.actor.identity != theirs.actor.identity and not trust.covers(theirs):
        raise NotAllowed("this run was ordered by somebody who may see more than you")


def _person_of(run: Run) -> User:
    """Who ordered it. NotFound: the person is gone."""
    name = "bulkorder__run" if run.kind == bulk_orders.KIND else "importfile__run"
    return one_of(User.objects.filter(**{name: run}))


def without_foreign_figures(run: Run, trust: Trust) -> Run:
    """The row as the caller may read it: who reads in some scopes only is not told figures of the whole store."""
    if trust.scopes is not None and run.kind in run_queue.OVER_EVERYTHING and not (run.scope or run.subject):
        run.counters, run.stage = {}, ""
        vars(run).update(dict.fromkeys(FIGURES, 0))
    return run
