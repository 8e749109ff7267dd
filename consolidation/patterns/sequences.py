"""The rule of sequences: the runs of different plugins that follow each other, by twos and threes."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from consolidation.patterns import sessions
from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rules import Detection, GroupIdentity, Rule, key_part
from memories.values.choices import Category

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
