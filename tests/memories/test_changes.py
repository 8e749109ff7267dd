"""What changes between two texts, whatever their words are."""

import random

import pytest

from memories.values.changes import changes
from memos_site.web.word_diff import word_pieces
from skills import diffs

FEW_WORDS = (["a"] * 500, ["a", "b"] * 250)
SAME_ENDS = ["first", *[f"line {n % 90}" for n in range(9_000)], "last"]
OTHER_MIDDLE = ["first", *[f"line {n * 31 % 90}" for n in range(9_000)], "last"]


def drawn(words: int, length: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [str(draw.randrange(words)) for _ in range(length)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        FEW_WORDS,
        tuple(reversed(FEW_WORDS)),
        (drawn(2, 600, 1), drawn(2, 600, 2)),
        (drawn(400, 3_000, 1), drawn(400, 2_900, 2)),
        (SAME_ENDS, OTHER_MIDDLE),
        ([], ["a"]),
        (["a"], ["a"]),
        (["a"], ["b"]),
    ],
)
def test_the_stretches_are_both_texts_whole_and_in_order(old: list[str], new: list[str]) -> None:
    found = changes(old, new)
    assert [word for _, a, b, _, _ in found for word in old[a:b]] == old
    assert [word for _, _, _, c, d in found for word in new[c:d]] == new
    assert all(old[a:b] == new[c:d] for tag, a, b, c, d in found if tag == "equal")
    assert {tag for tag, *_ in found} <= {"equal", "replace", "delete", "insert"}
    assert all((tag == "insert") == (a == b) and (tag == "delete") == (c == d) for tag, a, b, c, d in found)


def test_texts_of_few_words_that_come_again_and_again_are_one_change() -> None:
    """Each pair of equal words was looked at, again for each of hundreds of stretches: a page took hours."""
    assert len(changes(*FEW_WORDS)) <= 2
    assert len(changes(*reversed(FEW_WORDS))) <= 2
    before, after = (" ".join(words) for words in FEW_WORDS)
    assert len(diffs.word_pieces(before, after)) <= 4
    assert len(list(word_pieces(before, after))) <= 4


def test_many_lines_that_all_come_often_keep_what_both_begin_and_end_with() -> None:
    assert [tag for tag, *_ in changes(SAME_ENDS, OTHER_MIDDLE)] == ["equal", "replace", "equal"]


def test_a_small_change_of_a_long_text_is_told_by_its_words() -> None:
    old = [part for n in range(1_200) for part in (f"word{n}", " ")]
    new = [*old[:1_000], "other", *old[1_001:]]
    assert changes(old, new) == [
        ("equal", 0, 1_000, 0, 1_000),
        ("replace", 1_000, 1_001, 1_000, 1_001),
        ("equal", 1_001, 2_400, 1_001, 2_400),
    ]
