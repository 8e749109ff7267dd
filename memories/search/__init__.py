"""The way out: by meaning and words, by company, by source. One ranking behind every door."""

from memories.search.request import SearchRequest, check
from memories.search.results import PassageHit, Result, SearchResults
from memories.search.run import find, search

__all__ = ["PassageHit", "Result", "SearchRequest", "SearchResults", "check", "find", "search"]
