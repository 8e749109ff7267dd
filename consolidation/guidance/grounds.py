"""What an answer rests on: the votes, the runs that back it, and the similar cases that speak for something else."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consolidation.guidance.features import Floats
from consolidation.guidance.kernel import Similarities
from consolidation.guidance.votes import Ballot, Case, Effects, Vote

NEAR_CASES = 8
SIMILAR = 0.1  # from here on a case is similar
FAMILIAR = 0.5  # a run that backs an answer and is so near is of the same request, or as good as that
MOST_CASES = 100  # more do not make a scope older


@dataclass(frozen=True)
class Grounds:
    """`lead` as `Ballot.lead`; `backing`: similarity of the nearest run that ended well with these effects; `unsolved`
    and `otherwise`: shares of the nearest cases of which no run ended well, or one did with other effects; `similar`,
    `well`, `cases`: distinct cases that are similar, that ended well with exactly these effects, that are known."""

    vote: Vote
    lead: float
    backing: float
    unsolved: float
    otherwise: float
    similar: int
    well: int
    cases: int

    @property
    def is_familiar(self) -> bool:
        return self.backing >= FAMILIAR


class Surveyor:
    """Finds the grounds of answers from one set of known runs."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        numbers = {case: n for n, case in enumerate(dict.fromkeys(run.case for run in cases))}
        self._case = np.array([numbers[run.case] for run in cases], int)
        self.judged = np.array([run.outcome != "partial" for run in cases], bool)
        self.well = np.array([run.well for run in cases], bool)

    def grounds(self, ballot: Ballot, similarities: Similarities, n: int, without: Sequence[int] = ()) -> Grounds:
        """Of the first vote on row `n`. `without`: known runs that are taken as unknown."""
        row, vote = similarities.overall[n][: len(self.cases)], ballot.votes(similarities.overall[n], without)[0]
        mask = self.kept(without)
        same = self.with_effects(vote.effects) & self.well & mask
        near, weights = self.near(row, mask)
        cases = self._case[near]
        solved_cases = self._case[self.well & mask]
        ended_well = self.well[near]
        return Grounds(
            vote=vote,
            lead=ballot.lead(similarities.backing[n], similarities.words[n], vote, without),
            backing=float(row[same].max(initial=0.0)),
            unsolved=float(weights[~np.isin(cases, solved_cases)].sum()),
            otherwise=float(weights[ended_well & ~same[near]].sum()),
            similar=self.distinct(self.judged & mask & (row >= SIMILAR)),
            well=self.distinct(same),
            cases=min(self.distinct(mask), MOST_CASES),
        )

    def kept(self, without: Sequence[int]) -> "np.ndarray":
        """A mask of the known runs that count."""
        mask = np.ones(len(self.cases), bool)
        mask[list(without)] = False
        return mask

    def distinct(self, mask: "np.ndarray") -> int:
        """How many cases these runs are."""
        return len(np.unique(self._case[mask]))

    def with_effects(self, effects: Effects) -> "np.ndarray":
        """A mask of the runs that had exactly these."""
        return np.array([effect == effects for effect in self._effects], bool)

    def near(self, row: Floats, mask: "np.ndarray", most: int = NEAR_CASES) -> tuple["np.ndarray", "np.ndarray"]:
        """The nearest run of each of the nearest judged cases, and their weights, which add up to 1."""
        places = np.flatnonzero(mask & self.judged)
        places = places[np.argsort(-row[places], kind="stable")]
        _, first = np.unique(self._case[places], return_index=True)
        near = places[np.sort(first)[:most]]
        weights = np.maximum(row[near].astype(np.float64), 1e-3) ** 2
        return near, weights / max(float(weights.sum()), 1e-9)

    @cached_property
    def _effects(self) -> list[Effects]:
        return [case.effects for case in self.cases]
