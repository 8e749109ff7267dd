"""The grounds of a decision, for the pages: who said a memory, in which words, what is nearest, what is compared."""

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
    wanted = {memory_id for proposal in proposals for memory_id in proposal.subjects}
    visible = {row.pk: row for row in Memory.objects.visible_to(trust).filter(pk__in=wanted).select_related("skill")}
    for proposal in proposals:
        compared = [visible[memory_id] for memory_id in proposal.subjects if memory_id in visible]
        proposal.compared = compared  # type: ignore[attr-defined]  # for the template alone


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
class Voices:
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


def voices_of(memory: Memory, trust: Trust) -> Voices:
    """The occasions that speak for a memory, as far as the reader may see their episodes; four statements at most."""
    return voices_of_each([memory], trust)[0]


def voices_of_each(memories: Sequence[Memory], trust: Trust) -> list[Voices]:
    """As by `voices_of`, of each memory; the same statements for all of them."""
    rows = Evidence.objects.exclude(kind__in=AGAINST).of_visible_episodes(trust).order_by("at", "pk")
    columns = rows.values_list("memory_id", "pk", SPEAKER, "occasion", "episode_id")
    first, *others = [columns.filter(memory=memory)[:MOST_READ] for memory in memories]
    read: dict[UUID, list[Any]] = {memory.pk: [] for memory in memories}
    for memory_id, *occasion in first.union(*others, all=True) if others else first:
        read[memory_id].append(occasion)
    shown = {pk for known in read.values() for pk, *_rest in (known[:1] + known[1:][-MOST_LATER:])}
    episodes = Episode.objects.visible_to(trust).with_opening().only("memory_id", "title", "source")
    events = Prefetch("event", Event.objects.only("pk", "position", "episode_id", "ref", "role", "actor"))
    evidence_rows = Evidence.objects.filter(pk__in=shown).prefetch_related(Prefetch("episode", episodes), events)
    occasions = sorted(evidence_rows, key=lambda one: (one.at, one.pk))
    return [_voices(read[memory.pk], [one for one in occasions if one.memory_id == memory.pk]) for memory in memories]


def _voices(read: list[Any], occasions: list[Evidence]) -> Voices:
    makers = Counter(maker for _pk, maker, *_rest in read if maker)
    most = max(makers.values(), default=0)
    return Voices(
        first=occasions[0] if occasions else None,
        later=occasions[1:],
        count=len(read),
        agents=len(makers),
        of_one=most if len(makers) > 1 and 2 * most > len(read) else 0,
        sessions=len({_session(occasion, episode) for _pk, _maker, occasion, episode in read}),
    )


def _session(occasion: str, episode: UUID | None) -> str:
    """The session of an occasion: its episode, its thread without the day, else the occasion itself."""
    return str(episode) if episode else occasion.rpartition(":")[0] if occasion.startswith("thread:") else occasion


def nearest_to(memory: Memory, trust: Trust) -> list[Near]:
    """The live claims of its scope that say nearly the same, nearest first."""
    if memory.type != Type.SEMANTIC or memory.status not in LIVE:
        return []
    return claims.nearest(memory.content, scope=memory.scope, trust=trust, besides=memory.pk)[:MOST_NEAR]


def contests_of(memory: Memory, trust: Trust) -> tuple[list[Memory], list[Memory]]:
    """The memories by which it is contested, and the contested ones against which it speaks; one statement."""
    rows = Relation.objects.contests(trust, at=timezone.now()).filter(Q(source=memory) | Q(target=memory))
    relations = list(rows[:MOST_CONTESTS])
    against = [
        relation.target
        for relation in relations
        if relation.source_id == memory.pk and memory.status == Status.CONTESTED
    ]
    met = {one.pk for one in against}  # two that contest each other are named once
    contested = [
        relation.source for relation in relations if relation.target_id == memory.pk and relation.source_id not in met
    ]
    return against, [one for one in contested if one.status == Status.CONTESTED]
