"""How often guidance would have been right over the store's own runs, written down for each scope and level."""

from datetime import datetime

from consolidation.guidance.calibration import Curve, fit
from consolidation.guidance.latest_runs import LatestOfScope, LatestRuns
from consolidation.models.profiles import GuidanceCurve, RunProfile

LEAST_RUNS = 5  # below it the prior says as much


def refit(latest: LatestOfScope, *, at: datetime) -> int:
    """Writes the curve of each level at which the scope has runs; how many. Call when runs were profiled."""
    levels = RunProfile.objects.filter(scope=latest.scope).order_by().values_list("sensitivity", flat=True).distinct()
    return sum(_refit(latest, level, at=at) for level in sorted(levels))


def _refit(latest: LatestOfScope, level: int, *, at: datetime) -> bool:
    known = latest[level]
    if len(known.runs) < LEAST_RUNS:
        return False
    curve = measure(known)
    values = {"coefficients": list(curve.coefficients), "nearness": curve.nearness, "answers": curve.answers}
    GuidanceCurve.objects.update_or_create(
        scope=latest.scope, sensitivity=level, defaults={**values, "runs": len(known.runs), "at": at}
    )
    return True


def measure(known: LatestRuns) -> Curve:
    """Each run is asked about as it stood right before its first change, and as it opened."""
    return fit(known.ballot, (known.among, known.openings), known.openings)
