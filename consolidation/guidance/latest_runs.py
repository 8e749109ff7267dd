"""The latest runs of a scope up to a level, compared with each other once for all that is measured on them."""

from collections.abc import Sequence
from functools import cached_property

from consolidation.guidance.experience import case_of, tools_of
from consolidation.guidance.features import Features, unpack
from consolidation.guidance.kernel import Compared, Kernel
from consolidation.guidance.votes import Ballot, Case
from consolidation.models.profiles import RunProfile

MOST_RUNS = 400
LOADED = ("pk", "thread", "outcome", "effects", "packed", "packed_opening")


class LatestRuns:
    """Runs, the latest first. `among`: each right before its first change, compared with all as they stood there."""

    def __init__(self, runs: Sequence[RunProfile]) -> None:
        self.runs = runs

    @classmethod
    def of(cls, scope: str, level: int) -> "LatestRuns":
        """At most MOST_RUNS of a scope, of this sensitivity and below."""
        visible = RunProfile.objects.filter(scope=scope, sensitivity__lte=level)
        return cls(list(visible.only(*LOADED).order_by("-at", "pk")[:MOST_RUNS]))

    @cached_property
    def cases(self) -> list[Case]:
        return [case_of(run) for run in self.runs]

    @cached_property
    def kernel(self) -> Kernel:
        return Kernel([unpack(run.packed) for run in self.runs], tools_of(self.runs))

    @cached_property
    def among(self) -> Compared:
        return self.kernel.among(range(len(self.runs)))

    @cached_property
    def openings(self) -> Compared:
        """Each as it opened, compared with all as they stood before their first change."""
        return self.kernel.against(self._opened)

    @cached_property
    def among_openings(self) -> Compared:
        """Each as it opened, compared with all as they opened."""
        return Kernel(self._opened, tools_of(self.runs), openings=True).among(range(len(self.runs)))

    @cached_property
    def _opened(self) -> list[Features]:
        return [unpack(run.packed_opening) for run in self.runs]

    @cached_property
    def ballot(self) -> Ballot:
        return Ballot(self.cases, self.among.whole)

    @cached_property
    def ballot_of_openings(self) -> Ballot:
        return Ballot(self.cases, self.among_openings.whole)


class LatestOfScope(dict[int, LatestRuns]):
    """The latest runs of a scope by level, loaded when they are asked for."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __missing__(self, level: int) -> LatestRuns:
        self[level] = LatestRuns.of(self.scope, level)
        return self[level]
