"""How passages and memories are ranked, from candidates alone."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search.ranking import IN_ORDER, Candidate, ScoredPassage, Weights, by_passage, names_speaker
from memories.search.ranking_memories import by_memory
from memories.search.relevance import Word

PLAIN = Weights()
ANY = Candidate(1, "m", 1, 0, "semantic", "", "", 0, None, None, 1.0, 50)


def at(position: int, matched: int = 0, memory: str = "m", **facts: Any) -> Candidate:
    return ANY._replace(passage=position, position=position, matched=matched, memory=memory, **facts)


def ranked(*pool: Candidate, tells: tuple[float, ...] = (1.0,), question: str = "") -> dict[int, ScoredPassage]:
    return {one.candidate.passage: one for one in by_passage(pool, words(*tells), question, PLAIN)}


def words(*tells: float) -> list[Word]:
    return [Word(one, one) for one in tells]


def test_a_word_counts_less_the_further_away_it_was_said() -> None:
    found = ranked(*(at(n, matched=n == 1) for n in range(1, 6)))
    words = [found[n].words + found[n].neighbours for n in range(1, 6)]
    assert words == pytest.approx([0.7, 0.7 * 0.8, 0.7 * 0.5, 0.7 * 0.3, 0])


def test_a_word_counts_once_however_often_it_was_said_near_by() -> None:
    found = ranked(at(1, 1), at(2, 1), at(3, 1))
    assert found[2].words + found[2].neighbours == pytest.approx(0.7)


def test_a_character_bigram_counts_more_where_it_is_said_again() -> None:
    found = ranked(at(1, 1, "a", repeat_counts={0: 2}), at(2, 1, "b"), at(3, 1, "c", repeat_counts={0: 1_000}))
    assert [found[1].words / found[2].words, found[3].words / found[2].words] == pytest.approx([1.5, 3], rel=0.01)


def answered(*pool: Candidate) -> list[float]:
    """How much of a question of four character bigrams each passage of the pool answers."""
    pairs = [Word(1, 1, is_whole=False)] * 4
    found = by_passage(pool, pairs, "", PLAIN)
    return [one.relevance for one in sorted(found, key=lambda one: one.candidate.passage)]


def test_a_long_text_answers_less_by_a_character_bigram_unless_it_repeats_it() -> None:
    short, usual, long = answered(at(1, 1, "a", length=20), at(2, 1, "b", length=250), at(3, 1, "c", length=1_500))
    [repeated] = answered(at(1, 1, length=1_500, repeat_counts={0: 8}))
    assert usual == pytest.approx(0.25)
    assert short > 1.5 * usual
    assert min(usual, repeated) > 2 * long


def test_the_length_of_a_text_counts_for_no_word_between_spaces() -> None:
    found = by_passage([at(1, 1, "a", length=20), at(2, 1, "b", length=1_500)], words(1, 1), "", PLAIN)
    assert [one.relevance for one in found] == [0.5, 0.5]


def among(shared: int, asked: int, answer: float) -> float:
    """The score of a shared answer among so many shared passages, and so many of the asked scope, of cosine 0.5."""
    crowd = [at(n, cosine=0.5, memory=str(n), share=0.5 if n <= shared else 1.0) for n in range(1, shared + asked + 1)]
    ends = [at(9_998, cosine=0.0, memory="least"), at(9_999, cosine=answer, memory="answer", share=0.5)]
    return ranked(*crowd, *ends)[9_999].score


def test_a_shared_passage_loses_what_its_crowd_is_ahead_and_at_most_half() -> None:
    assert among(shared=1, asked=0, answer=1.0) == pytest.approx(0.3)
    assert among(shared=50, asked=50, answer=1.0) == pytest.approx(0.3)
    assert among(shared=50, asked=10, answer=1.0) == pytest.approx(0.15)
    assert among(shared=50, asked=10, answer=0.5) == pytest.approx(0.15)


def test_the_answer_to_a_question_is_found_by_the_words_of_the_question() -> None:
    """The reply holds one word of the question and stands beside the others: it beats a passage with two of three."""
    found = ranked(at(1, 0b011), at(2, 0b100), at(9, 0b011, "other"), tells=(1, 1, 1))
    assert found[2].score > found[9].score


def test_what_was_said_in_another_memory_is_not_near() -> None:
    assert ranked(at(1, 1, "a"), at(2, 0, "b"))[2].neighbours == 0


def test_what_is_missing_between_two_passages_keeps_them_apart() -> None:
    assert ranked(at(1, 1), at(3))[3].neighbours == pytest.approx(0.7 * 0.5)
    assert ranked(at(1, 1), at(9))[9].neighbours == 0


def test_meaning_counts_from_the_least_to_the_most_alike_of_the_pool() -> None:
    found = ranked(at(1, cosine=0.9), at(20, cosine=0.7), at(40, cosine=0.8), at(60))
    assert [found[n].meaning for n in (1, 20, 40, 60)] == pytest.approx([0.3, 0, 0.15, 0])


def test_one_weak_word_counts_less_than_half_of_the_question() -> None:
    """What the words tell is a share of the whole question, as long as no passage holds half of it."""
    found = ranked(at(1, 0b0001, cosine=0.1), at(20, cosine=0.9), tells=(1, 1, 1, 1))
    assert found[1].words == pytest.approx(0.7 * 0.25 / 0.5)
    weak = ranked(at(1, 0b0001, cosine=0.1), at(20, cosine=0.9), tells=(0.3, 1, 1, 1))
    assert weak[20].score > weak[1].score
    assert ranked(at(1, 0b0011), tells=(1, 1, 1, 1))[1].words == pytest.approx(0.7)


def test_pairs_of_characters_are_no_words_that_could_be_missing() -> None:
    """Of the pairs of a Chinese question hardly half are words: what is shared counts as ever."""
    pairs = [Word(1, 1, is_whole=False)] * 4
    [found] = by_passage([at(1, 0b0001)], pairs, "", PLAIN)
    assert [found.words, found.relevance] == [pytest.approx(0.7), pytest.approx(0.5)]


def test_relevance_is_absolute() -> None:
    """Half of the words and a likeness of 0.6; the best of the pool may still be irrelevant."""
    found = ranked(at(1, 0b01, cosine=0.9, similarity=0.6), at(20, cosine=0.8, similarity=-0.1), tells=(1, 1))
    assert found[1].relevance == pytest.approx((0.5 + 0.6) / 2)
    assert found[20].relevance == 0
    assert ranked(at(1, cosine=0.7, similarity=0.1), tells=(1, 1))[1].relevance == pytest.approx(0.05)


def test_without_vectors_words_alone_are_relevant_and_without_words_meaning_alone() -> None:
    assert ranked(at(1, 0b01), tells=(1, 1))[1].relevance == pytest.approx(0.5)
    assert ranked(at(1, cosine=0.9, similarity=0.6), tells=())[1].relevance == pytest.approx(0.6)
    assert ranked(at(1), tells=())[1].relevance == 0


def test_who_is_named_in_the_question_is_preferred() -> None:
    found = ranked(at(1, actor="Anna"), at(20, actor="Ben"), at(40, source="P01"), question="What did Anna tell P01?")
    assert [found[n].actor for n in (1, 20, 40)] == [0.3, 0, 0.3]


def test_of_two_people_with_one_first_name_the_one_is_preferred_whose_whole_name_is_said() -> None:
    family = [
        at(1, actor="Caroline Smith"),
        at(20, actor="Caroline Jones"),
        at(40, actor="Caroline"),
        at(60, actor="Ben"),
    ]
    whole = ranked(*family, question="What did Caroline Jones tell Ben?")
    assert [whole[n].actor for n in (1, 20, 40, 60)] == [0, 0.3, 0.3, 0.3]
    first = ranked(*family, question="What did Caroline tell?")
    assert [first[n].actor for n in (1, 20, 40, 60)] == [0.3, 0.3, 0.3, 0]


@pytest.mark.parametrize(
    ("name", "question", "named"),
    [
        ("Anna", "what did anna say?", True),
        ("Anna Smith", "what did anna say?", True),
        ("Anna", "what did susanna say?", False),
        ("user", "what did the user say?", False),
        ("王明", "王明说了什么", True),
        ("", "anything", False),
        ("a.b(c", "who is a.b(c then", True),
        ("Al Capone", "all of al", False),
    ],
)
def test_a_name_is_a_whole_word_and_no_role(name: str, question: str, named: bool) -> None:
    assert names_speaker(name, question) is named


def test_a_memory_is_as_good_as_its_best_passage_then_salience_and_confidence_decide() -> None:
    pool = [at(1, 1, "a"), at(20, 1, "b", salience=0.5), at(40, 1, "c", confidence=90)]
    found = by_memory(by_passage(pool, words(1.0), "", PLAIN), PLAIN)
    assert [one.passages[0].candidate.memory for one in found] == ["c", "a", "b"]
    assert found[0].score == pytest.approx(0.8 + 0.15 + 0.05 * 0.9)
    assert found[2].score == pytest.approx(0.8 + 0.15 * 0.5 + 0.05 * 0.5)


def test_what_has_a_vote_is_ranked_by_it_and_not_by_its_words() -> None:
    pool = [at(1, 1, "a"), at(20, 0, "b"), at(40, 0, "c")]
    found = by_memory(by_passage(pool, words(1.0), "", PLAIN), PLAIN, {"a": 0.2, "b": 1.0})
    assert [(one.passages[0].candidate.memory, one.vote) for one in found] == [("b", 1.0), ("a", 0.2), ("c", None)]
    assert found[1].score == pytest.approx(0.8 * 0.2 + 0.15 + 0.05 * 0.5)


def test_of_equal_passages_the_later_stored_comes_first() -> None:
    assert list(ranked(at(1), at(20))) == [20, 1]


def test_without_neighbours_only_the_passage_itself_counts() -> None:
    alone = by_passage([at(1, 1), at(2)], words(1.0), "", replace(PLAIN, neighbours=()))
    assert [one.score for one in alone] == [0.7, 0]


def test_nothing_is_ranked_as_nothing() -> None:
    found = by_passage([], (), "", PLAIN)
    assert list(found) == []
    assert by_memory(found, PLAIN) == []


pools = st.lists(
    st.builds(
        at,
        st.integers(0, 12),
        st.integers(0, 15),
        st.sampled_from("ab"),
        part=st.integers(0, 1),
        cosine=st.none() | st.floats(-1, 1),
        similarity=st.none() | st.floats(-1, 1),
        salience=st.floats(0, 1),
        confidence=st.integers(0, 100),
        actor=st.sampled_from(["", "Anna", "user"]),
    ),
    max_size=12,
    unique_by=lambda row: (row.memory, row.position, row.part),
).map(lambda rows: [row._replace(passage=number) for number, row in enumerate(rows)])
told = st.lists(st.just(0.0) | st.floats(1e-6, 20), min_size=4, max_size=4)  # a share of 5e-324 rounds to all of it


@given(pools, told)
def test_every_score_is_the_sum_of_its_parts_and_bounded(pool: list[Candidate], tells: list[float]) -> None:
    for one in by_passage(pool, words(*tells), "anna?", PLAIN):
        assert one.score == pytest.approx(one.words + one.neighbours + one.meaning + one.actor)
        assert -1e-9 <= one.score <= 1.3 + 1e-9
        assert 0 <= one.relevance <= 1


@given(pools, told, st.randoms())
def test_the_order_in_which_candidates_come_does_not_matter(
    pool: list[Candidate], tells: list[float], random: Any
) -> None:
    mixed = random.sample(pool, len(pool))
    first, second = by_passage(pool, words(*tells), "", PLAIN), by_passage(mixed, words(*tells), "", PLAIN)
    assert [one.candidate for one in first] == [one.candidate for one in second]


@given(pools, told)
def test_every_memory_of_the_pool_is_ranked_once(pool: list[Candidate], tells: list[float]) -> None:
    found = by_memory(by_passage(pool, words(*tells), "", PLAIN), PLAIN)
    assert sorted(one.passages[0].candidate.memory for one in found) == sorted({row.memory for row in pool})
    assert sum(len(one.passages) for one in found) == len(pool)
    assert all(0 <= one.score <= 1 + 1e-9 for one in found)


@given(pools, told, st.integers(0, 3))
def test_the_best_memories_are_the_first_ones_of_all(pool: list[Candidate], tells: list[float], most: int) -> None:
    found = by_passage(pool, words(*tells), "", PLAIN)
    assert by_memory(found, PLAIN, most=most) == by_memory(found, PLAIN)[:most]


@given(pools, st.integers(0, 12), st.integers(0, 3))
def test_beside_the_best_passages_stand_those_of_their_memories(pool: list[Candidate], best: int, reach: int) -> None:
    found = by_passage(pool, words(1.0), "", PLAIN)
    steps = range(-reach, reach + 1)
    near = {(one.candidate.memory, one.candidate.position + step) for one in found[:best] for step in steps}
    assert found.beside(best, reach) == sorted(
        (row for row in pool if (row.memory, row.position) in near), key=IN_ORDER
    )


@given(pools, told)
def test_passages_are_the_same_alone_and_together(pool: list[Candidate], tells: list[float]) -> None:
    found = by_passage(pool, words(*tells), "", PLAIN)
    places = range(len(pool))
    assert list(found) == found[:] == found.at(places) == [found[place] for place in places]
