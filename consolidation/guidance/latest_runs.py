"""The latest runs of a scope up to a level, compared with each other once for all that is measured on them; and how
often guidance would have been right over them, written down for each scope and level."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

import numpy as np
from django.conf import settings

from consolidation.guidance import calibration, risk
from consolidation.guidance.calibration import Calibration, Curve, answered, least_nearness
from consolidation.guidance.experience import case_of, tools_of
from consolidation.guidance.features import Features, unpack
from consolidation.guidance.kernel import Kernel, Similarities
from consolidation.guidance.optional_effects import ballot_of
from consolidation.guidance.voices import loudest_voice, majority_voice, misleading
from consolidation.guidance.votes import Ballot, Case
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.trust import Trust

MOST_RUNS = 400
LEAST_RUNS = 5  # below it the prior says as much
LOADED = ("pk", "thread", "voice", "outcome", "at", "effects", "packed", "packed_opening")


class LatestRuns:
    """Runs, the latest first. `among`: each right before its first change, compared with all as they stood there;
    `left_out`: agents whose runs are not among them, as they mislead."""

    def __init__(self, runs: Sequence[RunProfile], left_out: Sequence[str] = ()) -> None:
        self.runs, self.left_out = runs, left_out

    @classmethod
    def of(cls, scope: str, level: int) -> "LatestRuns":
        """At most MOST_RUNS of a scope, of this sensitivity and below. If one agent fills more than half, up to half
        are runs of others."""
        visible = RunProfile.objects.filter(scope=scope, sensitivity__lte=level).only(*LOADED).order_by("-at", "pk")
        latest = cls(list(visible[:MOST_RUNS]))
        if loud := majority_voice(latest.runs, MOST_RUNS):
            other_runs = list(visible.exclude(voice=loud)[: MOST_RUNS // 2])
            runs = [*other_runs, *(run for run in latest.runs if run.voice == loud)][:MOST_RUNS]
            latest = cls(sorted(runs, key=lambda run: (-run.at.timestamp(), run.pk)))
        while voice := latest.misleading:
            latest = cls([run for run in latest.runs if run.voice != voice], [*latest.left_out, voice])
        return latest

    @property
    def misleading(self) -> str:
        """The agent whose runs mislead, '' for none."""
        voices = [run.voice for run in self.runs]
        return misleading(voices, self.cases, self.among.overall) if loudest_voice(voices) else ""

    @cached_property
    def cases(self) -> list[Case]:
        return [case_of(run) for run in self.runs]

    @cached_property
    def kernel(self) -> Kernel:
        return Kernel([unpack(run.packed) for run in self.runs], tools_of(self.runs))

    @cached_property
    def among(self) -> Similarities:
        return self.kernel.among(range(len(self.runs)))

    @cached_property
    def openings(self) -> Similarities:
        """The opening of each run, compared with all runs as they stood before their first change."""
        return self.kernel.against(self._opening_features)

    @cached_property
    def among_openings(self) -> Similarities:
        """The opening of each run, compared with the openings of all."""
        return Kernel(self._opening_features, tools_of(self.runs), openings=True).among(range(len(self.runs)))

    @cached_property
    def _opening_features(self) -> list[Features]:
        return [unpack(run.packed_opening) for run in self.runs]

    @cached_property
    def ballot(self) -> Ballot:
        return ballot_of(self.cases, self.among.overall if self.runs else np.zeros((0, 0), np.float32))

    @cached_property
    def ballot_of_openings(self) -> Ballot:
        return ballot_of(self.cases, self.among_openings.overall)


class LatestOfScope(dict[int, LatestRuns]):
    """The latest runs of a scope by level, loaded when they are asked for."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __missing__(self, level: int) -> LatestRuns:
        self[level] = LatestRuns.of(self.scope, level)
        return self[level]


def refit(latest: LatestOfScope, *, at: datetime) -> None:
    """Writes the curves of each level at which the scope has runs enough. Call when runs were profiled."""
    levels = RunProfile.objects.filter(scope=latest.scope).order_by().values_list("sensitivity", flat=True).distinct()
    for level in sorted(levels):
        _refit(latest, level, at=at)


def _refit(latest: LatestOfScope, level: int, *, at: datetime) -> None:
    runs = latest[level]
    if len(runs.runs) < LEAST_RUNS:
        return
    fitted, answers = measured(runs)
    values = {
        "fitted": calibration.as_json(fitted) | {"left_out": runs.left_out},
        "nearness": fitted.nearness,
        "answers": answers,
    }
    former = {"coefficients": "before_write", "opening": "opening"}
    values |= {name: list(fitted.curves[moment].coefficients[:3]) for name, moment in former.items()}
    values |= {"runs": len(runs.runs), "at": at}
    GuidanceCurve.objects.bulk_create(
        [GuidanceCurve(scope=latest.scope, sensitivity=level, **values)],
        update_conflicts=True,
        unique_fields=["scope", "sensitivity"],
        update_fields=list(values),
    )


def measured(runs: LatestRuns) -> tuple[Calibration, int]:
    """The calibration over these runs, and on how many answers it rests."""
    answers = {
        "opening": answered(runs.ballot_of_openings, runs.among_openings),
        "under_way": answered(runs.ballot, runs.openings),
        "before_write": answered(runs.ballot, runs.among),
    }
    curves: dict[str, Curve] = {
        moment: calibration.fit(moment, answers[moment], settings.GUIDANCE_PRECISION) for moment in calibration.PRIORS
    }
    nearness = least_nearness(runs.cases, runs.openings)
    fitted = Calibration(curves, nearness, risk.fit(runs.ballot, runs.among))
    return fitted, sum(map(len, answers.values()))


def calibration_of(scope: str, trust: Trust) -> Calibration:
    """The calibration of a scope, of the highest level of which the caller may see all runs."""
    row = GuidanceCurve.objects.filter(sensitivity__lte=trust.max_sensitivity).of(scope)
    return calibration.from_json(row.fitted, row.nearness) if row else Calibration()
