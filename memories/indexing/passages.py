"""Writing of passages and their vectors, in the transaction that stores the content."""

from collections.abc import Iterable

from memories.models import Episode, Event, Memory, Passage


def index_memories(memories: Iterable[Memory]) -> None:
    """Index memories that are no episodes and were just inserted; one statement however many."""
    Passage.objects.write_memories(memories)


def index_events(events: Iterable[Event], *, titles_of: Iterable[Episode] = ()) -> None:
    """Index events that were just inserted, of any episodes, and the titles of new episodes; one statement."""
    Passage.objects.write_events(events, titles_of=titles_of)


def reindex(memory: Memory) -> None:
    """Rewrite the passages of a memory whose content has changed."""
    Passage.objects.rewrite(memory)
