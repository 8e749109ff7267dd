"""Searching in words, with an example."""

from typing import Any

from memories.api import examples
from memories.api.described import Operation
from memories.api.schema.search import SearchAnswer
from memories.search import SearchRequest

EXAMPLE: dict[str, Any] = {
    "query": "how do we refund a parcel that arrived broken?",
    "types": ["episodic", "semantic", "competence"],
    "scopes": ["project:shop"],
    "limit": 5,
    "explain": True,
}
ABOUT = (
    "By words and meaning, over everything that the caller may see: knowledge, skills, and each event of an episode. "
    "A word counts for a passage by how near it was said. Any wording is taken; one rare word in common is enough, "
    "and no operators are read. `score` orders what was found; `relevance` is absolute, to put a threshold on. `unit: "
    "passage` ranks single passages, which is what one wants of long conversations. Counts a use of the first 10 when "
    "an agent asks."
)
_TOLD: dict[str, Any] = {"method": "POST", "takes": SearchRequest, "refuses": frozenset({413, 415})}
SEARCH = Operation("Search", "Search", "Search everything", ABOUT, {200: SearchAnswer}, example=EXAMPLE, **_TOLD)
RETRIEVE = Operation(
    "Retrieve", "Search", "Search everything, by another name", ABOUT, {200: SearchAnswer}, example=EXAMPLE, **_TOLD
)
ANSWER: dict[str, Any] = {
    "results": [
        {
            "memory": examples.memory("semantic"),
            "score": 0.93,
            "relevance": 0.71,
            "passages": [],
            "parts": {"words": 0.7, "meaning": 0.3, "relevance": 0.8, "salience": 0.1, "confidence": 0.03},
        }
    ],
    "selection": None,
    "degraded": [],
    "took_ms": 8.4,
}
