"""Remove the transcripts of finished runs: what was said and done in them. Everything else about them stays."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.lifecycle.forgetting.traces import drop_unused
from memories.models import Event

UNLINK = """
UPDATE memories_evidence SET event_id = NULL
WHERE event_id IN (SELECT id FROM memories_event WHERE episode_id = ANY(%s))
"""
PASSAGES = "DELETE FROM memories_passage WHERE memory_id = ANY(%s)"  # the database deletes their vectors
EVENTS = "DELETE FROM memories_event WHERE episode_id = ANY(%s)"
SAY_SO = """
UPDATE memories_episode SET transcript_removed_at = %s,
    environment = jsonb_strip_nulls(jsonb_build_object('repository', environment->'repository'))
WHERE memory_id = ANY(%s)
"""


def remove_transcripts(ids: Sequence[UUID], *, at: datetime) -> int:
    """Delete events and passages of these episodes, which the caller's transaction has locked; how many events.

    Of what came along with a run (schemas of tools, former messages) its repository stays. Evidence keeps its quote.
    """
    episodes = list(ids)
    events = Event.objects.filter(episode__any=episodes).exclude(instruction=None).order_by()
    instructions = [bytes(one) for one in events.values_list("instruction", flat=True).distinct()]
    with connection.cursor() as cursor:
        for statement in (UNLINK, PASSAGES, EVENTS):
            cursor.execute(statement, [episodes])
        removed = int(cursor.rowcount)
        cursor.execute(SAY_SO, [at, episodes])
    drop_unused(instructions)
    return removed
