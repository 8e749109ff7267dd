"""The way out: by meaning and words, by company, by source. One ranking behind every door."""

from memories.retrieval.found import Found, Result, Told
from memories.retrieval.request import SearchRequest, check
from memories.retrieval.searching import find, search

__all__ = ["Found", "Result", "SearchRequest", "Told", "check", "find", "search"]
