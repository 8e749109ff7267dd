"""How often guidance would have been right over the store's own runs, written down for each scope and level."""

from datetime import datetime

from consolidation.guidance.calibration import Curve, fit, least_nearness
from consolidation.guidance.latest_runs import LatestOfScope
from consolidation.guidance.votes import Ballot
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.trust import Trust

LEAST_RUNS = 5  # below it the prior says as much


def refit(latest: LatestOfScope, *, at: datetime) -> int:
    """Writes the curve of each level at which the scope has runs; how many. Call when runs were profiled."""
    levels = RunProfile.objects.filter(scope=latest.scope).order_by().values_list("sensitivity", flat=True).distinct()
    return sum(_refit(latest, level, at=at) for level in sorted(levels))


def _refit(latest: LatestOfScope, level: int, *, at: datetime) -> bool:
    known = latest[level]
    if len(known.runs) < LEAST_RUNS:
        return False
    coefficients, answers = fit(known.ballot, (known.among, known.openings))
    at_opening, _ = fit(Ballot(known.cases, known.among_openings.whole), (known.among_openings,))
    values = {
        "coefficients": list(coefficients),
        "opening": list(at_opening),
        "nearness": least_nearness(known.ballot, known.openings),
        "answers": answers,
    }
    GuidanceCurve.objects.update_or_create(
        scope=latest.scope, sensitivity=level, defaults={**values, "runs": len(known.runs), "at": at}
    )
    return True


def curve(scope: str, trust: Trust, *, opening: bool) -> Curve:
    """That of a scope, of the highest level that the caller sees whole. `opening`: of answers to what users say first,
    which is compared with what others said first; of all other answers one curve is fitted to two moments.
    """
    kept = GuidanceCurve.objects.filter(sensitivity__lte=trust.max_sensitivity).of(scope)
    if kept is None:
        return Curve()
    intercept, odds, lead = (kept.opening if opening else None) or kept.coefficients
    return Curve((intercept, odds, lead), kept.nearness, kept.answers)
