"""Which tools with an effect a run should call, estimated from similar runs and how they ended.

Kernel ridge regression, one output a tool: a vote of the similar runs in which several that say the same count once.
A run that ended well shows which effects were right. One that failed with effects had the right set less than half of
the time (0.45 of recorded failures: mostly an argument was wrong), so it weighs little; one that failed without an
effect nearly always missed one (14 of 15).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consolidation.guidance.features import Floats

Effects = frozenset[str]
RIDGE = 0.1
FAILED_WITH_EFFECTS, FAILED_WITHOUT = 0.2, 0.5  # weights; a run that ended well weighs 1
NONE_WAS_RIGHT = 0.25  # of runs that failed with effects: nothing should have been changed
LEAST = 0.02  # no probability is told nearer to 0 or 1
MOST_SETS = 60


@dataclass(frozen=True)
class Case:
    """How a known run ended, and with which effects. `case`: runs of one thread are one case."""

    case: str
    outcome: Literal["success", "failure", "partial"]
    effects: Effects

    @property
    def well(self) -> bool:
        return self.outcome == "success"


@dataclass(frozen=True)
class Vote:
    """A set of effects with its probability among the sets that were considered."""

    effects: Effects
    share: float


class Ballot:
    """Fitted once on the known runs; then votes on any number of rows of similarities to them.

    `optional`: effects that were taken out of the cases, as they go with any work (`optional_effects.py`).
    """

    def __init__(self, cases: Sequence[Case], similar: Floats, optional: Effects = frozenset()) -> None:
        self.cases, self.optional = cases, optional
        self.tools = sorted(
            {tool for neighbour in cases if neighbour.outcome != "partial" for tool in neighbour.effects}
        )
        witnesses = [
            n
            for n, neighbour in enumerate(cases)
            if neighbour.well or (neighbour.outcome == "failure" and neighbour.effects)
        ]
        finished = [n for n, neighbour in enumerate(cases) if neighbour.outcome != "partial"]
        self.sets = _sets([cases[n].effects for n in witnesses])
        self._known_sets = frozenset(self.sets)
        self._places = {tool: n for n, tool in enumerate(self.tools)}
        self._members = np.array([self._row(neighbour) for neighbour in self.sets], bool).reshape(
            len(self.sets), len(self.tools)
        )
        self._well: dict[Effects, list[int]] = defaultdict(list)
        for n, neighbour in enumerate(cases):
            if neighbour.well:
                self._well[neighbour.effects].append(n)
        has_tool = np.array([[tool in cases[n].effects for tool in self.tools] for n in witnesses], np.float64)
        self._by_tool = _Ridge(
            witnesses, has_tool.reshape(len(witnesses), len(self.tools)), _weights(cases, witnesses), similar
        )
        no_change = np.array([[_nothing(cases[n])] for n in finished], np.float64).reshape(len(finished), 1)
        self._nothing = _Ridge(finished, no_change, _weights(cases, finished), similar)

    def votes(self, row: Floats, without: Sequence[int] = (), *, also: Effects | None = None) -> list[Vote]:
        """The most probable set first. `without`: known runs that are taken as unknown (their case is left out);
        `also`: a set that stands for election whether it was met or not.
        """
        likelihoods = self._by_tool.at(row, without)
        no_change = float(self._nothing.at(row, without)[0]) if len(self._nothing.rows) else 0.5
        likely = frozenset(tool for tool, p in zip(self.tools, likelihoods, strict=True) if p > 0.5)
        answers = dict.fromkeys([likely, *([also] if also is not None else [])])
        more = [answer for answer in answers if answer not in self._known_sets]
        members = np.vstack([self._members, *(self._row(effects)[None] for effects in more)])
        weights = np.where(members, likelihoods, 1 - likelihoods).prod(axis=1)
        sets = [*self.sets, *more]
        weights = weights * [
            ((1 - no_change) if effect_set else no_change)
            * LEAST ** sum(tool not in self._places for tool in effect_set)
            for effect_set in sets
        ]
        total = float(weights.sum())
        all_votes = (Vote(effect_set, float(p) / total) for effect_set, p in zip(sets, weights, strict=True))
        return sorted(all_votes, key=lambda v: (-v.share, sorted(v.effects)))

    def _row(self, effects: Effects) -> "np.ndarray":
        return np.array([tool in effects for tool in self.tools], bool)

    def lead(self, row: Floats, words: Floats, vote: Vote, without: Sequence[int] = ()) -> float:
        """How far the nearest run that ended well with the effects of the vote is ahead of those that ended well
        otherwise, of which only what the users said counts: they looked at other records anyway."""
        out = set(without)
        same = [n for n in self._well.get(vote.effects, ()) if n not in out]
        other = [n for effects, runs in self._well.items() if effects != vote.effects for n in runs if n not in out]
        return (float(row[same].max()) if same else 0.0) - (float(words[other].max()) if other else 0.0)


class _Ridge:
    """Outputs of kernel ridge regression; a left-out block of rows in closed form, without fitting again."""

    def __init__(self, rows: list[int], targets: "np.ndarray", weights: "np.ndarray", similar: Floats) -> None:
        self.rows = rows
        self._place = {row: n for n, row in enumerate(rows)}
        self._mean = (targets * weights[:, None]).sum(0) / max(weights.sum(), 1e-9)
        kernel = similar[np.ix_(rows, rows)].astype(np.float64) + np.diag(RIDGE / weights)
        self._inverse = np.linalg.inv(kernel) if rows else np.zeros((0, 0))
        self._dual = self._inverse @ (targets - self._mean)

    def at(self, row: Floats, without: Sequence[int] = ()) -> "np.ndarray":
        dual = self._dual
        if block := [self._place[n] for n in without if n in self._place]:
            inside = self._inverse[np.ix_(block, block)]
            dual = dual - self._inverse[:, block] @ np.linalg.solve(inside, self._dual[block])
        shares: np.ndarray = np.clip(self._mean + row[self.rows].astype(np.float64) @ dual, LEAST, 1 - LEAST)
        return shares


def _sets(effect_sets: Sequence[Effects]) -> list[Effects]:
    """The distinct sets, at most MOST_SETS, the most frequent first."""
    counts: dict[Effects, int] = {}
    for effects in effect_sets:
        counts[effects] = counts.get(effects, 0) + 1
    return sorted(counts, key=lambda tools: (-counts[tools], sorted(tools)))[:MOST_SETS]


def _weights(cases: Sequence[Case], rows: Sequence[int]) -> "np.ndarray":
    of = {True: FAILED_WITH_EFFECTS, False: FAILED_WITHOUT}
    return np.array([1.0 if cases[n].well else of[bool(cases[n].effects)] for n in rows])


def _nothing(case: Case) -> float:
    """How strongly a run speaks for changing nothing, from 0 to 1."""
    if case.well:
        return 0.0 if case.effects else 1.0
    return NONE_WAS_RIGHT if case.effects else 0.0
