"""What is stored becomes findable: passages, their vectors, and the index over these."""

from memories.indexing.passages import index_events, index_memories, reindex

__all__ = ["index_events", "index_memories", "reindex"]
