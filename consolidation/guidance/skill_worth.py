"""What each skill of a scope would have done to its runs: measured on them, each with its own case left out."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from consolidation.guidance.calibration import runs_of_case
from consolidation.guidance.latest_runs import LatestOfScope, LatestRuns
from consolidation.guidance.votes import Case, Effects
from consolidation.learning.effects.toolnames import code
from consolidation.learning.wording import joined
from consolidation.models.worth import SkillWorth
from memories.models import Memory
from memories.values.choices import LIVE, Type

LATEST = 100  # that are led
MOST_CASES = 12
MOST_WRITES = 6


def measure(latest: LatestOfScope, *, at: datetime) -> int:
    """Store the worth of every live skill of a scope; returns how many. Call when runs were profiled or skills made."""
    skills = Memory.objects.filter(type=Type.COMPETENCE, scope=latest.scope, status__in=LIVE)
    skills = skills.filter(payload__has_key="effects")
    levels: dict[int, list[Memory]] = defaultdict(list)
    for memory in skills.only("pk", "payload", "sensitivity"):
        levels[memory.sensitivity].append(memory)
    rows: list[SkillWorth] = []
    for level, memories in levels.items():
        led = Led(latest[level])
        rows += [led.worth(memory, at=at) for memory in memories]
    SkillWorth.objects.put(rows)
    return len(rows)


class Led:
    """The latest runs of a scope up to a level, and the effects that guidance would name for each without its case."""

    def __init__(self, latest: LatestRuns) -> None:
        self.latest, self.runs, self.cases = latest, latest.runs, latest.ballot.cases
        self.of_case = runs_of_case(self.cases)
        self.to: dict[int, Effects] = self._lead() if len(self.of_case) > 1 else {}

    def _lead(self) -> dict[int, Effects]:
        similar, ballot = self.latest.among.overall, self.latest.ballot
        latest = range(min(LATEST, len(self.runs)))
        return {n: ballot.votes(similar[n], self.of_case[self.cases[n].case])[0].effects for n in latest}

    def routed(self, effects: Effects) -> list[int]:
        """The runs that would be led to a skill with these effects, and ended in success or failure."""
        return [n for n, sent_to in self.to.items() if sent_to == effects and self.cases[n].outcome != "partial"]

    def worth(self, memory: Memory, *, at: datetime) -> SkillWorth:
        effects = frozenset(memory.payload["effects"]) - self.latest.ballot.optional
        routed = self.routed(effects)
        as_led = [n for n in routed if self.cases[n].effects == effects]
        otherwise = [n for n in routed if self.cases[n].effects != effects]
        values: Mapping[str, Any] = {
            "runs": len(self.to),
            "routed": len(routed),
            **_ended(self.cases, as_led, "followed"),
            **_ended(self.cases, otherwise, "otherwise"),
            "gained": sum(self._ends_well_with(n, effects) for n in otherwise if not self.cases[n].well),
            "lost": sum(self.cases[n].well for n in otherwise),
            "cases": [self._dot(n, effects) for n in routed[:MOST_CASES]],
            **self._pair(effects, otherwise),
            "writes": self._writes(as_led, otherwise),
            "at": at,
        }
        worth = SkillWorth(memory=memory, **values)
        worth.weight = worth.weigh()
        return worth

    def _ends_well_with(self, n: int, effects: Effects) -> bool:
        """Whether another run of the case ended well with these effects; True too where no run of it ended well."""
        well = {self.cases[m].effects for m in self.of_case[self.cases[n].case] if self.cases[m].well}
        return effects in well or not well

    def _dot(self, n: int, effects: Effects) -> list[object]:
        return [str(self.runs[n].pk), self.cases[n].outcome, self.cases[n].effects == effects]

    def _writes(self, as_led: Sequence[int], otherwise: Sequence[int]) -> list[tuple[str, int, int]]:
        """Each tool with how many of either called it, the one that is most changed first."""
        if not as_led or not otherwise:
            return []
        tools = sorted({tool for n in [*as_led, *otherwise] for tool in self.cases[n].effects})
        rows = [(tool, self._calling(as_led, tool), self._calling(otherwise, tool)) for tool in tools]
        return sorted(rows, key=lambda row: -abs(row[1] / len(as_led) - row[2] / len(otherwise)))[:MOST_WRITES]

    def _calling(self, runs: Sequence[int], tool: str) -> int:
        return sum(tool in self.cases[n].effects for n in runs)

    def _pair(self, effects: Effects, otherwise: Sequence[int]) -> dict[str, object]:
        """A success with these effects beside the nearest failure that did otherwise."""
        well = [n for n, case in enumerate(self.cases) if case.well and case.effects == effects]
        ill = [n for n in otherwise if self.cases[n].outcome == "failure"]
        if not well or not ill:
            return {"well_example": None, "ill_example": None, "diverging": ""}
        nearness = self.latest.among.overall[np.ix_(well, ill)]
        a, b = np.unravel_index(int(nearness.argmax()), nearness.shape)
        success, failure = well[int(a)], ill[int(b)]
        return {
            "well_example": self.runs[success].pk,
            "ill_example": self.runs[failure].pk,
            "diverging": _diverging(self.cases[success].effects, self.cases[failure].effects),
        }


def _ended(cases: Sequence[Case], runs: Sequence[int], name: str) -> dict[str, int]:
    well = sum(cases[n].well for n in runs)
    return {f"{name}_well": well, f"{name}_ill": len(runs) - well}


def _diverging(well: Effects, ill: Effects) -> str:
    """In words: what only one of the two called."""
    more, missing = sorted(ill - well), sorted(well - ill)
    parts = [f"also called {joined(list(map(code, more)))}"] if more else []
    parts += [f"did not call {joined(list(map(code, missing)))}"] if missing else []
    return f"the failed run {' and '.join(parts)}" if parts else ""
