"""How often guidance would have been right over the store's own runs, written down for each scope and level."""

from collections.abc import Sequence
from datetime import datetime

from consolidation.guidance.calibration import Curve, fit
from consolidation.guidance.experience import case_of
from consolidation.guidance.features import unpack
from consolidation.guidance.kernel import Kernel
from consolidation.guidance.votes import Ballot
from consolidation.models.profiles import GuidanceCurve, RunProfile

MOST_RUNS = 400  # the latest of a scope
LEAST_RUNS = 5  # below it the prior says as much


def refit(scope: str, *, at: datetime) -> int:
    """Writes the curve of each level at which the scope has runs; how many. Call when runs were profiled."""
    levels = RunProfile.objects.filter(scope=scope).order_by().values_list("sensitivity", flat=True).distinct()
    return sum(_refit(scope, level, at=at) for level in sorted(levels))


def _refit(scope: str, level: int, *, at: datetime) -> bool:
    runs = list(RunProfile.objects.filter(scope=scope, sensitivity__lte=level).order_by("-at", "pk")[:MOST_RUNS])
    if len(runs) < LEAST_RUNS:
        return False
    curve = measure(runs)
    values = {"coefficients": list(curve.coefficients), "nearness": curve.nearness, "answers": curve.answers}
    GuidanceCurve.objects.update_or_create(
        scope=scope, sensitivity=level, defaults={**values, "runs": len(runs), "at": at}
    )
    return True


def measure(runs: Sequence[RunProfile]) -> Curve:
    """Each run is asked about as it stood right before its first change, and as it opened."""
    kernel = Kernel([unpack(run.packed) for run in runs])
    before = kernel.among(range(len(runs)))
    first = kernel.against([unpack(run.packed_opening) for run in runs])
    return fit(Ballot([case_of(run) for run in runs], before.whole), (before, first), first)
