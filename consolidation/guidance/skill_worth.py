"""What each skill of a scope would have done to its runs: measured on them, each with its own case left out."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from consolidation.guidance.experience import case_of
from consolidation.guidance.features import unpack
from consolidation.guidance.kernel import Compared, Kernel
from consolidation.guidance.votes import Ballot, Case, Effects
from consolidation.learning.toolnames import code
from consolidation.learning.wording import joined
from consolidation.models.profiles import RunProfile
from consolidation.models.worth import SkillWorth
from memories.models import Memory
from memories.values.choices import LIVE, Type

MOST_RUNS = 400  # that vote
LATEST = 100  # that are led
MOST_CASES = 12
MOST_WRITES = 6


def measure(scope: str, *, at: datetime) -> int:
    """Writes down the worth of every live skill of a scope; how many. Call when runs were profiled or skills made."""
    skills = Memory.objects.filter(type=Type.COMPETENCE, scope=scope, status__in=LIVE, payload__has_key="effects")
    levels: dict[int, list[Memory]] = defaultdict(list)
    for memory in skills.only("pk", "payload", "sensitivity"):
        levels[memory.sensitivity].append(memory)
    for level, memories in sorted(levels.items()):
        led = _Led(scope, level)
        for memory in memories:
            worth = led.worth(memory, at=at)
            SkillWorth.objects.update_or_create(pk=memory.pk, defaults=worth)
    return sum(map(len, levels.values()))


class _Led:
    """The latest runs of a scope up to a level, and where guidance would have led each without knowing its case."""

    def __init__(self, scope: str, level: int) -> None:
        visible = RunProfile.objects.filter(scope=scope, sensitivity__lte=level)
        self.runs = list(visible.order_by("-at", "pk")[:MOST_RUNS])
        self.cases = [case_of(run) for run in self.runs]
        self.of_case: dict[str, list[int]] = defaultdict(list)
        for n, one in enumerate(self.cases):
            self.of_case[one.case].append(n)
        self.similar: Compared | None = None
        self.to: dict[int, Effects] = self._lead() if len(self.of_case) > 1 else {}

    def _lead(self) -> dict[int, Effects]:
        kernel = Kernel([unpack(run.packed) for run in self.runs])
        self.similar = kernel.among(range(len(self.runs)))
        ballot = Ballot(self.cases, self.similar.whole)
        latest = range(min(LATEST, len(self.runs)))
        return {n: ballot.votes(self.similar.whole[n], self.of_case[self.cases[n].case])[0].effects for n in latest}

    def worth(self, memory: Memory, *, at: datetime) -> Mapping[str, object]:
        effects = frozenset(memory.payload["effects"])
        routed = [n for n, told in self.to.items() if told == effects and self.cases[n].outcome != "partial"]
        followed = [n for n in routed if self.cases[n].effects == effects]
        otherwise = [n for n in routed if self.cases[n].effects != effects]
        values = {
            "runs": len(self.to),
            "routed": len(routed),
            **_ended(self.cases, followed, "followed"),
            **_ended(self.cases, otherwise, "otherwise"),
            "gained": sum(self._ends_well_with(n, effects) for n in otherwise if not self.cases[n].well),
            "lost": sum(self.cases[n].well for n in otherwise),
            "cases": [self._dot(n, effects) for n in routed[:MOST_CASES]],
            **self._pair(effects, otherwise),
            "writes": self._writes(followed, otherwise),
            "at": at,
        }
        return values | {"weight": SkillWorth(**values).weigh()}

    def _ends_well_with(self, n: int, effects: Effects) -> bool:
        """Did another run of the case end well with these effects? Where none ended well at all, it might."""
        well = {self.cases[m].effects for m in self.of_case[self.cases[n].case] if self.cases[m].well}
        return effects in well or not well

    def _dot(self, n: int, effects: Effects) -> list[object]:
        return [str(self.runs[n].pk), self.cases[n].outcome, self.cases[n].effects == effects]

    def _writes(self, followed: Sequence[int], otherwise: Sequence[int]) -> list[tuple[str, int, int]]:
        """Each tool with how many of either called it, the one that is most changed first."""
        if not followed or not otherwise:
            return []
        tools = sorted({tool for n in [*followed, *otherwise] for tool in self.cases[n].effects})
        rows = [(tool, self._calling(followed, tool), self._calling(otherwise, tool)) for tool in tools]
        return sorted(rows, key=lambda row: -abs(row[1] / len(followed) - row[2] / len(otherwise)))[:MOST_WRITES]

    def _calling(self, runs: Sequence[int], tool: str) -> int:
        return sum(tool in self.cases[n].effects for n in runs)

    def _pair(self, effects: Effects, otherwise: Sequence[int]) -> dict[str, object]:
        """A success with these effects beside the nearest failure that did otherwise."""
        well = [n for n, one in enumerate(self.cases) if one.well and one.effects == effects]
        ill = [n for n in otherwise if self.cases[n].outcome == "failure"]
        if not well or not ill or self.similar is None:
            return {"well_example": None, "ill_example": None, "diverging": ""}
        nearness = self.similar.whole[np.ix_(well, ill)]
        a, b = np.unravel_index(int(nearness.argmax()), nearness.shape)
        one, other = well[int(a)], ill[int(b)]
        return {
            "well_example": self.runs[one].pk,
            "ill_example": self.runs[other].pk,
            "diverging": _diverging(self.cases[one].effects, self.cases[other].effects),
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
