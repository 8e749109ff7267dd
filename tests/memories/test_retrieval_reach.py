"""Which words find the candidates, where there is too much to look at all of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.indexing.ann_index import index_name
from memories.search import check
from memories.search.filters import of_search
from memories.search.lexemes import (
    MOST_MATCHED,
    MOST_WORDS,
    MOST_WORDS_OF_FEW,
    MOST_WORDS_OF_LONG,
    lexeme_query,
    most_words,
    quote_lexeme,
    rarest,
)
from memories.search.plan import NEAREST_SHARE, SearchPlan
from memories.search.question import Question
from memories.search.table_statistics import TableStatistics
from memories.values.choices import Status
from memories.values.trust import everything
from tests.make import AT
from tests.memories.searched import find, known, said

SCOPES, TYPES = {"big": 0.5, "small": 0.005}, {"episodic": 0.9, "semantic": 0.1}
MANY = TableStatistics(
    1_000_000, SCOPES, TYPES, {"said": 0.2, "meet": 0.1, "team": 0.008}, rare=0.0005, other_scope=0.0005
)


def test_where_there_is_little_every_word_finds_and_is_counted() -> None:
    found = lexeme_query(["said", "meet"], MANY, ["small"])
    assert (found.tsquery, found.most, found.frequencies) == ("'said' | 'meet'", None, [None, None])


def test_without_statistics_everything_counts_as_little() -> None:
    assert lexeme_query(["said"], TableStatistics(), None).most is None


def test_where_there_is_much_the_rare_words_find_and_the_others_are_estimated() -> None:
    found = lexeme_query(["said", "kiwi", "team"], MANY, ["big"])
    assert found.tsquery == "'kiwi' | 'team'"
    assert found.most == 10_000
    assert found.frequencies == [100_000, None, None]


def test_words_are_as_rare_as_among_the_passages_that_hold_one_of_them() -> None:
    found = lexeme_query(["said", "meet"], replace(MANY, passages=100_000), None)
    assert found.total == pytest.approx(100_000 * (1 - 0.8 * 0.9))


def test_of_all_scopes_fewer_passages_are_enough_but_always_those_of_the_rarest_word() -> None:
    known = replace(MANY, passages=100_000, words={**MANY.words, "plan": 0.035, "wait": 0.06, "view": 0.03})
    assert lexeme_query(["plan", "team"], known, None).tsquery == "'team'"
    assert lexeme_query(["view", "team"], replace(known, passages=250_000), None).tsquery == "'view' | 'team'"
    assert lexeme_query(["plan", "team"], replace(known, passages=400_000), ["big"]).tsquery == "'plan' | 'team'"
    assert lexeme_query(["wait", "said"], known, None).tsquery == "'wait'"


def test_where_all_words_are_common_they_find_together() -> None:
    found = lexeme_query(["said", "meet"], MANY, None)
    assert (found.tsquery, found.frequencies) == ("'meet' & 'said'", [200_000, 100_000])


def told(distinct: float) -> TableStatistics:
    scopes = [list(SCOPES), list(SCOPES.values()), distinct]
    return TableStatistics.of({"passages": 1_000_000, "scopes": scopes, "types": None, "words": None, "indexes": None})


def test_scopes_that_are_not_frequent_share_evenly_what_the_frequent_ones_leave() -> None:
    assert told(992).passages_in(["rare"]) == pytest.approx(495_000 / 990)
    assert told(-0.000992).passages_in(["rare"]) == pytest.approx(495_000 / 990)
    assert told(992).passages_in(["rare", "", "global"]) == pytest.approx(3 * 495_000 / 990)
    assert told(992).passages_in(["small", "big"]) == pytest.approx(505_000)
    assert told(992).passages_in(None) == 1_000_000


def test_a_scope_that_is_not_frequent_holds_no_more_than_the_least_frequent_one() -> None:
    assert told(12).passages_in(["rare"]) == pytest.approx(5_000)


def test_a_small_scope_among_many_is_compared_exactly_although_there_is_an_index() -> None:
    request = check({"query": "x", "scopes": ["rare"]})
    known = replace(told(992), indexes=frozenset([index_name("static-256")]))
    question = Question("x", vector=np.ones(256, np.float32), model="static-256", statistics=known)
    narrow = SearchPlan(question, of_search(request, request.narrows(everything()), AT), AT)
    assert not narrow.index
    wide = SearchPlan(question, of_search(check({"query": "x"}), everything(), AT), AT)
    assert wide.index


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


@pytest.mark.django_db
@pytest.mark.parametrize(("scope", "scopes"), [("acme", ["acme"]), ("", ["acme"]), ("acme", [])])
def test_where_filters_leave_none_of_the_nearest_those_further_away_are_found(
    settings: Any, scope: str, scopes: list[str]
) -> None:
    settings.SEARCH_POOL = 10
    for n in range(NEAREST_SHARE * settings.SEARCH_POOL):
        known(f"The physician prescribed pill {n}", scope=scope, status=Status.SUPERSEDED)
    known("Nurses hand out pills", scope=scope)
    known("Drugs stand on shelf 3", scope=scope)
    found = said(find("which drugs did a doctor give", scopes=scopes))
    assert sorted(found) == ["Drugs stand on shelf 3", "Nurses hand out pills"]


def test_statistics_that_the_database_does_not_have_are_none() -> None:
    row: dict[str, Any] = {"passages": -1, "scopes": None, "types": None, "words": None, "indexes": None}
    assert TableStatistics.of(row) == TableStatistics()
    shares = {"words": [["a", "b"], [0.5, 0.1, 0.1, 0.5, 0]], "scopes": [["x"], [1], 1]}
    assert TableStatistics.of({**row, **shares}).rare == 0.1


def test_among_many_passages_a_question_keeps_few_words_and_among_few_more() -> None:
    assert most_words(1_000_000) == MOST_WORDS
    assert most_words(MOST_MATCHED) == MOST_WORDS_OF_FEW
    assert most_words(170) == most_words(0) == MOST_WORDS_OF_LONG


def test_the_rarest_words_are_kept_without_those_that_nothing_holds() -> None:
    assert rarest(["common", "rare", "absent", "rarer"], [50, 3, 0, 2], 2) == ["rarer", "rare"]
    assert rarest(["b", "aa"], [1, 1], 2) == ["aa", "b"]


@pytest.mark.parametrize(("word", "written"), [("it's", "'it''s'"), ("a\\b", "'a\\\\b'"), ("a&!|", "'a&!|'")])
def test_a_word_is_quoted_whatever_is_in_it(word: str, written: str) -> None:
    assert quote_lexeme(word) == written


@given(st.lists(st.sampled_from(["said", "meet", "team", "kiwi", "plum"]), min_size=1, unique=True), st.booleans())
def test_there_is_always_a_word_to_look_for(words: list[str], scoped: bool) -> None:
    found = lexeme_query(words, MANY, ["big"] if scoped else None)
    assert found.tsquery
    assert len(found.frequencies) == len(words)
