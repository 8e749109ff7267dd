"""Usage of a memory: the stored agent contexts that it went into, and how the runs ended that were given them."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from memories.models import Episode, Injection, Memory
from memories.values.choices import Outcome, Type
from memories.values.trust import Trust

MOST_SHOWN = 10


class Used(NamedTuple):
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


def contexts_of(memory: Memory, *, trust: Trust) -> list[Used]:
    """The latest contexts that the reader may see, without the other memories in them; two statements at most."""
    rows = list(Injection.objects.visible_to(trust).of(memory.pk)[:MOST_SHOWN])
    runs = _runs({row.thread_id for row in rows if row.thread_id}, trust)
    return [_used(row, str(memory.pk), runs.get(row.thread_id)) for row in rows]


def ends_of(contexts: Iterable[Used]) -> Ends:
    """How the runs of these contexts ended, each counted once."""
    runs = {used.run.pk: used.run.outcome for used in contexts if used.run}
    ended = list(runs.values())
    return Ends(len(runs), ended.count(Outcome.SUCCESS), ended.count(Outcome.FAILURE))


def _runs(threads: set[str], trust: Trust) -> dict[str, Episode]:
    """The latest run of each of these threads, by its id."""
    if not threads:
        return {}
    rows = Memory.objects.visible_to(trust).filter(type=Type.EPISODIC, thread_id__in=threads)
    return {row.thread_id or "": row.episode for row in rows.select_related("episode").order_by("created_at", "pk")}


def _used(injection: Injection, memory_id: str, run: Episode | None) -> Used:
    item: dict[str, Any] = next(item for item in injection.items if item.get("memory") == memory_id)
    return Used(injection, item.get("why", ""), item.get("score", 0.0), run)
