"""How well probabilities that were stated fit what happened."""

import numpy as np

BINS = 5


def calibration_error(sure: "np.ndarray", right: "np.ndarray") -> float:
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [abs(sure[bins == n].mean() - right[bins == n].mean()) * (bins == n).mean() for n in set(bins.tolist())]
    return float(sum(gaps))


def auc(risk: "np.ndarray", failed: "np.ndarray") -> float:
    ill, well = risk[failed == 1], risk[failed == 0]
    if not (len(ill) and len(well)):
        return float("nan")
    return float((ill[:, None] > well[None]).mean() + 0.5 * (ill[:, None] == well[None]).mean())
