"""Writing of passages and their vectors, in the transaction that stores the content."""

from collections.abc import Iterable

from memories.models import Episode, Event, Memory, Passage


def index_memories(memories: Iterable[Memory]) -> None:
    """Of memories that are no episodes, just inserted; one statement however many."""
    Passage.objects.write_memories(memories)


def index_events(events: Iterable[Event], *, titles_of: Iterable[Episode] = ()) -> None:
    """Of events just inserted, whatever their episodes, and the titles of new episodes; one statement however many."""
    Passage.objects.write_events(events, titles_of=titles_of)


def reindex(memory: Memory) -> None:
    """After the content of a memory has changed."""
    Passage.objects.rewrite(memory)
