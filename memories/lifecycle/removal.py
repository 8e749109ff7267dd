"""Delete memories by SQL, with the rows of all rooms that belong to them, or the transcripts of finished runs; expire
claims; and the hourly job that prunes experience whose salience has faded and that was digested.

The cost of pruning grows only with the rows that it removes, however many there are.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import CASCADE, DO_NOTHING, SET_NULL, Exists, Model, OuterRef
from uuid_utils.compat import uuid7

from memories.lifecycle import batches
from memories.models import (
    Adaptation,
    AuditEntry,
    Episode,
    Event,
    Evidence,
    Instruction,
    Memory,
    Subject,
    Tombstone,
    bulk_rows,
)
from memories.models.bulk_rows import insert
from memories.values.choices import LIVE, RevertReason, Status, Type
from memories.values.trust import SYSTEM

IDS = "%(ids)s::uuid[]"
MEMORIES = f"DELETE FROM {Memory._meta.db_table} WHERE id = ANY({IDS})"  # noqa: S608 - our own names
EVENTS = "DELETE FROM memories_event WHERE episode_id = ANY(%s)"
REST_ON_EPISODES = (  # whether there is anything to release
    f"SELECT EXISTS (SELECT FROM {Evidence._meta.db_table} WHERE memory_id = ANY({IDS}) AND episode_id IS NOT NULL)"  # noqa: S608
)


class Table(NamedTuple):
    """A table with rows that lead to a memory: what deletes or clears them, the question whether there are any, and
    the tables with rows that lead to these."""

    sql: str
    any: str
    below: "Sequence[Table]"


def remove(ids: Collection[UUID]) -> None:
    """Delete these in the caller's transaction, under its locks. Evidence for others stays, without its link."""
    parameters = {"ids": "{" + ",".join(map(str, ids)) + "}"}  # one text: an array of ids costs its items each time
    with bulk_rows.prepared() as cursor:
        cursor.execute(REST_ON_EPISODES, parameters)
        if cursor.fetchone()[0]:
            Memory.objects.released(ids)
        Subject.objects.drop_unmentioned(ids)
        for statement in [*_statements(cursor, _tables(), parameters), MEMORIES]:
            cursor.execute(statement, parameters)


def remove_events(memory_id: UUID) -> None:
    """Delete the events of an episode, which may be many, before it is deleted by the ORM."""
    Memory.objects.released([memory_id])
    Evidence.objects.filter(episode=memory_id).update(episode=None, event=None)
    with connection.cursor() as cursor:
        cursor.execute(EVENTS, [[memory_id]])


def _statements(cursor: Any, tables: Sequence[Table], parameters: Mapping[str, str]) -> list[str]:
    """The statements of the tables that have such rows, those of the deepest tables first.

    One query for all tables of a depth; tables below one without such rows are skipped.
    """
    if not tables:
        return []
    cursor.execute(f"SELECT {', '.join(table.any for table in tables)}", parameters)
    filled_tables = [table for table, any_row in zip(tables, cursor.fetchone(), strict=True) if any_row]
    below = _statements(cursor, [deeper for table in filled_tables for deeper in table.below], parameters)
    return [*below, *(table.sql for table in filled_tables)]


@cache
def _tables() -> list[Table]:
    """The tables with a foreign key to memories, each with the tables that lead to it."""
    return list(_below(Memory, f"id = ANY({IDS})"))


def _below(model: type[Model], where: str) -> Iterator[Table]:
    """The tables that refer to a model. `where`: which of its rows are deleted; SQL with the parameter `ids`."""
    table, key = model._meta.db_table, _key(model)
    for relation in model._meta.related_objects:
        child: type[Any] = relation.related_model
        column, on_delete = relation.field.column, relation.on_delete
        is_first = where.startswith(f"{key} = ANY")
        of_these = f"{column} = ANY({IDS})" if is_first else f"{column} IN (SELECT {key} FROM {table} WHERE {where})"  # noqa: S608
        any_row = f"EXISTS (SELECT FROM {child._meta.db_table} WHERE {of_these})"
        if on_delete is SET_NULL:
            yield Table(f"UPDATE {child._meta.db_table} SET {column} = NULL WHERE {of_these}", any_row, ())  # noqa: S608
        elif on_delete is CASCADE:
            below = list(_below(child, of_these))
            yield Table(f"DELETE FROM {child._meta.db_table} WHERE {of_these}", any_row, below)  # noqa: S608
        elif on_delete is not DO_NOTHING:  # that the database does
            raise TypeError(f"what becomes of {child.__name__}.{relation.field.name} when its memory goes?")


def _key(model: type[Model]) -> str:
    assert model._meta.pk is not None
    return str(model._meta.pk.column)


