"""Export and import of the requests by which a memory is found (`PassageQuerySet.requests`), as `requests` of its line.

A request of a run in the file names its event, and is deleted with it here. A pack holds no runs, so its requests are
texts alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memories import scanning
from memories.models import Event, Memory, Passage
from memories.models.episode import EventQuerySet
from memories.transfer.options import ImportedMemory, Writing
from memories.transfer.records import RequestRecord
from memories.values.trust import Trust


def requests_to_export(memories: Sequence[Memory], trust: Trust) -> dict[UUID, list[dict[str, Any]]]:
    """Requests by memory, without those of runs that are above the memory's level or hidden from the caller."""
    visible = Q(event=None) | Q(event__in=Event.objects.visible_to(trust))
    rows = Passage.objects.requests_within(F("sensitivity")).filter(visible, memory__in=memories)
    requests = defaultdict(list)
    for row in rows.select_related("event"):
        place = {"episode": row.event.episode_id, "position": row.event.position} if row.event else {}
        requests[row.memory_id].append({"text": row.text, **place})
    return requests


def keep_imported(new_memories: Sequence[ImportedMemory], writing: Writing) -> None:
    """Store the requests of new memories: those of runs that are here, in the scope and within the level of the memory;
    texts only if no scan flags them, since no page shows them for review.
    """
    for memory, record, _status in new_memories:
        for request in record.requests:
            if request.episode is not None:
                for event in _events(request, memory, writing.trust):
                    Passage.objects.write_request(memory, event)
            elif not scanning.flags(request.text):
                Passage.objects.add_requests(memory, [(request.text, None)])


def _events(request: RequestRecord, memory: Memory, trust: Trust) -> EventQuerySet:
    events = Event.objects.visible_to(trust).filter(episode=request.episode, position=request.position)
    return events.filter(episode__scope=memory.scope).select_related("episode__memory")
