"""Which competence or plan to use, and whether that is sure enough."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search.selector import Option, Selection, select
from tests.make import AT

THREE = [
    Option("fresh", 95, success_rate=0.9, reinforced_at=AT - timedelta(hours=2)),
    Option("older", 70, success_rate=0.6, reinforced_at=AT - timedelta(days=7)),
    Option("stale", 40, success_rate=0.2, reinforced_at=AT - timedelta(days=30)),
]


def chosen(*options: Option, threshold: float = 0.7) -> Selection:
    return select(options, at=AT, threshold=threshold)


def test_the_sure_the_proven_and_the_fresh_come_first() -> None:
    found = chosen(*reversed(THREE))
    assert found.selected == ["fresh", "older", "stale"]
    assert [round(found.scores[id], 3) for id in found.selected] == [0.949, 0.717, 0.367]
    assert found.confidence == pytest.approx(0.245, abs=0.0005)


def test_more_is_needed_while_the_best_is_not_far_enough_ahead() -> None:
    assert chosen(*THREE).needs_more
    assert not chosen(*THREE, threshold=0.2).needs_more


def test_of_nothing_nothing_is_selected_and_more_is_needed() -> None:
    assert chosen(threshold=0) == Selection([], 0.0, True, {})


def test_the_only_one_is_as_sure_as_its_score() -> None:
    found = chosen(THREE[0])
    assert found.confidence == found.scores["fresh"] < 1


@pytest.mark.parametrize(
    ("facts", "score"),
    [
        ({"confidence": 50}, (0.5 + 0.5 + 0.5) / 3),  # never used, never reinforced
        ({"confidence": 0, "cosine": 0.6}, (0.8 + 0.5 + 0.5) / 3),  # vectors are better than confidence
        ({"confidence": 50, "reinforced_at": AT + timedelta(days=3)}, (0.5 + 0.5 + 1) / 3),
        ({"confidence": 50, "success_rate": 0.0}, (0.5 + 0 + 0.5) / 3),
    ],
)
def test_what_is_not_known_counts_half(facts: dict[str, Any], score: float) -> None:
    assert chosen(Option("one", **facts)).scores["one"] == pytest.approx(score)


options = st.builds(
    Option,
    st.uuids(),
    st.integers(0, 100),
    cosine=st.none() | st.floats(-1, 1),
    success_rate=st.none() | st.floats(0, 1),
    reinforced_at=st.none() | st.datetimes(timezones=st.just(AT.tzinfo)),
)


@given(st.lists(options, max_size=8, unique_by=lambda option: option.id), st.floats(0, 1))
def test_scores_and_confidence_are_shares_and_the_best_comes_first(found: list[Option], threshold: float) -> None:
    answer = chosen(*found, threshold=threshold)
    scores = [answer.scores[id] for id in answer.selected]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= share <= 1 for share in [*scores, answer.confidence])
    assert answer.needs_more == (not found or answer.confidence < threshold)
