"""Which known runs are similar enough to speak about a write."""

import numpy as np
import pytest

from consolidation.guidance import precedent
from consolidation.guidance.votes import Case

CASES = [Case("refused", "success", frozenset()), Case("cancelled", "success", frozenset({"cancel"}))]


@pytest.mark.parametrize(
    ("nearness", "verdict", "well_with"),
    [([0.40, 0.21], "advised_against", 0), ([0.40, 0.23], "supported", 1), ([0.09, 0.09], "unknown", 0)],
)
def test_a_run_hardly_half_as_near_as_the_nearest_speaks_of_another_request(
    nearness: list[float], verdict: str, well_with: int
) -> None:
    found = precedent.find(CASES, np.array(nearness, np.float32), "cancel")
    assert (found.verdict, found.well_with) == (verdict, well_with)


@pytest.mark.parametrize(("nearness", "verdict"), [(0.17, "advised_against"), (0.15, "unknown")])
def test_a_distant_run_that_did_without_is_counted_and_advises_nothing(nearness: float, verdict: str) -> None:
    found = precedent.find(CASES[:1], np.array([nearness], np.float32), "cancel")
    assert (found.verdict, found.well_without) == (verdict, 1)
