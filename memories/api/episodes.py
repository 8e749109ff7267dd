"""GET episodes: what was recorded, newest first; what happened in one of them is at episodes/{id}/events."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import examples, lists, representations
from memories.api.base import ApiView
from memories.api.described import Operation, described
from memories.api.lists import PAGING
from memories.api.parameters import query, some_of
from memories.api.schema.memory import Memory as MemoryShape
from memories.api.schema.memory import Page
from memories.models import Episode, Memory
from memories.models.episode import UNKNOWN
from memories.models.passage import saying
from memories.values.choices import Outcome, Permission, Type

OUTCOMES = [*Outcome.values, UNKNOWN]
EXACT = ("scope", "source", "thread_id")
ORDER = ("-created_at", "-id")


class EpisodePage(Page):
    results: list[MemoryShape]
    """Memories of the type episodic, without their timelines: `event_count` says how much there is"""


LIST_EPISODES = Operation(
    "ListEpisodes",
    "Memories",
    "Episodes, filtered, newest first",
    "An episode is a memory; its id leads to its events. What can be searched in them is found by POST search.",
    {200: EpisodePage},
    example={"next": None, "previous": None, "results": [examples.memory("episodic")]},
    parameters=(
        some_of("outcome", OUTCOMES, "That ended so; `unknown`: nobody has said how."),
        query("open", {"type": "string", "enum": ["true", "false"]}, "Those that still take events, or the closed."),
        query("source", {"type": "string"}, "Of exactly this source."),
        query("q", {"type": "string"}, "With these words in what was said or done, or in their titles."),
    ),
)


@described(LIST_EPISODES)
class Episodes(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"outcome", "open", "q", "tag", *EXACT}) | PAGING

    def get(self, request: Request) -> Response:
        at = lists.moment(request)
        rows = Memory.objects.visible_to(self.trust).unexpired(timezone.now()).filter(**self._columns(request))
        if outcomes := lists.choice(request, "outcome", OUTCOMES):
            rows = rows.filter(episode__in=Episode.objects.ended(outcomes))
        for tag in request.query_params.getlist("tag"):
            rows = rows.filter(tags__contains=[tag])
        if words := request.query_params.get("q", "").strip():
            rows = saying(rows, words)

        def show(row: Memory) -> dict[str, Any]:
            return representations.memory(row, at=at)

        return lists.answer(request, rows.select_related("episode").with_salience(at), ORDER, show=show, at=at)

    def _columns(self, request: Request) -> dict[str, Any]:
        columns: dict[str, Any] = {"type": Type.EPISODIC, **lists.exact(request, *EXACT)}
        if (is_open := lists.boolean(request, "open")) is not None:
            columns["episode__closed_at__isnull"] = is_open
        return columns
