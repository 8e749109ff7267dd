"""Indexing of stored content for search: vectors of passages, and the approximate nearest neighbour index."""
