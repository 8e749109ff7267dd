"""Logistic regression on few answers: maximum a posteriori with a normal prior, by Newton's method."""

from collections.abc import Sequence

import numpy as np

ROUNDS = 30


def fitted(
    features: "np.ndarray",
    right: "np.ndarray",
    prior: Sequence[float],
    strength: float,
    weights: "np.ndarray | float" = 1.0,
) -> list[float]:
    """The coefficients. `features`: a row for each answer, its first column 1; `right`: between 0 and 1; `strength`:
    the precision of the prior for each coefficient."""
    means = np.array(prior, np.float64)
    coefficients = means.copy()
    for _ in range(ROUNDS if len(features) else 0):
        p = probability(features, coefficients)
        slope = features.T @ (weights * (p - right)) + strength * (coefficients - means)
        curvature = features.T @ (features * (weights * p * (1 - p))[:, None]) + strength * np.eye(len(means))
        step = np.linalg.solve(curvature, slope)
        coefficients = coefficients - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return [float(w) for w in coefficients]


def probability(features: "np.ndarray", coefficients: "Sequence[float] | np.ndarray") -> "np.ndarray":
    probabilities: np.ndarray = 1 / (1 + np.exp(-np.clip(features @ np.array(coefficients), -30, 30)))
    return probabilities


def odds(share: float, least: float = 0.02) -> float:
    """The logarithm of the odds, of a share that is kept away from 0 and 1."""
    clipped = min(max(share, least), 1 - least)
    return float(np.log(clipped / (1 - clipped)))
