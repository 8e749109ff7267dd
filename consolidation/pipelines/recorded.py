"""Stored episodes as runs to learn from, with bounded sizes, so that one huge run cannot stop the others.

A batch of new episodes is read once (`read`), for all that learn from it in its transaction.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Case, JSONField, Q, TextField, When
from django.db.models.functions import Cast, Left, Length

from consolidation.learning.effects.places import repository
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs import operations
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Message, Run
from memories.intake.episodes.joining import resolve
from memories.models import Episode, Event
from memories.values import roles

MOST_EVENTS = 400  # of one run, from its beginning
LONGEST_TEXT = 8_000
LARGEST_RESULT = 200_000
LARGEST_LINE = 40_000  # of a command line, as JSON
HINTS = ("readOnlyHint", "read_only", "readOnly")
CALL = "tool_call"
_Columns = tuple[UUID, str | None, str, Any, datetime, Any]  # id, thread, source, outcome, closed at, repository


@dataclass(frozen=True)
class Recording:
    """A closed episode as it was read.

    `run`: what is learned from, with the episode's outcome (None: not known yet); `calls`: the same with every call,
    however long the run, and without arguments that are too large for a command line: what tells its effects.
    """

    episode: Episode
    run: Run
    calls: Run

    @property
    def has_transcript(self) -> bool:
        return self.episode.transcript_removed_at is None


def read(episodes: Sequence[Episode]) -> list[Recording]:
    """Each closed episode as recorded, in one read; what is too large for it is read once more."""
    events = _events([episode.pk for episode in episodes])
    long = [episode for episode in episodes if _is_large(episode, events[episode.pk])]
    calls = {run.id: run for run, _ in calls_of(long)} if long else {}
    runs_read = [(episode, _run(_columns(episode), events[episode.pk])) for episode in episodes]
    return [Recording(episode, run, calls.get(run.id, run)) for episode, run in runs_read]


def read_end(episode: Episode) -> Run:
    """The last events of a long run, as a run of its own."""
    return _run(_columns(episode), _events([episode.pk], after=episode.event_count - MOST_EVENTS)[episode.pk])


def _is_large(episode: Episode, events: Sequence["_Event"]) -> bool:
    return episode.event_count > MOST_EVENTS or any((event.args_size or 0) > LARGEST_LINE for event in events)


def runs(episode_ids: Sequence[UUID]) -> list[Run]:
    """The closed runs of these episodes that have a transcript and an outcome that counts, in the order of (at, id)."""
    episodes = Episode.objects.with_end().filter(pk__any=episode_ids, transcript_removed_at=None)
    columns = ("pk", "thread_id", "source", "outcome", "closed_at", "environment__repository")
    rows: list[_Columns] = list(episodes.order_by("closed_at", "pk").values_list(*columns))
    events = _events([row[0] for row in rows])
    return [_run(row, events[row[0]]) for row in rows]


def calls_of(episodes: Sequence[Episode]) -> list[tuple[Run, Episode]]:
    """Each episode as a run of its calls alone, with arguments only where these tell what the call does."""
    tells = Q(tool__in=_command_tools(episodes)) | Q(args__has_any_keys=operations.KEYS)
    lines = When(tells, args_length__lte=LARGEST_LINE, then="args")
    rows = Event.objects.filter(episode__in=episodes, kind=CALL)
    rows = rows.annotate(args_length=Length(Cast("args", TextField())))
    rows = rows.annotate(line=Case(lines, output_field=JSONField()))
    seen_calls: dict[UUID, set[tuple[str, str]]] = defaultdict(set)
    calls: dict[UUID, list[Call]] = defaultdict(list)
    for row in rows.values("episode_id", "tool", "line").iterator(chunk_size=2000):  # type: ignore[misc]  # annotated
        episode_id, tool, line = row["episode_id"], row["tool"], row["line"]
        call_key = (tool, json.dumps(line, sort_keys=True) if line is not None else "")
        if call_key not in seen_calls[episode_id]:
            seen_calls[episode_id].add(call_key)
            calls[episode_id].append(Call(len(calls[episode_id]), tool, line, None, None, _at(episodes[0]), None))
    return [(Run(*_columns(episode)[:5], tuple(calls[episode.pk]), ()), episode) for episode in episodes]


def _command_tools(episodes: Sequence[Episode]) -> list[str]:
    names = Event.objects.filter(episode__in=episodes, kind=CALL).order_by().values_list("tool", flat=True)
    rules = ToolRules(command_tools=frozenset(settings.COMMAND_TOOLS))
    return [name for name in names.distinct() if rules.runs_commands(name.strip())]


def read_only_hints(episodes: Iterable[Episode]) -> dict[str, bool]:
    """Whether tools only read, from the schemas that came with the episodes; a later episode's hint wins.

    A tool that is declared destructive does not, whatever its name says.
    """
    hints: dict[str, bool] = {}
    for episode in episodes:
        for tool in episode.environment.get("tools", []):
            function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
            name, hint = function.get("name"), _hint({**tool, **function})
            if isinstance(name, str) and hint is not None:
                hints[name] = hint
    return hints


def _hint(tool: dict[str, Any]) -> bool | None:
    annotations = tool.get("annotations")
    places = [annotations, tool] if isinstance(annotations, dict) else [tool]
    hints = (place.get(name) for place in places for name in HINTS)
    is_destructive = any(place.get("destructiveHint") is True for place in places)
    return next((value for value in hints if isinstance(value, bool)), False if is_destructive else None)


class _Event(NamedTuple):
    """The columns of an event that are read; `args_size` is the length of the arguments as JSON."""

    episode_id: UUID
    position: int
    kind: str
    role: str
    ref: str
    tool: str
    ok: bool | None
    at: datetime
    args: Any
    said: str
    returned: Any
    args_size: int | None
    depends_on: list[str]

    @property
    def after(self) -> tuple[int, ...]:
        """The positions of the earlier events of its episode that it depends on."""
        nodes = resolve(self.depends_on, self.episode_id, self.position)[0] if self.depends_on else ()
        prefix = f"{self.episode_id.hex[:8]}-"
        return tuple(int(node.removeprefix(prefix)) for node in nodes if node[len(prefix) :].isdecimal())

    @property
    def is_call(self) -> bool:
        return self.kind == CALL


def _events(episode_ids: Sequence[UUID], *, after: int = 0) -> Mapping[UUID, list[_Event]]:
    by_episode: dict[UUID, list[_Event]] = defaultdict(list)
    if not episode_ids:
        return by_episode
    small = When(result_size__lte=LARGEST_RESULT, then="result")
    rows = (
        Event.objects.not_spoken_by(roles.SYSTEM)
        .filter(episode__any=episode_ids, position__gt=after, position__lte=after + MOST_EVENTS, instruction=None)
        .annotate(args_size=Length(Cast("args", TextField())), result_size=Length(Cast("result", TextField())))
        .annotate(said=Left("text", LONGEST_TEXT), returned=Case(small, output_field=JSONField()))
        .order_by("episode", "position")
    )
    columns = ("episode_id", "position", "kind", "role", "ref", "tool", "ok", "at", "args", "said", "returned")
    for row in rows.values_list(*columns, "args_size", "depends_on").iterator(chunk_size=2000):
        by_episode[row[0]].append(_Event._make(row))
    return by_episode


def _columns(episode: Episode) -> _Columns:
    repository = episode.environment.get("repository")
    return episode.pk, episode.thread_id, episode.source, episode.counted_outcome, _at(episode), repository


def _at(episode: Episode) -> datetime:
    """When it ended, or what happened last in an open one."""
    return episode.closed_at or episode.last_event_at


def _run(columns: _Columns, events: Sequence[_Event]) -> Run:
    calls = tuple(
        Call(e.position, e.tool, e.args, e.returned, e.ok, e.at, e.ref or None, dependencies=e.after)
        for e in events
        if e.is_call
    )
    messages = tuple(Message(e.position, roles.of(e.role), e.said, e.at) for e in events if e.said and not e.is_call)
    return Run(*columns[:5], calls, messages, repository(columns[5]))
