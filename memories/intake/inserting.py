"""Insert what the gate has admitted: a memory or an episode with its passages, the names in it and its audit row.

Every write of a new one ends here; a test holds that, so that none is without a trail or cannot be found.
"""

from collections.abc import Sequence
from typing import Unpack

from memories.models import AuditEntry, Episode, Event, Evidence, Memory, Passage, bulk_rows, passage, subject
from memories.models.audit import EntryFacts


def insert_memories(
    memories: Sequence[Memory],
    evidence: Sequence[Evidence] = (),
    *,
    action: str = "create",
    unless_taken: bool = False,
    **facts: Unpack[EntryFacts],
) -> bool:
    """Insert memories with their evidence. `facts`: of the audit row of each.

    False, with `unless_taken`: a single one was not inserted, because another live memory has its key or thread.
    """
    trail = [memory.audit(action, **facts) for memory in memories]
    passages, rest = passage.part_of_insert(passage.of_memories(memories))
    names = subject.part_of_insert(memories)
    also = names.beside(passages) if names else passages
    if not bulk_rows.insert(memories, evidence, trail, also=also, unless_taken=unless_taken):
        return False
    passage.write(rest)
    return True


def insert_episodes(
    episodes: Sequence[Episode],
    events: Sequence[Event],
    trail: Sequence[AuditEntry] = (),
    *,
    unless: bulk_rows.Part | None = None,
    **facts: Unpack[EntryFacts],
) -> bool:
    """Insert episodes with their memories, and events, of which some may join episodes that were there before.

    `trail`: audit rows beside those of the new episodes, whose `facts` are given. False: the condition `unless` holds,
    and nothing was inserted.
    """
    memories = [episode.memory for episode in episodes]
    creation_entries = [memory.audit("create", **facts) for memory in memories]
    new_ids = {memory.pk for memory in memories}
    if any(event.episode_id not in new_ids for event in events):  # its memory is no row of this statement
        bulk_rows.insert(memories, episodes, events, [*creation_entries, *trail])
        Passage.objects.write_events(events, titles_of=episodes)
        return True
    passages, rest = passage.part_of_insert(passage.of_events(events, titles_of=episodes))
    if not bulk_rows.insert(memories, episodes, events, [*creation_entries, *trail], also=passages, unless=unless):
        return False
    passage.write(rest)
    return True
