"""GET places: repositories and folders in which runs called commands. GET places/agents.md: what is known of one."""

from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation.places import knowledge_of, known_places, names_of
from consolidation.places.agents_md import agents_md
from memories.api import paging
from memories.api.base import ApiView, FileNegotiation
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import Count, Page, Shape
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotFound

LONGEST = 512
SCOPE = query("scope", {"type": "string"}, "Only of this scope and of rows without a scope.")
PLACE = query(
    "place",
    {"type": "string", "maxLength": LONGEST},
    "A repository's address, its `owner/name`, or the name of a folder; without it, facts about the whole scope.",
)
TEXT = "text/markdown; charset=utf-8"


class KnownPlaceShape(Shape):
    name: str
    """The repository or folder; empty where runs name none, and the commands hold for the whole scope"""
    scope: str
    lines: Count
    """How many commands are known to start or to fail there"""
    runs: Count
    last_at: datetime

    example = {
        "name": "acme/shop",
        "scope": "project:shop",
        "lines": 5,
        "runs": 37,
        "last_at": "2026-11-27T08:00:00Z",
    }


class PlacePage(Page):
    results: list[KnownPlaceShape]


class Places(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope"})

    @operation("ListPlaces", "Places", PlacePage, parameters=(SCOPE,))
    def get(self, request: Request) -> Response:
        """The places in which agents ran commands

        Lists repositories, or folders named in commands, for which commands are known: those with most runs first, at
        most 200.
        """
        places = known_places(self.trust.narrowed(scopes=paging.exact(request, "scope").values()))
        return Response(
            {"next": None, "previous": None, "results": [KnownPlaceShape.from_row(place) for place in places]}
        )


class AgentsMd(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope", "place"})
    content_negotiation_class = FileNegotiation

    @operation(
        "GetAgentsMd",
        "Places",
        {200: {"type": "string"}},
        parameters=(PLACE, SCOPE),
        refuses=(404,),
        media_type="text/markdown",
    )
    def get(self, request: Request) -> HttpResponse:
        """AGENTS.md of a place

        Says which commands start there and which do not, in how many runs, and what people or several agents said
        about the place. Leaves out what a person dismissed. 404 if nothing is known.
        """
        asked = paging.exact(request, "place", "scope")
        place_asked, scope = asked.get("place", ""), asked.get("scope", "")
        if len(place_asked) > LONGEST:
            raise Invalid(FieldError("/place", "too_long", f"must be at most {LONGEST} characters long"))
        trust = self.trust.narrowed(scopes=[scope] if "scope" in asked else [])
        names = names_of(place_asked, trust) if place_asked else [""]
        known = knowledge_of(names, trust, at=timezone.now())
        if known.is_empty:
            raise NotFound("nothing is known of this place")
        headers = {"Content-Disposition": 'attachment; filename="AGENTS.md"', "X-Content-Type-Options": "nosniff"}
        return HttpResponse(agents_md(known, title=scope), content_type=TEXT, headers=headers)
