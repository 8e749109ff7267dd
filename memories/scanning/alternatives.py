"""Many patterns as one, each tried only on texts that hold the words without which it cannot match.

These words are read from the pattern itself. Looking for one costs a hundredth of trying the pattern at each place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from re import _constants as ops  # type: ignore[attr-defined, unused-ignore]  # no public name, no stub
from re import _parser as parser  # type: ignore[attr-defined, unused-ignore]
from typing import Any

Words = frozenset[str]  # folded; every match of a pattern holds at least one of them
BEGINNING = 3  # characters
FLAGS = re.IGNORECASE | re.MULTILINE
# Letters that equal an ASCII letter where case is ignored, and that `lower` leaves as they are or makes two of.
_LIKE_ASCII = str.maketrans({"İ": "i", "ı": "i", "ſ": "s"})
_REPEATED = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_WITHOUT_WIDTH = (ops.AT, ops.ASSERT, ops.ASSERT_NOT)


class Alternatives:
    """Like a compiled pattern that matches where one of these does; case is ignored, ^ and $ are of lines."""

    def __init__(self, *patterns: str) -> None:
        self.patterns = patterns
        self._tried: list[tuple[re.Pattern[str], list[Words]]] = []
        self._first: dict[str, list[int]] = defaultdict(list)  # word -> patterns of which it is a most telling one
        for number, pattern in enumerate(patterns):
            needed = required_words(pattern)
            self._tried.append((re.compile(pattern, FLAGS), needed))
            for word in _most_telling(needed) or [""]:
                self._first[word].append(number)
        self._beginning: dict[str, list[str]] = defaultdict(list)  # words by their beginnings
        for word in self._first:
            self._beginning[word[:BEGINNING]].append(word)
        self._short = {begins for begins in self._beginning if len(begins) < BEGINNING}

    def search(self, text: str) -> re.Match[str] | None:
        """A match, not always the first one of the text."""
        lookup = folded(text)
        for number in sorted({number for word in self._telling_words(lookup) for number in self._first[word]}):
            pattern, needed = self._tried[number]
            if all(any(word in lookup for word in words) for words in needed) and (match := pattern.search(text)):
                return match
        return None

    def _telling_words(self, text: str) -> Iterator[str]:
        beginnings = set(map("".join, zip(*(text[at:] for at in range(BEGINNING)), strict=False)))
        for begins in (self._beginning.keys() & beginnings) | self._short:
            yield from (word for word in self._beginning[begins] if word in text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        if self.search(text):
            yield from self._together.finditer(text)

    @cached_property
    def _together(self) -> re.Pattern[str]:
        return re.compile("|".join(self.patterns), FLAGS)


def folded(text: str) -> str:
    """A text as the words of patterns are looked up in it."""
    return text.translate(_LIKE_ASCII).lower() if not text.isascii() else text.lower()


def required_words(pattern: str) -> list[Words]:
    """Sets of words; every match holds one of each. None: nothing is certain of them."""
    return list(_of_sequence(parser.parse(pattern, FLAGS)))


def _of_sequence(nodes: Iterable[tuple[Any, Any]]) -> Iterator[Words]:
    run = ""  # characters that follow each other in every match
    for kind, value in nodes:
        if kind is ops.LITERAL:
            run += chr(value)
        elif kind not in _WITHOUT_WIDTH:
            if run:
                yield frozenset({folded(run)})
            yield from _of_node(kind, value)
            run = ""
    if run:
        yield frozenset({folded(run)})


def _of_node(kind: Any, value: Any) -> Iterator[Words]:
    if kind is ops.SUBPATTERN:
        yield from _of_sequence(value[-1])
    elif kind is ops.ATOMIC_GROUP:
        yield from _of_sequence(value)
    elif kind in _REPEATED and value[0] > 0:
        yield from _of_sequence(value[-1])
    elif kind is ops.BRANCH:
        needed = [_most_telling(_of_sequence(branch)) for branch in value[-1]]
        if all(needed):
            yield frozenset[str]().union(*needed)


def _most_telling(sets: Iterable[Words]) -> Words:
    """The set whose shortest word is the longest; empty where nothing is certain."""
    return max(sets, key=lambda words: min(map(len, words)), default=frozenset())
