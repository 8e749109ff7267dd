"""Find the open episode that an event belongs to, also by the nodes that it depends on, and join it: one UPDATE locks
the episodes and counts the events; closed ones are left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memories.models import Episode, Memory
from memories.models import bulk_rows as rows
from memories.models.episode import node_id
from memories.values.exceptions import FieldError
from memories.values.field_types import united
from memories.values.trust import Trust

Thread = tuple[str, str, str]  # scope, source, thread_id

# Looked up one by one, through the index whatever the planner believes of a young table, and locked in the callers'
# order, which is the same for everybody: two batches with the same threads never wait for each other.
OF_THREADS = """
    SELECT found.memory_id, added FROM unnest(%s::text[], %s::text[], %s::text[], %s::int[])
        AS joining(scope, source, thread_id, added),
    LATERAL (SELECT memory_id FROM memories_episode AS episode WHERE closed_at IS NULL AND scope = joining.scope
             AND source = joining.source AND thread_id = joining.thread_id FOR UPDATE) AS found
"""
BY_ID = """
    SELECT found.memory_id, added FROM unnest(%s::uuid[], %s::int[]) AS joining(memory_id, added),
    LATERAL (SELECT memory_id FROM memories_episode AS episode JOIN memories_memory AS memory ON memory.id = memory_id
             WHERE memory_id = joining.memory_id AND closed_at IS NULL
             AND (sensitivity <= %s OR (memory.created_by_id = %s AND memory.flags @> '["secret"]'))
             AND (%s::text[] IS NULL OR episode.scope = ANY(%s::text[])) FOR UPDATE OF episode) AS found
"""
GROW = """
    WITH joined AS MATERIALIZED ({selected})
    UPDATE memories_episode AS episode
    SET event_count = episode.event_count + joined.added, last_event_at = greatest(episode.last_event_at, %s)
    FROM joined JOIN memories_memory AS memory ON memory.id = joined.memory_id
    WHERE episode.memory_id = joined.memory_id RETURNING {columns}
"""


ANOTHER_SCOPE = FieldError("/scope", "another_scope", "is not the scope of this episode")


class Scoped(Protocol):
    @property
    def scope(self) -> str | None: ...


def says_scope(report: Scoped, scope: str) -> bool:
    """Whether a report that names an episode by its id says no other scope than the episode's."""
    return report.scope in (None, "", scope)


def grow_threads(threads: Mapping[Thread, int], *, at: datetime) -> dict[Thread, Episode]:
    """The open episodes of these threads, locked; `event_count` of each has grown by the given number."""
    if not threads:
        return {}
    scopes, sources, thread_ids = (list(part) for part in zip(*sorted(threads), strict=True))
    episodes = _grow(OF_THREADS, [scopes, sources, thread_ids, [threads[thread] for thread in sorted(threads)]], at=at)
    return {(row.scope, row.source, row.thread_id or ""): row for row in episodes}


def grow_by_id(ids: Mapping[UUID, int], *, trust: Trust, at: datetime) -> dict[UUID, Episode]:
    """The same by ids, of those that the caller sees and may write into, or has opened itself before a secret raised
    them: of these it learns nothing, but what it does further is not lost."""
    if not ids:
        return {}
    scopes = None if trust.scopes is None else sorted(trust.scopes)
    sorted_ids = sorted(ids)
    access: list[Any] = [trust.max_sensitivity, trust.actor.identity, scopes, scopes]
    episodes = _grow(BY_ID, [sorted_ids, [ids[pk] for pk in sorted_ids], *access], at=at)
    return {row.pk: row for row in episodes}


def add_tags(new_tags: Mapping[Memory, Iterable[str]], *, at: datetime) -> None:
    """Add the tags of joining events to their episodes, by as many statements for many as for one. No decision: not
    audited."""
    changed_tags = {memory: tags for memory, tags in new_tags.items() if united(memory.tags, tags) != memory.tags}
    if not changed_tags:
        return
    rows = Memory.objects.filter(pk__in=[memory.pk for memory in changed_tags]).order_by("pk").select_for_update()
    current = {pk: (tags, version) for pk, tags, version in rows.values_list("pk", "tags", "version")}
    for memory, tags in changed_tags.items():
        former, version = current[memory.pk]
        memory.tags, memory.version, memory.updated_at = united(former, tags), version + 1, at
    Memory.objects.bulk_update(changed_tags, ["tags", "version", "updated_at"])


def _grow(selection: str, parameters: list[Any], *, at: datetime) -> list[Episode]:
    columns = f"{rows.columns(Episode, 'episode')}, {rows.columns(Memory, 'memory')}"
    with rows.prepared() as cursor:
        cursor.execute(GROW.format(selected=selection, columns=columns), [*parameters, at])
        return [_episode(values) for values in cursor.fetchall()]


def _episode(values: tuple[Any, ...]) -> Episode:
    width = len(Episode._meta.concrete_fields)
    episode, memory = rows.instance(Episode, values[:width]), rows.instance(Memory, values[width:])
    episode.memory = memory
    return episode


NODE = re.compile(r"(?:n|([0-9a-f]{8})-)([1-9][0-9]{0,8})")  # `n<position>` names a node within its own episode only


@dataclass(frozen=True)
class NodeReference:
    """A node that an event names. `prefix`: the first 8 hex digits of its episode; `scope` None: not stated."""

    prefix: str
    position: int
    scope: str | None


@dataclass(frozen=True)
class DependencyTarget:
    """The episode that a dependency leads to. `ambiguous`: others of this agent have a node of that name as well."""

    episode_id: UUID
    ambiguous: bool


def resolve(depends_on: Sequence[str], episode_id: UUID, position: int) -> tuple[list[str], bool]:
    """The dependencies by the names that the server gives, and whether all are known; what is no earlier node of this
    episode is kept as it is."""
    nodes = [_earlier(name, episode_id, position) for name in depends_on]
    return [node or name for node, name in zip(nodes, depends_on, strict=True)], None not in nodes


def _earlier(name: str, episode_id: UUID, position: int) -> str | None:
    match = NODE.fullmatch(name)
    if not match or match[1] not in (None, episode_id.hex[:8]) or int(match[2]) >= position:
        return None
    return node_id(episode_id, int(match[2]))


def first_named_node(depends_on: Iterable[str], scope: str | None) -> NodeReference | None:
    """The first of these nodes that names its episode."""
    for name in depends_on:
        if (match := NODE.fullmatch(name)) and match[1]:
            return NodeReference(match[1], int(match[2]), scope)
    return None


def follow(nodes: Iterable[NodeReference], trust: Trust) -> dict[NodeReference, DependencyTarget]:
    """The open episodes of this agent that have these nodes. Ids of one minute begin alike: of several it is the one
    that was opened last. One statement for each beginning and scope, however many nodes of it are named.
    """
    by_place: dict[tuple[str, str | None], set[NodeReference]] = defaultdict(set)
    for node in nodes:
        by_place[node.prefix, node.scope].add(node)
    targets = {}
    for (prefix, scope), references in by_place.items():
        rows = Episode.objects.visible_to(trust).opened_as(prefix).filter(memory__created_by_id=trust.actor.identity)
        rows = rows if scope is None else rows.filter(scope=scope)
        counts = list(rows.order_by("-pk").values_list("pk", "event_count"))
        for node in references:
            if ids := [pk for pk, events in counts if events >= node.position]:
                targets[node] = DependencyTarget(ids[0], ambiguous=len(ids) > 1)
    return targets
