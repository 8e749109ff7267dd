"""The same runs give the same votes, to the last bit: a sum of floats depends on its order."""

from dataclasses import replace

import numpy as np
import pytest

from consolidation.guidance.calibration import Calibration, Curve, GradedAnswer, fit
from consolidation.guidance.grounds import Grounds, Surveyor
from consolidation.guidance.kernel import Similarities
from consolidation.guidance.votes import Ballot, Case, Vote

NAMES = "cancel return refund pause upgrade renew extend split merge".split()  # noqa: SIM905


def test_votes_are_the_same_whatever_the_seed_of_hashes() -> None:
    cases = [Case(str(n), "success", frozenset(NAMES[n % 7 : n % 7 + 1 + n % 3])) for n in range(40)]
    rows = np.random.default_rng(1).random((40, 40)).astype(np.float32)
    ballot = Ballot(cases, (rows @ rows.T / 20).astype(np.float32))
    counted = {one: sum(case.effects == one for case in cases) for one in {case.effects for case in cases}}
    assert ballot.sets == sorted(ballot.sets, key=lambda one: (-counted[one], sorted(one))) and len(ballot.sets) > 10
    told = ballot.votes(rows[0])
    assert sum(vote.share for vote in told) == pytest.approx(1)
    unheard = frozenset({"frobnicate"})
    assert next(v.share for v in ballot.votes(rows[0], also=unheard) if v.effects == unheard) < 0.01


def test_an_answer_is_less_sure_where_who_asked_alike_was_well_served_otherwise() -> None:
    """Alike in what the users said, not in the records that were looked up."""
    cases = [Case("a", "success", frozenset({"cancel"})), Case("b", "success", frozenset({"refund"}))]
    ballot = Ballot(cases, np.eye(2, dtype=np.float32))
    row = np.array([0.7, 0.3], np.float32)
    best = ballot.votes(row)[0]
    assert best.effects == {"cancel"}

    def sure(words: list[float], *, without: tuple[int, ...] = ()) -> float:
        asked = np.array([row])
        compared = Similarities(asked, np.array([words], np.float32), asked, asked)
        grounds = Surveyor(cases).grounds(ballot, compared, 0, without)
        return Calibration().curves["before_write"].confidence(replace(grounds, vote=best, similar=50))

    assert sure([0.7, 0.1]) > sure([0.7, 0.5]) > sure([0.7, 0.9])


def test_three_cases_are_never_surer_than_four_of_five() -> None:
    """The rule of succession: whatever the curve says."""
    certain = Curve((9.0, 0.0, 0.0, 0.0))
    few = Grounds(Vote(frozenset(), 0.99), 1.0, 1.0, 0.0, 0.0, similar=3, well=3, cases=3)
    assert certain.confidence(few) == pytest.approx(0.8)
    assert certain.confidence(replace(few, similar=98)) == pytest.approx(0.99)


def test_a_threshold_is_the_lowest_from_which_on_enough_answers_are_right() -> None:
    """Answers below a vote of 0.8 are right half of the time."""

    def answers(right: float) -> list[GradedAnswer]:
        grounds = Grounds(Vote(frozenset(), 0.5), 0.0, 0.0, 0.0, 0.0, similar=98, well=9, cases=100)
        told = [replace(grounds, vote=Vote(frozenset(), p)) for p in [0.55, 0.6, 0.7, 0.85, 0.9, 0.95] * 20]
        return [GradedAnswer(n, one, right if one.vote.share > 0.8 else n % 2, False) for n, one in enumerate(told)]

    for right in (1.0, 0.5):
        chosen = fit("before_write", answers(right), 0.85)
        given = [one.right for one in answers(right) if chosen.confidence(one.grounds) >= chosen.other]
        assert len(given) == (60 if right == 1 else 0)


def test_failed_runs_contradict_nothing() -> None:
    well = Case("a", "success", frozenset({"cancel"}))
    row = np.array([0.7, 0.3], np.float32)
    words = np.array([0.7, 0.9], np.float32)
    leads = []
    for outcome in ("failure", "partial"):
        ballot = Ballot([well, Case("b", outcome, frozenset({"refund"}))], np.eye(2, dtype=np.float32))
        leads.append(ballot.lead(row, words, ballot.votes(row)[0]))
    assert leads == pytest.approx([0.7, 0.7])
