"""Applying rules to reported runs; and the rule of sequences, over runs of different plugins that follow each other.

A rule that raises stops neither the other rules nor the other runs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from django.db import transaction

from consolidation.models.groups import RuleRetry
from consolidation.patterns import sessions
from consolidation.patterns.candidates import CandidateWriter
from consolidation.patterns.counts import GroupCounts
from consolidation.patterns.rules import (
    CATEGORISATION,
    ENTITY,
    OVERRIDE,
    TIME_OF_DAY,
    Detection,
    GroupIdentity,
    Rule,
    key_part,
)
from consolidation.patterns.sessions import ReportedRun
from memories.models.row_queue import message_of
from memories.values.choices import Category
from memos_site.platform.outages import UNAVAILABLE

WINDOW = timedelta(hours=2)


def detect(runs: Sequence[ReportedRun]) -> Iterator[tuple[ReportedRun, list[Detection]]]:
    """Every two and three neighbouring runs of different plugins that contain the run, the longer ones first.

    A late run may stand before runs that were read earlier. Each window is reported once, by that of its runs which
    comes last in this batch.
    """
    turns = {run.event_id: turn for turn, run in enumerate(runs)}
    for turn, (run, before, after) in enumerate(sessions.neighbours(runs, WINDOW)):
        earlier = _steps(before, run)[:2][::-1]
        row = [*earlier, run, *_steps(after, run)[:2]]
        windows = [*_windows(row, len(earlier), 3), *_windows(row, len(earlier), 2)]
        complete = [window for window in windows if all(turns.get(each.event_id, turn) <= turn for each in window)]
        if complete:
            yield run, [_detection(window) for window in complete]


def _steps(neighbours: Iterable[ReportedRun], run: ReportedRun) -> list[ReportedRun]:
    """The neighbours, nearest first; of consecutive runs of one plugin only the nearest."""
    steps: list[ReportedRun] = []
    last = key_part(run.source, "plugin")
    for neighbour in neighbours:
        name = key_part(neighbour.source, "plugin")
        if name != last:
            steps.append(neighbour)
            last = name
    return steps


def _windows(row: Sequence[ReportedRun], at: int, size: int) -> Iterator[Sequence[ReportedRun]]:
    """The parts of a row of this size that contain the run at position `at`, no longer than WINDOW."""
    for start in range(max(0, at - size + 1), min(at, len(row) - size) + 1):
        window = row[start : start + size]
        if window[-1].at - window[0].at <= WINDOW:
            yield window


def _detection(window: Sequence[ReportedRun]) -> Detection:
    names = [run.source for run in window]
    identity: GroupIdentity = tuple(key_part(name, "plugin") for name in names)
    last = window[-1]
    return Detection(
        identity,
        unit=last.session,
        at=last.at,
        event_id=last.event_id,
        episodes=tuple(dict.fromkeys(run.episode_id for run in reversed(window))),
        sensitivity=max(run.sensitivity for run in window),
        source=names[0],
        key="-".join(("workflow-seq", *identity)),
        content=f"The usual order of work: {' → '.join(names)}",
        category=Category.WORKFLOW,
        covers=(identity[:2], identity[1:]) if len(identity) == 3 else (),
    )


SEQUENCE = Rule("sequence", threshold=3, confidence=20, detect=detect, by_units=True)


RULES = (CATEGORISATION, OVERRIDE, ENTITY, SEQUENCE, TIME_OF_DAY)


class RunProgress(Protocol):
    """What a rule needs of a pattern run's progress. `remaining`: new memories that each rule may still create."""

    at: datetime
    remaining: dict[str, int]

    def record_failure(self, reason: str) -> None: ...


def apply(rule: Rule, scope: str, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    """Apply a rule to the runs of a scope; if that fails, to each run alone, recording the ones that fail for a retry.

    Returns counters. UNAVAILABLE is raised.
    """
    try:
        return apply_one(rule, runs, progress)
    except UNAVAILABLE:
        raise
    except Exception:  # one run must cost neither the other runs nor the other rules
        return _apply_singly(rule, runs, progress)


def apply_one(rule: Rule, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    """Apply a rule to the runs of a scope in one transaction; raises what the rule raises."""
    if not runs:
        return Counter()
    with transaction.atomic():
        by_run = list(rule.detect(runs))
        detections = [detection for _, of_run in by_run for detection in of_run]
        if not detections:
            return Counter()
        counts = GroupCounts(rule, runs[0].scope, detections)
        writer = CandidateWriter(rule, counts, remaining=progress.remaining.get(rule.name), at=progress.at)
        for run, of_run in by_run:
            for detection in of_run:
                if writer.may_write(detection):
                    writer.record(detection)
                else:
                    RuleRetry.objects.note(rule.name, run.event_id, run.episode_id, run.scope, waiting=True)
                    writer.counters["waiting"] += 1
        counts.save()
    if writer.remaining is not None:
        progress.remaining[rule.name] = writer.remaining
    return writer.counters


def _apply_singly(rule: Rule, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    counters: Counter[str] = Counter()
    for run in runs:
        try:
            counters.update(apply_one(rule, [run], progress))
        except UNAVAILABLE:
            raise
        except Exception as error:  # recorded for this event and rule, and tried again
            message = message_of(error)  # may quote the event: shown only to who may see that
            RuleRetry.objects.note(rule.name, run.event_id, run.episode_id, run.scope, attempts=1, error=message)
            progress.record_failure(f"{rule.name}: {type(error).__name__}")
    return counters
