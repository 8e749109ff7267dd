"""Injections: records of which memories went into which context, and why; and how the runs ended that got them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memories.models.episode import Episode
from memories.models.memory import Memory
from memories.models.trusted import Trusted, new_id
from memories.values.choices import Outcome, Type
from memories.values.trust import Trust

RETENTION = timedelta(days=30)
MOST_SHOWN = 10


class InjectionQuerySet(Trusted["Injection"]):
    def of(self, memory_id: UUID) -> Self:
        """Contexts that contain this memory, latest first."""
        return self.filter(items__contains=[{"memory": str(memory_id)}]).order_by("-at", "-pk")

    def was_injected(self, memory_id: UUID, *, agent: str, thread_id: str) -> bool:
        """Whether a context of this thread gave the agent the memory, marked as said by one other agent alone."""
        items = [{"memory": str(memory_id), "unreviewed": True}]
        return self.filter(items__contains=items, agent=agent, thread_id=thread_id).exists()

    def forget_expired(self, *, at: datetime) -> int:
        return self.filter(at__lt=at - RETENTION).delete()[0]


class Injection(models.Model):
    """One context given to an agent.

    `items` = [{memory, why, score, unreviewed}], the last where one other agent alone had said it; `task_sha256` is a
    fingerprint of the task, not its words.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.CharField(max_length=200)
    source = models.CharField(max_length=512, blank=True)
    thread_id = models.CharField(max_length=512, blank=True, default="")
    at = models.DateTimeField()
    task_sha256 = models.BinaryField(max_length=32)
    items = models.JSONField(default=list)
    status = models.CharField(max_length=16)  # ok or degraded
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()

    objects = InjectionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["-at"], name="injection_newest"),
            GinIndex(fields=["items"], opclasses=["jsonb_path_ops"], name="injection_of_memory"),
        ]

    def __str__(self) -> str:
        return f"{len(self.items)} for {self.source}"


class ContextUse(NamedTuple):
    """A context that a memory went into. `why`: the queries that found it, e.g. `words, company`. `run`: that of its
    thread, as far as the reader may see it."""

    injection: Injection
    why: str
    score: float
    run: Episode | None = None

    @property
    def queries(self) -> list[str]:
        return self.why.split(", ")


class Ends(NamedTuple):
    """How many runs there were, and how many of them ended well and ill; of the others it is not known, or partly."""

    runs: int
    well: int
    ill: int


def contexts_of(memory: Memory, *, trust: Trust) -> list[ContextUse]:
    """The latest contexts that the reader may see, without the other memories in them; two statements at most."""
    rows = list(Injection.objects.visible_to(trust).of(memory.pk)[:MOST_SHOWN])
    runs = _runs({row.thread_id for row in rows if row.thread_id}, trust)
    return [_context_use(row, str(memory.pk), runs.get(row.thread_id)) for row in rows]


def ends_of(contexts: Iterable[ContextUse]) -> Ends:
    """How the runs of these contexts ended, each counted once."""
    runs = {context.run.pk: context.run.outcome for context in contexts if context.run}
    outcomes = list(runs.values())
    return Ends(len(runs), outcomes.count(Outcome.SUCCESS), outcomes.count(Outcome.FAILURE))


def _runs(threads: set[str], trust: Trust) -> dict[str, Episode]:
    """The latest run of each of these threads, by its id."""
    if not threads:
        return {}
    rows = Memory.objects.visible_to(trust).filter(type=Type.EPISODIC, thread_id__in=threads)
    return {row.thread_id or "": row.episode for row in rows.select_related("episode").order_by("created_at", "pk")}


def _context_use(injection: Injection, memory_id: str, run: Episode | None) -> ContextUse:
    item: dict[str, Any] = next(item for item in injection.items if item.get("memory") == memory_id)
    return ContextUse(injection, item.get("why", ""), item.get("score", 0.0), run)
