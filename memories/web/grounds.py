"""The grounds of a decision, for the pages: occasions of a memory, similar claims, memories of a proposal, contests."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Prefetch, Q, When
from django.utils import timezone

from memories.intake import claims
from memories.intake.claims import Near
from memories.models import Episode, Event, Evidence, Memory, Proposal, Relation
from memories.values.choices import LIVE, ActorKind, Status, Type
from memories.values.trust import Trust


def attach_compared(rows: Iterable[Memory | Proposal], trust: Trust) -> None:
    """Set `compared` on each proposal about several memories: those that the caller may see, the one to change first.

    One query for all of them, none when no proposal compares any.
    """
    proposals = [row for row in rows if isinstance(row, Proposal) and row.others]
    if not proposals:
        return
    memory_ids = {memory_id for proposal in proposals for memory_id in proposal.subjects}
    visible = {
        row.pk: row for row in Memory.objects.visible_to(trust).filter(pk__in=memory_ids).select_related("skill")
    }
    for proposal in proposals:
        memories = [visible[memory_id] for memory_id in proposal.subjects if memory_id in visible]
        proposal.compared = memories  # type: ignore[attr-defined]  # for the template alone


MOST_READ = 1_000  # occasions of which sessions and agents are counted
MOST_LATER = 4
MOST_NEAR = 2
MOST_CONTESTS = 10
SPEAKER = Case(  # of what a rule read who reported the run; what an agent only read out is nobody's word
    When(Q(made_by="") | Q(made_by_id__startswith=f"{ActorKind.SYSTEM}:"), then=F("episode__memory__created_by_id")),
    default=F("made_by_id"),
)
AGAINST = (Evidence.Kind.CONTRADICTS, Evidence.Kind.SUPPRESSED)


@dataclass(frozen=True)
class Occasions:
    """Who spoke for a memory: the first occasion, the latest ones, oldest first, and how many agents and sessions.
    `of_one`: the occasions of one of several agents, where these are more than half."""

    first: Evidence | None
    later: list[Evidence]
    count: int
    agents: int
    of_one: int
    sessions: int

    @property
    def more(self) -> int:
        """How many occasions lie between the first and those shown."""
        return self.count - len(self.later) - (self.first is not None)


def occasions_of(memory: Memory, trust: Trust) -> Occasions:
    """The occasions that speak for a memory, as far as the reader may see their episodes; four statements at most."""
    return occasions_of_each([memory], trust)[0]


def occasions_of_each(memories: Sequence[Memory], trust: Trust) -> list[Occasions]:
    """`occasions_of` for several memories, in their order, by the same four statements."""
    rows = Evidence.objects.exclude(kind__in=AGAINST).of_visible_episodes(trust).order_by("at", "pk")
    columns = rows.values_list("memory_id", "pk", SPEAKER, "occasion", "episode_id")
    first, *other_queries = [columns.filter(memory=memory)[:MOST_READ] for memory in memories]
    by_memory: dict[UUID, list[Any]] = {memory.pk: [] for memory in memories}
    for memory_id, *occasion in first.union(*other_queries, all=True) if other_queries else first:
        by_memory[memory_id].append(occasion)
    shown_ids = {pk for group in by_memory.values() for pk, *_rest in (group[:1] + group[1:][-MOST_LATER:])}
    episodes = Episode.objects.visible_to(trust).with_opening().only("memory_id", "title", "source")
    events = Prefetch("event", Event.objects.only("pk", "position", "episode_id", "ref", "role", "actor"))
    shown_rows = Evidence.objects.filter(pk__in=shown_ids).prefetch_related(Prefetch("episode", episodes), events)
    occasions = sorted(shown_rows, key=lambda row: (row.at, row.pk))
    return [
        _occasions(by_memory[memory.pk], [row for row in occasions if row.memory_id == memory.pk])
        for memory in memories
    ]


def _occasions(occasion_rows: list[Any], occasions: list[Evidence]) -> Occasions:
    makers = Counter(maker for _pk, maker, *_rest in occasion_rows if maker)
    most = max(makers.values(), default=0)
    return Occasions(
        first=occasions[0] if occasions else None,
        later=occasions[1:],
        count=len(occasion_rows),
        agents=len(makers),
        of_one=most if len(makers) > 1 and 2 * most > len(occasion_rows) else 0,
        sessions=len({_session(occasion, episode) for _pk, _maker, occasion, episode in occasion_rows}),
    )


def _session(occasion: str, episode: UUID | None) -> str:
    """The session of an occasion: its episode, its thread without the day, else the occasion itself."""
    return str(episode) if episode else occasion.rpartition(":")[0] if occasion.startswith("thread:") else occasion


def nearest_to(memory: Memory, trust: Trust) -> list[Near]:
    """The MOST_NEAR most similar live claims of its scope, nearest first; none for a memory that is no live claim."""
    if memory.type != Type.SEMANTIC or memory.status not in LIVE:
        return []
    return claims.nearest(memory.content, scope=memory.scope, trust=trust, besides=memory.pk)[:MOST_NEAR]


def contests_of(memory: Memory, trust: Trust) -> tuple[list[Memory], list[Memory]]:
    """The memories that contest it, and the contested memories that it contests; one statement."""
    rows = Relation.objects.contests(trust, at=timezone.now()).filter(Q(source=memory) | Q(target=memory))
    relations = list(rows[:MOST_CONTESTS])
    against = [
        relation.target
        for relation in relations
        if relation.source_id == memory.pk and memory.status == Status.CONTESTED
    ]
    named_ids = {row.pk for row in against}  # two that contest each other are named once
    contested_memories = [
        relation.source
        for relation in relations
        if relation.target_id == memory.pk and relation.source_id not in named_ids
    ]
    return against, [row for row in contested_memories if row.status == Status.CONTESTED]
