"""Which episodes are stored already, or forgotten by a person, by the names that their callers gave them."""

from collections.abc import Collection, Iterable
from datetime import datetime

from memories.models import Tombstone, bulk_rows
from memories.values.field_types import episode_key

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
    standing = Tombstone.objects.standing().filter(blocks=True, key__in=[key for _, key in by_key])
    tombstones = [stone for stone in standing.only("scope", "key") if (stone.scope, stone.key) in by_key]
    if tombstones:
        Tombstone.objects.filter(pk__in=[stone.pk for stone in tombstones]).hit(at=at)
    return {by_key[stone.scope, stone.key] for stone in tombstones}
