"""Search and context assembly: ranking by meaning and words, by company and by source."""

from memories.search.request import SearchRequest, check
from memories.search.results import PassageHit, Result, SearchResults
from memories.search.run import find, search
