"""Stored episodes as the runs that are learnt from: bounded, so that one huge run cannot stop the others."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, JSONField, TextField, When
from django.db.models.functions import Cast, Left, Length

from consolidation.learning.runs import Call, Message, Run
from memories.models import Episode, Event

MOST_EVENTS = 400  # of one run, from its beginning
LONGEST_TEXT = 8_000
LARGEST_RESULT = 200_000
HINTS = ("readOnlyHint", "read_only", "readOnly")


def runs(episode_ids: Sequence[UUID]) -> list[Run]:
    """The closed runs of these episodes that have an outcome, in the order of (at, id)."""
    episodes = Episode.objects.filter(pk__in=episode_ids, closed_at__isnull=False, outcome__isnull=False)
    events = _events(episode_ids)
    return [_run(episode, events[episode.pk]) for episode in episodes.order_by("closed_at", "pk")]


def read_only_hints(episodes: Iterable[Episode]) -> dict[str, bool]:
    """What callers said of their tools in the schemas that came with the runs; a later word replaces an earlier one."""
    hints: dict[str, bool] = {}
    for episode in episodes:
        for tool in episode.environment.get("tools", []):
            function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
            name, hint = function.get("name"), _hint({**tool, **function})
            if isinstance(name, str) and hint is not None:
                hints[name] = hint
    return hints


def _hint(tool: dict[str, Any]) -> bool | None:
    said = tool.get("annotations")
    places = [said, tool] if isinstance(said, dict) else [tool]
    found = (place.get(name) for place in places for name in HINTS)
    return next((value for value in found if isinstance(value, bool)), None)


def _events(episode_ids: Sequence[UUID]) -> dict[UUID, list[Event]]:
    small = When(result_length__lte=LARGEST_RESULT, then="result")
    rows = (
        Event.objects.filter(episode__in=episode_ids, position__lte=MOST_EVENTS, instruction=None)
        .annotate(result_length=Length(Cast("result", TextField())))
        .annotate(said=Left("text", LONGEST_TEXT), returned=Case(small, output_field=JSONField()))
        .only("episode_id", "position", "kind", "role", "ref", "tool", "args", "ok", "at")
        .order_by("episode", "position")
    )
    found: dict[UUID, list[Event]] = defaultdict(list)
    for row in rows.iterator(chunk_size=2000):
        found[row.episode_id].append(row)
    return found


def _run(episode: Episode, events: list[Any]) -> Run:
    calls = tuple(
        Call(e.position, e.tool, e.args, e.returned, e.ok, e.at, e.ref or None) for e in events if e.kind == "tool_call"
    )
    messages = tuple(Message(e.position, e.role, e.said, e.at) for e in events if e.said and e.kind != "tool_call")
    return Run(
        id=episode.pk,
        thread_id=episode.thread_id,
        source=episode.source,
        outcome=episode.outcome,  # type: ignore[arg-type]  # not null by the query, one of three by the constraint
        at=episode.closed_at,  # type: ignore[arg-type]  # not null by the query
        calls=calls,
        messages=messages,
    )
