"""The same runs give the same votes, to the last bit: a sum of floats depends on its order."""

import numpy as np
import pytest

from consolidation.guidance import votes
from consolidation.guidance.calibration import Curve
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


def test_an_answer_is_less_sure_where_who_asked_alike_was_well_served_otherwise() -> None:
    """Alike in what the users said, not in the records that were looked up."""
    cases = [Case("a", "success", frozenset({"cancel"})), Case("b", "success", frozenset({"refund"}))]
    ballot = Ballot(cases, np.eye(2, dtype=np.float32))
    row = np.array([0.7, 0.3], np.float32)
    best = ballot.votes(row)[0]
    assert best.effects == {"cancel"}

    def sure(words: list[float], *, without: tuple[int, ...] = ()) -> float:
        lead = ballot.lead(row, np.array(words, np.float32), best, without)
        return Curve().confidence(best, lead)

    assert sure([0.7, 0.1]) > sure([0.7, 0.5]) > sure([0.7, 0.9])
    assert sure([0.7, 0.9], without=(1,)) > sure([0.7, 0.1]), "a case that is left out contradicts nothing"
    assert sure([0.7, 0.1], without=(0,)) < sure([0.7, 0.1]), "nor does it support"


def test_failed_runs_contradict_nothing() -> None:
    well = Case("a", "success", frozenset({"cancel"}))
    row = np.array([0.7, 0.3], np.float32)
    words = np.array([0.7, 0.9], np.float32)
    leads = []
    for outcome in ("failure", "partial"):
        ballot = Ballot([well, Case("b", outcome, frozenset({"refund"}))], np.eye(2, dtype=np.float32))
        leads.append(ballot.lead(row, words, ballot.votes(row)[0]))
    assert leads == pytest.approx([0.7, 0.7])
