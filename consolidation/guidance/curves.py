"""How often guidance would have been right over the store's own runs, written down for each scope and level."""

from datetime import datetime

from django.conf import settings

from consolidation.guidance import calibration, risk
from consolidation.guidance.calibration import Calibration, Curve, answered, least_nearness
from consolidation.guidance.latest_runs import LatestOfScope, LatestRuns
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.trust import Trust

LEAST_RUNS = 5  # below it the prior says as much


def refit(latest: LatestOfScope, *, at: datetime) -> None:
    """Writes the curves of each level at which the scope has runs enough. Call when runs were profiled."""
    levels = RunProfile.objects.filter(scope=latest.scope).order_by().values_list("sensitivity", flat=True).distinct()
    for level in sorted(levels):
        _refit(latest, level, at=at)


def _refit(latest: LatestOfScope, level: int, *, at: datetime) -> None:
    known = latest[level]
    if len(known.runs) < LEAST_RUNS:
        return
    refitted, answers = measured(known)
    values = {"fitted": calibration.as_json(refitted), "nearness": refitted.nearness, "answers": answers}
    former = {"coefficients": "before_write", "opening": "opening"}
    values |= {name: list(refitted.curves[moment].coefficients[:3]) for name, moment in former.items()}
    values |= {"runs": len(known.runs), "at": at}
    GuidanceCurve.objects.bulk_create(
        [GuidanceCurve(scope=latest.scope, sensitivity=level, **values)],
        update_conflicts=True,
        unique_fields=["scope", "sensitivity"],
        update_fields=list(values),
    )


def measured(known: LatestRuns) -> tuple[Calibration, int]:
    """The calibration over these runs, and of how many answers."""
    answers = {
        "opening": answered(known.ballot_of_openings, known.among_openings),
        "under_way": answered(known.ballot, known.openings),
        "before_write": answered(known.ballot, known.among),
    }
    curves: dict[str, Curve] = {
        moment: calibration.fit(moment, answers[moment], settings.GUIDANCE_PRECISION) for moment in calibration.PRIORS
    }
    nearness = least_nearness(known.cases, known.openings)
    fitted_now = Calibration(curves, nearness, risk.fit(known.ballot, known.among))
    return fitted_now, sum(map(len, answers.values()))


def calibration_of(scope: str, trust: Trust) -> Calibration:
    """That of a scope, of the highest level that the caller sees whole."""
    row = GuidanceCurve.objects.filter(sensitivity__lte=trust.max_sensitivity).of(scope)
    return calibration.from_json(row.fitted, row.nearness) if row else Calibration()
