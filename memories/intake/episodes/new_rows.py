"""The rows of a new episode, not saved yet: its memory, and events at their places; the answer to its write; and which
episodes are stored already, or forgotten by a person, by the names that their callers gave them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

from memories.intake.admission import admit_experience
from memories.intake.episodes.joining import resolve
from memories.intake.reports.drafts import UNKNOWN_DEPENDENCY, EventDraft
from memories.models import Episode, Event, Memory, Tombstone, bulk_rows
from memories.scanning import SECRET
from memories.values.choices import Type
from memories.values.decay import HALF_LIFE
from memories.values.field_types import episode_key
from memories.values.trust import Actor

COPIED = ("kind", "role", "actor", "ref", "summary", "tool", "args", "result", "ok", "latency_ms", "context")
values_of = itemgetter(*COPIED)
EPISODE: Any = Event._meta.get_field("episode")
LONGEST_CONTENT = 500


def event(draft: EventDraft, episode: Episode, position: int, *, moment: datetime, by: Actor, **columns: Any) -> Event:
    """The row of an event. `moment`: when it happened, unless the draft tells; `columns`: those that the draft
    does not tell.

    A dependency that is no earlier node of the episode is kept as it is, and flagged.
    """
    depends_on, all_known = resolve(draft.depends_on, episode.pk, position) if draft.depends_on else ([], True)
    flags = draft.flags if all_known else [*draft.flags, UNKNOWN_DEPENDENCY]
    flags = [*flags, SECRET] if draft.holds_secret else flags
    values = {
        **dict(zip(COPIED, values_of(draft.__dict__), strict=True)),
        "episode_id": episode.memory_id,
        "position": position,
        "made_by": by.name,
        "text": draft.text,
        "at": draft.at or moment,
        "flags": flags,
        "depends_on": depends_on,
        **columns,
    }
    row = bulk_rows.new(Event, values)
    EPISODE.set_cached_value(row, episode)  # whose id it has already
    return row


def episode_memory(content: str, kind: str, *, by: Actor, at: datetime, **facts: Any) -> Memory:
    """The memory of an episode. `kind`: of HALF_LIFE; `facts`: its other columns."""
    text = content.strip()[:LONGEST_CONTENT].strip() or f"A run of {facts['source']}"
    return admit_experience(text, by=by, at=at, **{"type": Type.EPISODIC, "half_life": HALF_LIFE[kind], **facts})


@dataclass(frozen=True)
class Ingested:
    """`memory` is None when the caller may not see what its write met. `changed`: an outcome or a state was replaced.

    `events` are those that this call added.
    """

    memory: Memory | None
    created: bool
    changed: bool = False
    events: list[Event] = field(default_factory=list)
    proposal: UUID | None = None  # what was proposed instead of changed
    notice: str | None = None  # how a field was read
    forgotten: bool = False  # a person has forgotten what this says: nothing was stored


EpisodeName = tuple[str, str, str]  # scope, source, the caller's id

NAMED = """
SELECT EXISTS (SELECT FROM memories_episode AS episode JOIN unnest(%s::text[], %s::text[], %s::text[])
                   AS named (scope, source, external_id) USING (scope, source, external_id))
    OR EXISTS (SELECT FROM memories_tombstone WHERE lifted_at IS NULL AND blocks AND key = ANY(%s::text[]))
"""
KNOWN_OR_FORGOTTEN = """
    EXISTS (SELECT FROM memories_episode WHERE scope = %s AND source = %s AND external_id = %s)
    OR EXISTS (SELECT FROM memories_tombstone WHERE lifted_at IS NULL AND blocks AND scope = %s AND key = %s)
"""


def known_or_forgotten(name: EpisodeName) -> bulk_rows.Part:
    """The condition that an episode of this name is stored or forgotten, for the statement that would store it."""
    scope, source, id = name
    return bulk_rows.Part(KNOWN_OR_FORGOTTEN, [scope, source, id, scope, episode_key(source, id)])


def may_be_known(names: Collection[EpisodeName]) -> bool:
    """Whether one of these episodes is stored, or perhaps forgotten: most are neither, and cost one question."""
    if not names:
        return False
    scopes, sources, ids = (list(part) for part in zip(*names, strict=True))
    keys = [episode_key(source, id) for _, source, id in names]
    with bulk_rows.prepared() as cursor:
        cursor.execute(NAMED, [scopes, sources, ids, keys])
        return bool(cursor.fetchone()[0])


def forgotten_episodes(names: Iterable[EpisodeName], *, at: datetime) -> set[EpisodeName]:
    """Those of these episodes that a person has forgotten; each attempt to store one again is counted."""
    by_key = {(scope, episode_key(source, id)): (scope, source, id) for scope, source, id in names}
    if not by_key:
        return set()
    active_tombstones = Tombstone.objects.standing().filter(blocks=True, key__in=[key for _, key in by_key])
    tombstones = [stone for stone in active_tombstones.only("scope", "key") if (stone.scope, stone.key) in by_key]
    if tombstones:
        Tombstone.objects.filter(pk__in=[stone.pk for stone in tombstones]).hit(at=at)
    return {by_key[stone.scope, stone.key] for stone in tombstones}
