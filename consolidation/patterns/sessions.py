"""Which runs belong together, and which stand beside each other. One statement for a batch, through indexes only."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db import connection

from consolidation.models.groups import PluginRun
from consolidation.patterns.plugin_run import Ran

GAP = timedelta(hours=2)  # of silence, after which runs without a thread are another session
MOST_BESIDE = 50  # runs looked at on either side

NEAREST = """
    SELECT n, past.at, past.session, next.session
    FROM unnest(%(lines)s::uuid[], %(sources)s::text[], %(ats)s::timestamptz[])
        WITH ORDINALITY AS a(line, source, at, n)
    LEFT JOIN LATERAL (SELECT at, session FROM consolidation_pluginrun WHERE line = a.line AND source = a.source
        AND session <> line AND at <= a.at AND at >= a.at - %(gap)s ORDER BY at DESC LIMIT 1) AS past ON true
    LEFT JOIN LATERAL (SELECT at, session FROM consolidation_pluginrun WHERE line = a.line AND source = a.source
        AND session <> line AND at > a.at AND at <= a.at + %(gap)s ORDER BY at LIMIT 1) AS next ON true
"""
BESIDE = """
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


def place(runs: Sequence[Ran]) -> list[Ran]:
    """The same with their line and session, which are kept; what was placed before stays where it is."""
    known = {row.event_id: row for row in PluginRun.objects.filter(event_id__in=[run.event_id for run in runs])}
    lined = [replace(run, line=_line(run)) for run in runs]
    new = [run for run in lined if run.event_id not in known]
    sessions = _sessions([run for run in new if run.thread_id is None])
    placed = [_placed(run, known, sessions) for run in lined]
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
        for run in placed
        if run.event_id not in known
    )
    return placed


def _line(run: Ran) -> UUID:
    return uuid5(NAMESPACE_OID, f"{run.scope}\n{'' if run.thread_id is None else 'thread ' + run.thread_id}")


def _placed(run: Ran, known: dict[UUID, PluginRun], sessions: dict[UUID, UUID]) -> Ran:
    row = known.get(run.event_id)
    return replace(run, session=row.session if row else sessions.get(run.event_id, run.line))


def _sessions(runs: Sequence[Ran]) -> dict[UUID, UUID]:
    """Of runs without a thread, by event: that of the run of its source before it, else of the one after it."""
    stored = _nearest(runs)
    latest: dict[str, tuple[datetime, UUID]] = {}
    found: dict[UUID, UUID] = {}
    for run in sorted(runs, key=lambda run: (run.at, run.event_id)):
        past, following = stored[run.event_id]
        near = [one for one in (past, latest.get(run.source)) if one and run.at - one[0] <= GAP]
        session = max(near)[1] if near else following or run.event_id
        found[run.event_id], latest[run.source] = session, (run.at, session)
    return found


def _nearest(runs: Sequence[Ran]) -> dict[UUID, tuple[tuple[datetime, UUID] | None, UUID | None]]:
    if not runs:
        return {}
    asked: dict[str, Any] = {
        "lines": [r.line for r in runs],
        "sources": [r.source for r in runs],
        "ats": [r.at for r in runs],
    }
    with connection.cursor() as cursor:
        cursor.execute(NEAREST, asked | {"gap": GAP})
        rows = cursor.fetchall()
    return {runs[n - 1].event_id: ((at, past) if past else None, following) for n, at, past, following in rows}


def around(runs: Sequence[Ran], within: timedelta) -> Iterator[tuple[Ran, list[Ran], list[Ran]]]:
    """Each with the runs before and after it on its line, the nearest first."""
    found: dict[int, tuple[list[Ran], list[Ran]]] = defaultdict(lambda: ([], []))
    asked: dict[str, Any] = {
        "lines": [r.line for r in runs],
        "ats": [r.at for r in runs],
        "events": [r.event_id for r in runs],
    }
    with connection.cursor() as cursor:
        cursor.execute(BESIDE, asked | {"gap": within, "most": MOST_BESIDE})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    for n, side, event_id, episode_id, source, at, session, sensitivity in rows:
        run = runs[n - 1]
        beside = Ran(
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
        found[n - 1][side].append(beside)
    for number, run in enumerate(runs):
        before, after = found[number]
        yield (
            run,
            sorted(before, key=lambda one: (one.at, one.event_id), reverse=True),
            sorted(after, key=lambda one: (one.at, one.event_id)),
        )
