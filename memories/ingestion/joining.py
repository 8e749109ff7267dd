"""How episodes grow: one UPDATE locks them, counts what joins, and passes by those that were closed meanwhile."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories import rows
from memories.models import Episode, Memory
from memories.trust import Trust

Thread = tuple[str, str, str]  # scope, source, thread_id

# Locked in the order of their ids, so that two batches with the same threads never wait for each other.
OF_THREADS = """
    SELECT memory_id, added FROM memories_episode
    JOIN json_to_recordset(%s) AS joining(scope text, source text, thread_id text, added int)
        USING (scope, source, thread_id)
    WHERE closed_at IS NULL ORDER BY memory_id FOR UPDATE OF memories_episode
"""
BY_ID = """
    SELECT episode.memory_id, added FROM memories_episode AS episode
    JOIN json_to_recordset(%s) AS joining(memory_id uuid, added int) USING (memory_id)
    JOIN memories_memory AS memory ON memory.id = episode.memory_id
    WHERE closed_at IS NULL AND memory.sensitivity <= %s AND (%s::text[] IS NULL OR episode.scope = ANY(%s::text[]))
    ORDER BY memory_id FOR UPDATE OF episode
"""
GROW = """
    WITH joined AS MATERIALIZED ({found})
    UPDATE memories_episode AS episode
    SET event_count = episode.event_count + joined.added, last_event_at = greatest(episode.last_event_at, %s)
    FROM joined JOIN memories_memory AS memory ON memory.id = joined.memory_id
    WHERE episode.memory_id = joined.memory_id RETURNING {columns}
"""


def open_of(threads: Mapping[Thread, int], *, at: datetime) -> dict[Thread, Episode]:
    """The open episodes of these threads, each grown by so many events, and locked."""
    joining = [
        {"scope": scope, "source": source, "thread_id": thread_id, "added": added}
        for (scope, source, thread_id), added in threads.items()
    ]
    grown = _grown(OF_THREADS, [json.dumps(joining)], at=at) if joining else []
    return {(row.scope, row.source, row.thread_id or ""): row for row in grown}


def named(ids: Mapping[UUID, int], *, trust: Trust, at: datetime) -> dict[UUID, Episode]:
    """The same by their ids: those that are open, that the caller sees and may write into."""
    joining = [{"memory_id": str(pk), "added": added} for pk, added in ids.items()]
    scopes = None if trust.scopes is None else sorted(trust.scopes)
    grown = _grown(BY_ID, [json.dumps(joining), trust.max_sensitivity, scopes, scopes], at=at) if joining else []
    return {row.pk: row for row in grown}


def _grown(found: str, parameters: list[Any], *, at: datetime) -> list[Episode]:
    columns = f"{rows.columns(Episode, 'episode')}, {rows.columns(Memory, 'memory')}"
    with connection.cursor() as cursor:
        cursor.execute(GROW.format(found=found, columns=columns), [*parameters, at])
        return [_episode(values) for values in cursor.fetchall()]


def _episode(values: tuple[Any, ...]) -> Episode:
    width = len(Episode._meta.concrete_fields)
    episode, memory = rows.instance(Episode, values[:width]), rows.instance(Memory, values[width:])
    episode.memory = memory
    return episode
