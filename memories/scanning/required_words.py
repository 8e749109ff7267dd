"""The words without which a regular expression cannot match, read from the expression itself."""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from re import _constants as ops  # type: ignore[attr-defined, unused-ignore]  # no public name, no stub
from re import _parser as parser  # type: ignore[attr-defined, unused-ignore]
from typing import Any

from memories.lexicon.english_words import FREQUENT

Node = tuple[Any, Any]  # of a parsed pattern
Words = frozenset[str]  # folded; every match of a pattern holds at least one of them
FLAGS = re.IGNORECASE | re.MULTILINE
START = "\b"  # precedes a word that stands at the start of a run of letters and digits
RUN = re.compile(r"\w+")
FREQUENT_SIGNS = START + " .,:-_/'\""
# Letters that equal an ASCII letter where case is ignored, and that `lower` leaves as they are or makes two of.
_LIKE_ASCII = str.maketrans({"İ": "i", "ı": "i", "ſ": "s"})
_REPEATED = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_WITHOUT_WIDTH = (ops.AT, ops.ASSERT, ops.ASSERT_NOT)


def folded(text: str) -> str:
    """A text as the words of patterns are looked up in it."""
    return text.translate(_LIKE_ASCII).lower() if not text.isascii() else text.lower()


def parsed(pattern: str) -> Any:
    return parser.parse(pattern, FLAGS)


def marked_words(pattern: Any) -> list[Words]:
    """Sets of words of a parsed pattern; every match holds one of each. A word that stands at the start of a run of
    letters and digits begins with START. None: nothing is certain of them."""
    return list(_of_sequence(pattern))


def longest_match(pattern: Any) -> int:
    longest: int = pattern.getwidth()[1]
    return longest


def plain(words: Words) -> Words:
    return frozenset(word.removeprefix(START) for word in words)


def _of_sequence(nodes: Iterable[Node], *, starts: bool = False) -> Iterator[Words]:
    """`starts`: what comes first stands at the start of a run of letters and digits."""
    run = ""  # characters that follow each other in every match
    for kind, value in nodes:
        if kind is ops.LITERAL:
            run += (START if starts and not run and _is_in_run(value) else "") + chr(value)
            starts = False
        elif kind is ops.AT and value is ops.AT_BOUNDARY:
            starts = starts or not run
        elif kind not in _WITHOUT_WIDTH:
            branches = [_literal_beginning(branch) for branch in _branches(kind, value)]
            if run:
                yield frozenset(folded(run + beginning) for beginning in branches or [""])
            starts = starts if not run else not _is_in_run(ord(run[-1]))
            yield from _of_node(kind, value, starts=starts)
            run, starts = "", (starts or not _is_optional(kind, value)) and _ends_apart(kind, value)
    if run:
        yield frozenset({folded(run)})


def _of_node(kind: Any, value: Any, *, starts: bool) -> Iterator[Words]:
    if kind is ops.SUBPATTERN:
        yield from _of_sequence(value[-1], starts=starts)
    elif kind is ops.ATOMIC_GROUP:
        yield from _of_sequence(value, starts=starts)
    elif kind in _REPEATED and value[0] > 0:
        yield from _of_sequence(value[-1], starts=starts)
    elif kind is ops.BRANCH:
        branch_words = [most_telling(_of_sequence(branch, starts=starts)) for branch in value[-1]]
        if all(branch_words):
            yield frozenset[str]().union(*branch_words)


def _branches(kind: Any, value: Any) -> list[list[Node]]:
    if kind is ops.SUBPATTERN and len(value[-1]) == 1:
        return _branches(*value[-1][0])
    return [list(branch) for branch in value[-1]] if kind is ops.BRANCH else []


def _literal_beginning(nodes: Iterable[Node]) -> str:
    return "".join(chr(value) for _, value in takewhile(lambda node: node[0] is ops.LITERAL, nodes))


def _is_in_run(char: int) -> bool:
    return RUN.match(chr(char)) is not None


def _is_optional(kind: Any, value: Any) -> bool:
    return kind in _REPEATED and value[0] == 0


def _ends_apart(kind: Any, value: Any) -> bool:
    """Whether it ends, where it is anything at all, with a character that is no letter, digit or underscore."""
    if kind is ops.LITERAL:
        return not _is_in_run(value)
    if kind is ops.IN:
        return all(
            (item_kind is ops.LITERAL and not _is_in_run(item)) or item is ops.CATEGORY_SPACE
            for item_kind, item in value
        )
    if kind is ops.BRANCH:
        return all(_sequence_ends_apart(branch) for branch in value[-1])
    return (kind is ops.SUBPATTERN or kind in _REPEATED) and _sequence_ends_apart(value[-1])


def _sequence_ends_apart(nodes: Any) -> bool:
    return len(nodes) > 0 and not _is_optional(*nodes[-1]) and _ends_apart(*nodes[-1])


def most_telling(sets: Iterable[Words]) -> Words:
    """The set whose most frequent word is the rarest; empty where nothing is certain."""
    return max(sets, key=lambda words: min(map(_rarity, words)), default=frozenset())


def _rarity(word: str) -> int:
    """The longer the rarer; a letter of another script, and a sign, is as rare as four Latin letters."""
    parts = word.removeprefix(START).split()
    if FREQUENT.issuperset(parts):
        return 2 * len(parts) - 2
    return sum(1 if char.isascii() and (char.isalpha() or char in FREQUENT_SIGNS) else 4 for char in word)
