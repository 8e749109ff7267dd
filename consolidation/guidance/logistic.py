"""Logistic regression on few answers: maximum a posteriori with a normal prior, by Newton's method."""

from collections.abc import Sequence

import numpy as np

ROUNDS = 30


def fitted(
    known: "np.ndarray",
    right: "np.ndarray",
    prior: Sequence[float],
    strength: float,
    weights: "np.ndarray | float" = 1.0,
) -> list[float]:
    """The coefficients. `known`: a row for each answer, its first column 1; `right`: between 0 and 1; `strength`: the
    precision of each coefficient of the prior."""
    about = np.array(prior, np.float64)
    coefficients = about.copy()
    for _ in range(ROUNDS if len(known) else 0):
        p = probability(known, coefficients)
        slope = known.T @ (weights * (p - right)) + strength * (coefficients - about)
        curvature = known.T @ (known * (weights * p * (1 - p))[:, None]) + strength * np.eye(len(about))
        step = np.linalg.solve(curvature, slope)
        coefficients = coefficients - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return [float(w) for w in coefficients]


def probability(known: "np.ndarray", coefficients: "Sequence[float] | np.ndarray") -> "np.ndarray":
    probabilities: np.ndarray = 1 / (1 + np.exp(-np.clip(known @ np.array(coefficients), -30, 30)))
    return probabilities


def odds(share: float, least: float = 0.02) -> float:
    """The logarithm of the odds, of a share that is kept away from 0 and 1."""
    kept = min(max(share, least), 1 - least)
    return float(np.log(kept / (1 - kept)))
