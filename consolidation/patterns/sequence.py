"""Plugins follow each other in the same order in several sessions."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from consolidation.patterns import sessions
from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Identity, Rule, Sign, part
from memories.values.choices import Category

WITHIN = timedelta(hours=2)


def signs(runs: Sequence[Ran]) -> Iterator[tuple[Ran, list[Sign]]]:
    """Every two and three that stand beside each other and have the run among them, the longer ones first. What comes
    late stands before runs that were read already; with those that are read after it they show it, not it them."""
    turns = {run.event_id: turn for turn, run in enumerate(runs)}
    for turn, (run, before, after) in enumerate(sessions.around(runs, WITHIN)):
        earlier = _steps(before, run)[:2][::-1]
        row = [*earlier, run, *_steps(after, run)[:2]]
        windows = [*_windows(row, len(earlier), 3), *_windows(row, len(earlier), 2)]
        read = [window for window in windows if all(turns.get(one.event_id, turn) <= turn for one in window)]
        if read:
            yield run, [_sign(window) for window in read]


def _steps(others: Iterable[Ran], run: Ran) -> list[Ran]:
    """The nearest first; runs of one plugin in a row are one step, and that is where it came nearest."""
    steps: list[Ran] = []
    last = part(run.source, "plugin")
    for other in others:
        name = part(other.source, "plugin")
        if name != last:
            steps.append(other)
            last = name
    return steps


def _windows(row: Sequence[Ran], at: int, size: int) -> Iterator[Sequence[Ran]]:
    """Those of that size which hold the run at that place."""
    for start in range(max(0, at - size + 1), min(at, len(row) - size) + 1):
        window = row[start : start + size]
        if window[-1].at - window[0].at <= WITHIN:
            yield window


def _sign(window: Sequence[Ran]) -> Sign:
    names = [run.source for run in window]
    identity: Identity = tuple(part(name, "plugin") for name in names)
    last = window[-1]
    return Sign(
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


RULE = Rule("sequence", threshold=3, confidence=20, signs=signs, by_units=True)