UNLINK = """
UPDATE memories_evidence SET event_id = NULL
WHERE event_id IN (SELECT id FROM memories_event WHERE episode_id = ANY(%s))
"""
PASSAGES = "DELETE FROM memories_passage WHERE memory_id = ANY(%s)"  # the database deletes their vectors
MARK_REMOVED = """
UPDATE memories_episode SET transcript_removed_at = %s,
    environment = jsonb_strip_nulls(jsonb_build_object('repository', environment->'repository'))
WHERE memory_id = ANY(%s)
"""


def remove_transcripts(ids: Sequence[UUID], *, at: datetime) -> int:
    """Delete events and passages of these episodes, which the caller's transaction has locked; how many events.

    Of the environment of a run (schemas of tools, former messages) only the repository stays. Evidence keeps its quote.
    """
    episodes = list(ids)
    instructions = instructions_of(episodes)
    with connection.cursor() as cursor:
        for statement in (UNLINK, PASSAGES, EVENTS):
            cursor.execute(statement, [episodes])
        event_count = int(cursor.rowcount)
        cursor.execute(MARK_REMOVED, [at, episodes])
    drop_unused_instructions(instructions)
    return event_count


def instructions_of(episodes: Collection[UUID]) -> list[bytes]:
    """The hashes of the system messages of these episodes."""
    events = Event.objects.filter(episode__any=episodes).exclude(instruction=None)
    return [bytes(sha256) for sha256 in events.order_by().values_list("instruction", flat=True).distinct()]


def drop_unused_instructions(instructions: list[bytes]) -> None:
    """Delete those of these system messages that no other run begins with."""
    used = Event.objects.filter(instruction=OuterRef("pk"))
    Instruction.objects.filter(~Exists(used), pk__in=instructions).delete()


def prune(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove episodes and working states whose salience fell under a thousandth. Counters: pruned, kept.

    What a live memory rests on stays, and is marked so that no later run meets it until that memory closes. Knowledge
    is never pruned: it leaves by its confidence.
    """
    return batches.each(lambda: _prune_some(at=at), until=until)


FADED, OVER = "nobody used or confirmed it", "its time was over"


def remove_expired(ids: Collection[UUID], *, at: datetime) -> None:
    """Remove these, in the caller's transaction and under its locks. The trail says that they expired; live claims
    leave a tombstone that blocks nothing."""
    if not ids:
        return
    rows, batch = list(Memory.objects.filter(pk__in=ids)), uuid7()
    insert([_expiry(row, at=at, batch=batch) for row in rows])
    Tombstone.objects.mark([row for row in rows if row.is_claim and row.status in LIVE], by=SYSTEM, at=at)
    if applied_rows := [row for row in rows if row.status == Status.APPLIED]:  # no other memory has a behaviour
        Adaptation.objects.filter(memory__in=applied_rows).revert(why=RevertReason.EXPIRED, by=SYSTEM, at=at)
    remove(ids)


def _expiry(row: Memory, *, at: datetime, batch: UUID) -> AuditEntry:
    why = OVER if row.expires_at is not None and row.expires_at <= at else FADED
    before = {"status": row.status, "confidence": row.confidence}
    return row.audit("expire", by=SYSTEM, at=at, before=before, why=why, batch=batch)


def _prune_some(*, at: datetime) -> Counter[str] | None:
    due = Memory.objects.prunable(at).select_for_update(skip_locked=True, of=("self",))
    memories = list(due.only("key", "content", "type", "scope", "sensitivity", "version")[: batches.BATCH])
    if not memories:
        return None
    digested_ids = _still_digested([row.pk for row in memories if row.type == Type.EPISODIC])
    rows = {row.pk: row for row in memories if row.type == Type.WORKING or row.pk in digested_ids}
    witness_ids = set(Memory.objects.filter(pk__in=rows).witnessing().values_list("pk", flat=True))
    Memory.objects.filter(pk__in=witness_ids).update(evidence_of_live=True)
    pruned_rows = [row for row in rows.values() if row.pk not in witness_ids]
    batch = uuid7()
    insert([row.audit("prune", by=SYSTEM, at=at, batch=batch) for row in pruned_rows])
    remove([row.pk for row in pruned_rows])
    return Counter(pruned=len(pruned_rows), kept=len(witness_ids))


def _still_digested(ids: Sequence[UUID]) -> set[UUID]:
    """Those that are still digested: a replaced outcome makes an episode undigested again."""
    rows = Episode.objects.select_for_update().filter(pk__in=ids, digested_at__isnull=False).order_by("pk")
    return set(rows.values_list("pk", flat=True))
