"""How the best passages are ranked again by their word pieces, from candidates alone."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search import ranking
from memories.search.candidates import Pool
from memories.search.late_interaction import MOST_RERANKED, by_passage
from memories.search.ranking import Candidate, Scored, Weights
from memories.search.relevance import Word

WEIGHTS = Weights()
ANY = Candidate(1, "m", 1, 0, "semantic", "", "", 0, None, None, 1.0, 50)
WORDS = [Word(1.0, 1.0), Word(0.5, 0.5)]
QUESTION = "Who is the doctor?"
PHYSICIAN, PLUMBER = "The physician comes at noon", "The plumber comes at noon"


def saying(text: str, passage: int, **facts: Any) -> Candidate:
    """A passage of a memory of its own, unless told."""
    return ANY._replace(**{"passage": passage, "memory": str(passage), "position": 1, "text": text, **facts})


def ranked(*pool: Candidate, question: str = QUESTION, weights: Weights = WEIGHTS) -> list[Scored]:
    return list(by_passage(Pool(list(pool), WORDS), question, weights))


def pieces(*pool: Candidate, question: str = QUESTION, weights: Weights = WEIGHTS) -> list[float]:
    """What each of these passages gets for its pieces, in the given order."""
    found = {one.candidate.passage: one.pieces for one in ranked(*pool, question=question, weights=weights)}
    return [found[row.passage] for row in pool]


def test_of_passages_that_are_equal_otherwise_the_one_that_says_physician_is_preferred_for_doctor() -> None:
    first, second = ranked(saying(PHYSICIAN, 1), saying(PLUMBER, 2))
    assert (first.candidate.text, second.candidate.text) == (PHYSICIAN, PLUMBER)


def test_a_passage_that_holds_all_of_the_question_gets_the_whole_weight() -> None:
    assert pieces(saying(QUESTION, 1)) == [pytest.approx(WEIGHTS.pieces, rel=1e-3)]


def test_without_a_weight_all_scores_are_as_they_were() -> None:
    pool = [saying(PHYSICIAN, 1), saying(PLUMBER, 2, matched=1)]
    without = replace(WEIGHTS, pieces=0)
    assert ranked(*pool, weights=without) == list(ranking.by_passage(pool, WORDS, QUESTION, without))


def test_what_is_said_beside_a_passage_counts_for_it_by_the_share_of_a_neighbour() -> None:
    told, beside, further = (saying(text, n, memory="m", position=n) for n, text in enumerate((PHYSICIAN, "", ""), 1))
    [own, near, far] = pieces(told, beside, further)
    assert near == pytest.approx(WEIGHTS.neighbours[0] * own)
    assert (own > 0, far) == (True, 0)


def test_where_neighbours_count_nothing_only_a_passage_itself_is_read() -> None:
    told, beside = saying(PHYSICIAN, 1, memory="m"), saying("", 2, memory="m", position=2)
    assert pieces(told, beside, weights=replace(WEIGHTS, neighbours=()))[1] == 0


def test_passages_behind_the_best_ones_are_not_read() -> None:
    best = [saying(PLUMBER, n, matched=1) for n in range(1, MOST_RERANKED + 1)]
    assert pieces(*best, saying(QUESTION, 100))[-1] == 0


def test_a_chinese_question_is_ranked_by_its_words_alone() -> None:
    assert pieces(saying("医生明天来", 1), question="医生什么时候来？") == [pytest.approx(0, abs=0.01)]


def test_the_rest_of_a_chinese_question_counts_by_its_share_of_it() -> None:
    pool = [saying(said, n) for n, said in enumerate(("doctor", PHYSICIAN, PLUMBER))]
    holds, fits, other = pieces(*pool, question="doctor什么时候")
    assert holds == pytest.approx(WEIGHTS.pieces * 6 / 10, rel=1e-3)
    assert holds > fits > other


def test_what_is_shared_gets_the_share_of_its_pieces_that_it_keeps_of_its_score() -> None:
    """Among ten of them, of which the asked scope has none that is as good."""
    crowd = [saying(QUESTION, n, matched=1, share=0.5) for n in range(1, 11)]
    own, *_, shared = pieces(saying(QUESTION, 99), *crowd)
    assert shared == pytest.approx(own * WEIGHTS.shared)


texts = st.sampled_from(["", PHYSICIAN, PLUMBER, QUESTION, "医生", "?", "doctor doctor"])
pools = st.lists(
    st.builds(
        ANY._replace,
        memory=st.sampled_from(["a", "b"]),
        position=st.integers(1, 4),
        part=st.integers(0, 1),
        matched=st.integers(0, 3),
        cosine=st.none() | st.floats(-1, 1),
        share=st.sampled_from([0.5, 1.0]),
        text=texts,
    ),
    max_size=12,
    unique_by=lambda row: (row.memory, row.position, row.part),
).map(lambda rows: [row._replace(passage=number) for number, row in enumerate(rows)])


@given(pools, texts)
def test_every_score_is_the_sum_of_its_parts_and_the_best_is_first(pool: list[Candidate], question: str) -> None:
    found = ranked(*pool, question=question)
    assert sorted(one.candidate.passage for one in found) == list(range(len(pool)))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(one.words + one.neighbours + one.meaning + one.actor + one.pieces)
        assert -1e-9 <= one.pieces <= WEIGHTS.pieces * (1 + 1e-3)
