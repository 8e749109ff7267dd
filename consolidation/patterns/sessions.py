"""A run of a plugin as its event reports it; the sessions of such runs, and their neighbours in time: one SQL statement
for a batch, using indexes only."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from consolidation.models.groups import PluginRun
from memories.values.text import normal

MAX_LENGTH = 300  # characters of a value of the context
NO_LINE = UUID(int=0)  # before `sessions.assign`
GAP = timedelta(hours=2)  # a longer pause between runs without a thread begins a new session
MAX_NEIGHBOURS = 50  # runs on either side

NEAREST = """
    SELECT n, past.at, past.session, next.session
    FROM unnest(%(lines)s::uuid[], %(sources)s::text[], %(ats)s::timestamptz[])
        WITH ORDINALITY AS a(line, source, at, n)
    LEFT JOIN LATERAL (SELECT at, session FROM consolidation_pluginrun WHERE line = a.line AND source = a.source
        AND session <> line AND at <= a.at AND at >= a.at - %(gap)s ORDER BY at DESC LIMIT 1) AS past ON true
    LEFT JOIN LATERAL (SELECT at, session FROM consolidation_pluginrun WHERE line = a.line AND source = a.source
        AND session <> line AND at > a.at AND at <= a.at + %(gap)s ORDER BY at LIMIT 1) AS next ON true
"""
NEIGHBOURS = """
    SELECT n, side, r.event_id, r.episode_id, r.source, r.at, r.session, r.sensitivity
    FROM unnest(%(lines)s::uuid[], %(ats)s::timestamptz[], %(events)s::uuid[])
        WITH ORDINALITY AS a(line, at, event_id, n)
    CROSS JOIN LATERAL (
        (SELECT 0 AS side, * FROM consolidation_pluginrun WHERE line = a.line AND at >= a.at - %(gap)s
            AND (at, event_id) < (a.at, a.event_id) ORDER BY at DESC, event_id DESC LIMIT %(most)s)
        UNION ALL
        (SELECT 1 AS side, * FROM consolidation_pluginrun WHERE line = a.line AND at <= a.at + %(gap)s
            AND (at, event_id) > (a.at, a.event_id) ORDER BY at, event_id LIMIT %(most)s)
    ) AS r
"""


def _whole_number(value: Any) -> list[int]:
    """[value] as an int, if it is a whole number of 0 or more, also as text; else []."""
    if isinstance(value, str):
        value = int(value.strip()) if value.strip().isdecimal() and len(value) < 10 else None
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == value // 1
    return [int(value)] if is_whole else []


@dataclass(frozen=True)
class ReportedRun:
    """A plugin's run. `line`: its thread, or all runs without a thread in its scope; `session`: its thread, or the runs
    of its source on that line without a pause of two hours."""

    event_id: UUID
    episode_id: UUID
    scope: str
    source: str
    thread_id: str | None
    at: datetime
    sensitivity: int
    context: dict[str, Any] = field(default_factory=dict)
    line: UUID = NO_LINE
    session: UUID = NO_LINE

    def text(self, name: str) -> str:
        """A value of the context as one line of text; "" when there is none."""
        value = self.context.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        return " ".join(normal(value).split())[:MAX_LENGTH].strip() if isinstance(value, str) else ""

    @property
    def user_edited(self) -> bool:
        value = self.context.get("user_edited")
        return value is True or (isinstance(value, str) and value.strip().lower() == "true")

    @property
    def hour(self) -> int:
        """0 to 23 in the workspace's time zone: `run_hour` of the context, else that of its time."""
        return next((hour for hour in _whole_number(self.context.get("run_hour")) if hour <= 23), self._local_time.hour)

    @property
    def day(self) -> date:
        return self._local_time.date()

    @cached_property
    def _local_time(self) -> datetime:
        return self.at.astimezone(ZoneInfo(settings.TIME_ZONE))


