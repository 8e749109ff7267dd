"""POST search: one ranking of everything; and its other name, POST retrieve."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import search
from memories.api import operations_of_search as operations
from memories.api import representations
from memories.api.base import ApiView
from memories.api.described import described
from memories.models import Memory
from memories.search import Found, Result, SearchRequest
from memories.values.choices import Permission


class Searching(ApiView):
    instead = 'POST {"query": "..."} as JSON to this address, or list with GET /api/v1/memories?q='
    needs = {"POST": (Permission.READ,)}

    def post(self, request: Request) -> Response:
        at = timezone.now()
        asked = search.check(request.data)
        return Response(answer(search.search(asked, trust=self.trust, at=at), asked, at=at))


@described(operations.SEARCH)
class Search(Searching):
    pass


@described(operations.RETRIEVE)
class Retrieve(Searching):
    pass


def answer(found: Found, asked: SearchRequest, *, at: datetime) -> dict[str, Any]:
    return {
        "results": [
            *(_result(result, asked, at=at) for result in found.results),
            *(_stub(row, at=at) for row in found.stubs),
        ],
        "selection": _selection(found),
        "degraded": list(found.degraded),
        "took_ms": found.took_ms,
    }


def _result(result: Result, asked: SearchRequest, *, at: datetime) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "memory": representations.memory(result.memory, at=at),
        "score": result.score,
        "relevance": result.relevance,
        "passages": [told._asdict() for told in result.passages],
    }
    return shown | {"parts": result.parts} if asked.explain else shown


def _stub(row: Memory, *, at: datetime) -> dict[str, Any]:
    return {"memory": representations.stub(row, at=at), "score": 0.0, "relevance": None, "passages": []}


def _selection(found: Found) -> dict[str, Any] | None:
    if (chosen := found.selection) is None:
        return None
    return {
        "selected": chosen.selected,
        "confidence": chosen.confidence,
        "needs_more": chosen.needs_more,
        "scores": {str(id): score for id, score in chosen.scores.items()},
    }
