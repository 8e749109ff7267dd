"""Loading stored episodes as runs to learn from, with bounded sizes, so that one huge run cannot stop the others."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db.models import Case, JSONField, TextField, When
from django.db.models.functions import Cast, Left, Length

from consolidation.learning.effects import ToolRules
from consolidation.learning.places import repository
from consolidation.learning.runs import Call, Message, Run
from memories.models import Episode, Event

MOST_EVENTS = 400  # of one run, from its beginning
LONGEST_TEXT = 8_000
LARGEST_RESULT = 200_000
LARGEST_LINE = 40_000  # of a command line, as JSON
HINTS = ("readOnlyHint", "read_only", "readOnly")


def runs(episode_ids: Sequence[UUID]) -> list[Run]:
    """The closed runs of these episodes that have an outcome, in the order of (at, id)."""
    episodes = Episode.objects.filter(pk__in=episode_ids, closed_at__isnull=False, outcome__isnull=False)
    events = _events(episode_ids)
    return [_run(episode, events[episode.pk]) for episode in episodes.order_by("closed_at", "pk")]


def calls_of(episodes: Sequence[Episode]) -> list[tuple[Run, Episode]]:
    """Each episode as a run of its calls alone, with arguments only where a tool runs commands."""
    lines = When(tool__in=_command_tools(episodes), args_length__lte=LARGEST_LINE, then="args")
    rows = Event.objects.filter(episode__in=episodes, kind="tool_call")
    rows = rows.annotate(args_length=Length(Cast("args", TextField())))
    rows = rows.annotate(line=Case(lines, output_field=JSONField()))
    called: dict[UUID, set[tuple[str, str]]] = defaultdict(set)
    calls: dict[UUID, list[Call]] = defaultdict(list)
    for row in rows.values("episode_id", "tool", "line").iterator(chunk_size=2000):  # type: ignore[misc]  # annotated
        episode_id, tool, line = row["episode_id"], row["tool"], row["line"]
        known = (tool, json.dumps(line, sort_keys=True) if line is not None else "")
        if known not in called[episode_id]:
            called[episode_id].add(known)
            calls[episode_id].append(Call(len(calls[episode_id]), tool, line, None, None, _at(episodes[0]), None))
    return [(_run_of(episode, calls[episode.pk]), episode) for episode in episodes]


def _command_tools(episodes: Sequence[Episode]) -> list[str]:
    names = Event.objects.filter(episode__in=episodes, kind="tool_call").order_by().values_list("tool", flat=True)
    rules = ToolRules(command_tools=frozenset(settings.COMMAND_TOOLS))
    return [name for name in names.distinct() if rules.runs_commands(name.strip())]


def _run_of(episode: Episode, calls: Sequence[Call]) -> Run:
    return Run(episode.pk, episode.thread_id, episode.source, _outcome(episode), _at(episode), tuple(calls), ())


def _outcome(episode: Episode) -> Literal["success", "failure", "partial"]:
    return episode.outcome  # type: ignore[return-value]  # one of three by the constraint, and asked for


def _at(episode: Episode) -> datetime:
    assert episode.closed_at is not None
    return episode.closed_at


def read_only_hints(episodes: Iterable[Episode]) -> dict[str, bool]:
    """Read-only hints by tool, from the tool schemas that came with the episodes; a later episode's hint wins."""
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
        outcome=_outcome(episode),
        at=_at(episode),
        calls=calls,
        messages=messages,
        place=repository(episode.environment.get("repository")),
    )
