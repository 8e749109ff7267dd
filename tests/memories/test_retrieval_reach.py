"""Which words find the candidates, where there is too much to look at all of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search import check
from memories.search.filters import of_search
from memories.search.lexemes import MOST_WORDS, MOST_WORDS_OF_FEW, lexeme_query, most_telling, quoted
from memories.search.plan import SearchPlan
from memories.search.question import Question
from memories.search.table_statistics import TableStatistics
from memories.values.trust import everything
from tests.make import AT

SCOPES, TYPES = {"big": 0.5, "small": 0.005}, {"episodic": 0.9, "semantic": 0.1}
MANY = TableStatistics(1_000_000, SCOPES, TYPES, {"said": 0.2, "meet": 0.1, "team": 0.008}, rare=0.0005)


def test_where_there_is_little_every_word_finds_and_is_counted() -> None:
    found = lexeme_query(["said", "meet"], MANY, ["small"])
    assert (found.tsquery, found.most, found.frequencies) == ("'said' | 'meet'", None, [None, None])


def test_without_statistics_everything_counts_as_little() -> None:
    assert lexeme_query(["said"], TableStatistics(), None).most is None


def test_where_there_is_much_the_rare_words_find_and_the_others_are_estimated() -> None:
    found = lexeme_query(["said", "kiwi", "team"], MANY, None)
    assert found.tsquery == "'kiwi' | 'team'"
    assert (found.most, found.total) == (10_000, 1_000_000)
    assert found.frequencies == [200_000, None, None]


def test_where_all_words_are_common_they_find_together() -> None:
    found = lexeme_query(["said", "meet"], MANY, None)
    assert (found.tsquery, found.frequencies) == ("'meet' & 'said'", [200_000, 100_000])


def test_a_scope_that_is_not_frequent_is_what_the_frequent_ones_leave() -> None:
    assert MANY.passages_in(["rare"]) == pytest.approx(495_000)
    assert MANY.passages_in(["small", "big"]) == pytest.approx(505_000)
    assert MANY.passages_in(None) == 1_000_000


@pytest.mark.parametrize(
    ("asked", "narrow"),
    [
        ({}, False),
        ({"types": ["semantic"]}, False),
        ({"types": ["semantic"], "scopes": ["small"]}, True),
        ({"types": ["competence"]}, True),
        ({"types": ["competence", "episodic"]}, False),
        ({"source": "billing"}, True),
    ],
)
def test_where_few_are_asked_for_they_are_compared_one_by_one(asked: dict[str, Any], narrow: bool) -> None:
    request = check({"query": "x", **asked})
    plan = SearchPlan(Question("x", statistics=MANY), of_search(request, request.narrows(everything()), AT), AT)
    assert plan.wants_few == narrow


def test_statistics_that_the_database_does_not_have_are_none() -> None:
    told = {"passages": -1, "scopes": None, "types": None, "words": None, "indexes": None}
    assert TableStatistics.of(told) == TableStatistics()
    shares = {"words": [["a", "b"], [0.5, 0.1, 0.1, 0.5, 0]], "scopes": [["x"], [1]]}
    assert TableStatistics.of({**told, **shares}).rare == 0.1


def test_of_many_words_the_rare_and_long_are_kept() -> None:
    words = [f"word{n}" for n in range(100)]
    kept = most_telling(["said", "extraordinarili", *words], MANY)
    assert len(kept) == MOST_WORDS
    assert "extraordinarili" in kept
    assert "said" not in kept


def test_where_the_caller_sees_little_what_is_frequent_elsewhere_does_not_choose_the_words() -> None:
    words = [f"word{n:02}" for n in range(MOST_WORDS_OF_FEW)]
    known = TableStatistics(1_000_000, SCOPES, TYPES, {"extraordinarili": 0.3}, rare=0.0005)
    assert "extraordinarili" not in most_telling(["extraordinarili", *words], known, None)
    kept = most_telling(["extraordinarili", *words], known, ["small"])
    assert len(kept) == MOST_WORDS_OF_FEW
    assert "extraordinarili" in kept


@pytest.mark.parametrize(("word", "written"), [("it's", "'it''s'"), ("a\\b", "'a\\\\b'"), ("a&!|", "'a&!|'")])
def test_a_word_is_quoted_whatever_is_in_it(word: str, written: str) -> None:
    assert quoted(word) == written


@given(st.lists(st.sampled_from(["said", "meet", "team", "kiwi", "plum"]), min_size=1, unique=True), st.booleans())
def test_there_is_always_a_word_to_look_for(words: list[str], scoped: bool) -> None:
    found = lexeme_query(words, MANY, ["big"] if scoped else None)
    assert found.tsquery
    assert len(found.frequencies) == len(words)
