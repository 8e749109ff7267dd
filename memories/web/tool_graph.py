"""The tools of a run as a graph: which was called after which, how often, and what failed. Pure; drawn as SVG.

Tools stand below each other in the order of their first calls. A call of the next one is a line down, a call of one
further below an arc on the right, a call of an earlier one an arc on the left. Arcs that pass the same tools have a
lane each; those for which there is none stand in the table alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from memories.lexicon.tool_words import without_server

MOST_TOOLS = 14
MOST_NUMBERED = 12  # steps whose lines bear a number
WIDTH, BOX, HEIGHT, STEP = 288, 176, 40, 64  # of the drawing, of a tool's box, from one box to the next
LEFT_EDGE = (WIDTH - BOX) // 2
NARROWEST, LANE, LANES, CORNER = 14, 8, 5, 5  # how far an arc goes out, from one to the next, how many, its rounding
LONGEST_NAME = 23


class Call(NamedTuple):
    tool: str
    failed: bool


class Transition(NamedTuple):
    """How often the second tool of `pair` was called right after the first, and the places of both."""

    pair: tuple[str, str]
    times: int
    start: int
    end: int

    @property
    def is_straight(self) -> bool:
        """To the next tool, or to the same one."""
        return self.end - self.start in (0, 1)


@dataclass(frozen=True)
class Tool:
    name: str
    calls: int
    failures: int
    y: int

    @property
    def short(self) -> str:
        name = without_server(self.name)
        return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


@dataclass(frozen=True)
class Step:
    """Calls of `after` right after a call of `before`.

    `path`: its line; '' for a tool after itself, and for an arc without a lane. `x`, `y`: the middle of its number.
    """

    before: str
    after: str
    times: int
    path: str
    x: int
    y: int


@dataclass(frozen=True)
class Graph:
    tools: Sequence[Tool]
    steps: Sequence[Step]
    others: int  # tools that are left out
    failures: int

    @property
    def height(self) -> int:
        return STEP * (len(self.tools) - 1) + HEIGHT + 2

    @property
    def is_crowded(self) -> bool:
        """Whether there are too many lines for numbers beside them; the table has the numbers."""
        return len(self.drawn) > MOST_NUMBERED

    @property
    def undrawn(self) -> int:
        """How many steps from one tool to another stand in the table alone."""
        return sum(1 for step in self.steps if not step.path and step.before != step.after)

    @property
    def drawn(self) -> list[Step]:
        return [step for step in self.steps if step.path]


def graph(calls: Sequence[Call]) -> Graph | None:
    """The graph of these calls in their order; None without any."""
    names = list(dict.fromkeys(call.tool for call in calls))
    places = {name: place for place, name in enumerate(names[:MOST_TOOLS])}
    if not places:
        return None
    counts, failures = Counter(call.tool for call in calls), Counter(call.tool for call in calls if call.failed)
    tools = [Tool(name, counts[name], failures[name], place * STEP + 1) for name, place in places.items()]
    transition_counts = Counter((before.tool, after.tool) for before, after in pairwise(calls))
    pairs = [
        Transition(pair, times, places[pair[0]], places[pair[1]])
        for pair, times in transition_counts.items()
        if places.keys() >= set(pair)
    ]
    steps = [_line(*step) for step in pairs if step.is_straight]
    steps += _arcs([step for step in pairs if not step.is_straight])
    return Graph(tools, steps, len(names) - len(places), sum(failures.values()))


def _line(pair: tuple[str, str], times: int, start: int, end: int) -> Step:
    if start == end:
        return Step(*pair, times, "", 0, 0)
    top, bottom, middle = start * STEP + HEIGHT + 1, end * STEP + 1, WIDTH // 2
    return Step(*pair, times, f"M{middle} {top}V{bottom - 2}", middle + 16, (top + bottom) // 2 + 4)


def _arcs(skips: Sequence[Transition]) -> list[Step]:
    """The arcs of these steps, frequent and short ones first; without a path if no lane is free."""
    lanes: dict[tuple[bool, int], list[range]] = {}
    arcs = []
    for pair, times, start, end in sorted(skips, key=lambda skip: (-skip.times, abs(skip.end - skip.start))):
        places_between = range(min(start, end), max(start, end))
        free = (lane for lane in range(LANES) if not _overlaps(places_between, lanes.get((end > start, lane), [])))
        if (lane := next(free, None)) is None:
            arcs.append(Step(*pair, times, "", 0, 0))
        else:
            lanes.setdefault((end > start, lane), []).append(places_between)
            arcs.append(_arc(pair, times, start, end, lane))
    return arcs


def _overlaps(places_between: range, other_ranges: Sequence[range]) -> bool:
    return any(places_between.start < other.stop and other.start < places_between.stop for other in other_ranges)


def _arc(pair: tuple[str, str], times: int, start: int, end: int, lane: int) -> Step:
    """Forward on the right, back on the left; leaving below the middle of a box, arriving above it."""
    edge, sign = (LEFT_EDGE + BOX, 1) if end > start else (LEFT_EDGE, -1)
    far, near = edge + sign * (NARROWEST + LANE * lane), edge + sign * (NARROWEST + LANE * lane - CORNER)
    leaving, arriving = start * STEP + HEIGHT // 2 + 7, end * STEP + HEIGHT // 2 - 5
    path = (
        f"M{edge} {leaving}H{near}Q{far} {leaving} {far} {leaving + sign * CORNER}"
        f"V{arriving - sign * CORNER}Q{far} {arriving} {near} {arriving}H{edge + sign * 3}"
    )
    height = leaving + (arriving - leaving) * (lane + 1) // (LANES + 1)  # so that numbers side by side do not touch
    return Step(*pair, times, path, far, height + 4)
