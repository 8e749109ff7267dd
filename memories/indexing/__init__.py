"""Indexing of stored content for search: passages, their vectors, and the approximate nearest neighbour index."""

from memories.indexing.queue import index_events, index_rest, of_new_episodes, of_new_memories, reindex

__all__ = ["index_events", "index_rest", "of_new_episodes", "of_new_memories", "reindex"]
