"""Writing of passages and their vectors, in the transaction that stores the content."""

from collections.abc import Iterable, Iterator
from itertools import chain

from memories.models import Episode, Event, Memory, Passage, bulk_rows
from memories.models.passage import Draft, of_event, of_memory, of_title, part_of_insert


def index_events(events: Iterable[Event], *, titles_of: Iterable[Episode] = ()) -> None:
    """Index events that were just inserted, of any episodes, and the titles of new episodes; one statement."""
    Passage.objects.write_events(events, titles_of=titles_of)


def reindex(memory: Memory) -> None:
    """Rewrite the passages of a memory whose content has changed."""
    Passage.objects.rewrite(memory)


def of_new_memories(memories: Iterable[Memory]) -> tuple[bulk_rows.Part | None, Iterator[Draft]]:
    """The passages of memories as a part of the statement that inserts them, and those left for `index_rest`."""
    return part_of_insert(draft for memory in memories for draft in of_memory(memory))


def of_new_episodes(
    events: Iterable[Event], *, titles_of: Iterable[Episode] = ()
) -> tuple[bulk_rows.Part | None, Iterator[Draft]]:
    """The same of new episodes with their events, whose memories are inserted first."""
    titles = (draft for episode in titles_of for draft in of_title(episode))
    return part_of_insert(chain(titles, (draft for event in events for draft in of_event(event))))


def index_rest(drafts: Iterable[Draft]) -> None:
    """Index what was too much for the statement that inserted the memories."""
    Passage.objects.write(drafts)
