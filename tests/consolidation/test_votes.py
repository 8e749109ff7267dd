"""The same runs give the same votes, to the last bit: a sum of floats depends on its order."""

import numpy as np
import pytest

from consolidation.guidance import votes
from consolidation.guidance.votes import Ballot, Case, Effects

NAMES = "cancel return refund pause upgrade renew extend split merge".split()  # noqa: SIM905


def test_sets_of_effects_are_weighed_in_an_order_that_no_seed_of_hashes_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = [Case(str(n), "success", frozenset(NAMES[n % 7 : n % 7 + 1 + n % 3])) for n in range(40)]
    rows = np.random.default_rng(1).random((40, 40)).astype(np.float32)
    ballot = Ballot(cases, (rows @ rows.T / 20).astype(np.float32))
    weighed: list[Effects] = []
    likelihood = votes._likelihood

    def watched(effects: Effects, called: dict[str, float], nothing: float) -> float:
        weighed.append(effects)
        return likelihood(effects, called, nothing)

    monkeypatch.setattr(votes, "_likelihood", watched)
    ballot.votes(rows[0])
    counted = {one: sum(case.effects == one for case in cases) for one in weighed}
    assert weighed == sorted(weighed, key=lambda one: (-counted[one], sorted(one))) and len(weighed) > 10