def assign(runs: Sequence[ReportedRun]) -> list[ReportedRun]:
    """The runs with their line and session, which are stored; a run that has a session already keeps it."""
    stored_runs = {row.event_id: row for row in PluginRun.objects.filter(event_id__in=[run.event_id for run in runs])}
    runs_with_lines = [replace(run, line=_line(run)) for run in runs]
    new = [run for run in runs_with_lines if run.event_id not in stored_runs]
    sessions = _sessions([run for run in new if run.thread_id is None])
    runs_with_sessions = [_with_session(run, stored_runs, sessions) for run in runs_with_lines]
    PluginRun.objects.bulk_create(
        PluginRun(
            line=run.line,
            source=run.source,
            at=run.at,
            event_id=run.event_id,
            episode_id=run.episode_id,
            session=run.session,
            sensitivity=run.sensitivity,
        )
        for run in runs_with_sessions
        if run.event_id not in stored_runs
    )
    return runs_with_sessions


def _line(run: ReportedRun) -> UUID:
    return uuid5(NAMESPACE_OID, f"{run.scope}\n{'' if run.thread_id is None else 'thread ' + run.thread_id}")


def _with_session(run: ReportedRun, stored_runs: dict[UUID, PluginRun], sessions: dict[UUID, UUID]) -> ReportedRun:
    row = stored_runs.get(run.event_id)
    return replace(run, session=row.session if row else sessions.get(run.event_id, run.line))


def _sessions(runs: Sequence[ReportedRun]) -> dict[UUID, UUID]:
    """Session by event, of runs without a thread: that of the source's run before it, else after it, else a new one."""
    nearest = _nearest(runs)
    latest: dict[str, tuple[datetime, UUID]] = {}
    sessions: dict[UUID, UUID] = {}
    for run in sorted(runs, key=lambda run: (run.at, run.event_id)):
        past, following = nearest[run.event_id]
        near = [candidate for candidate in (past, latest.get(run.source)) if candidate and run.at - candidate[0] <= GAP]
        session = max(near)[1] if near else following or run.event_id
        sessions[run.event_id], latest[run.source] = session, (run.at, session)
    return sessions


def _nearest(runs: Sequence[ReportedRun]) -> dict[UUID, tuple[tuple[datetime, UUID] | None, UUID | None]]:
    if not runs:
        return {}
    parameters: dict[str, Any] = {
        "lines": [r.line for r in runs],
        "sources": [r.source for r in runs],
        "ats": [r.at for r in runs],
    }
    with connection.cursor() as cursor:
        cursor.execute(NEAREST, parameters | {"gap": GAP})
        rows = cursor.fetchall()
    return {runs[n - 1].event_id: ((at, past) if past else None, following) for n, at, past, following in rows}


def neighbours(
    runs: Sequence[ReportedRun], within: timedelta
) -> Iterator[tuple[ReportedRun, list[ReportedRun], list[ReportedRun]]]:
    """Each run with the runs before and after it on its line within that time, the nearest first."""
    sides: dict[int, tuple[list[ReportedRun], list[ReportedRun]]] = defaultdict(lambda: ([], []))
    parameters: dict[str, Any] = {
        "lines": [r.line for r in runs],
        "ats": [r.at for r in runs],
        "events": [r.event_id for r in runs],
    }
    with connection.cursor() as cursor:
        cursor.execute(NEIGHBOURS, parameters | {"gap": within, "most": MAX_NEIGHBOURS})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    for n, side, event_id, episode_id, source, at, session, sensitivity in rows:
        run = runs[n - 1]
        neighbour = ReportedRun(
            event_id=event_id,
            episode_id=episode_id,
            scope=run.scope,
            source=source,
            thread_id=run.thread_id,
            at=at,
            sensitivity=sensitivity,
            line=run.line,
            session=session,
        )
        sides[n - 1][side].append(neighbour)
    for number, run in enumerate(runs):
        before, after = sides[number]
        yield (
            run,
            sorted(before, key=lambda each: (each.at, each.event_id), reverse=True),
            sorted(after, key=lambda each: (each.at, each.event_id)),
        )
