"""Many patterns as one, each tried only around the words without which it cannot match.

All words are looked for in one pass, which costs a thousandth of trying each pattern at each place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Self

from ahocorasick_rs import AhoCorasick

from memories.scanning.required_words import (
    START,
    Words,
    folded,
    longest_match,
    marked_words,
    most_telling,
    parsed,
    plain,
)

LONGEST = 2_000  # of a match, for a pattern that is looked for around its words; another is tried on the whole text
AHEAD = 200  # characters: more than any pattern looks ahead
SIDE = 200  # characters of a sentence that are read before a match, and after it
_CAPITALS = re.compile(r"(?P<kept>\\.|\(\?P)|[A-Z]+", re.DOTALL)
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|.", re.DOTALL)  # of a pattern
_END = re.compile(r"[.!?;](?=\s)|[\n。！？；]")  # of a sentence


class Sentence(tuple[str, ...]):
    """Patterns that match in one sentence, in any order. The first is the one that the fewest texts hold."""

    __slots__ = ()

    def __new__(cls, *patterns: str) -> Self:
        return super().__new__(cls, patterns)


class AlternativePattern:
    """One pattern: what every match of it holds (`needed`), and around which of these words it is looked for.

    It is looked for in folded texts and minds case, which is several times as fast as ignoring it.
    """

    def __init__(self, pattern: str | Sentence) -> None:
        self.first, *self.beside = pattern if isinstance(pattern, Sentence) else [pattern]
        nodes = parsed(self.first)
        word_groups, self.longest = marked_words(nodes), longest_match(nodes)
        self.needed, self.around = [plain(words) for words in word_groups], most_telling(word_groups)
        self.others = [plain(words) for words in word_groups if words != self.around]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text holds its words, which few do."""
        return _compile(self.first)

    def finditer(self, text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
        """The matches in a folded text. `places`: where words of `around` stand in it."""
        if not all(_compile(other).search(text) for other in self.beside):
            return  # a long list of addresses, say: none of its sentences needs a look
        for match in self._matches(text, places):
            if not self.beside or self._in_sentence(match):
                yield match

    def _matches(self, text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
        if not self.around or self.longest > LONGEST:
            yield from self.pattern.finditer(text) if _holds(text, self.needed) else ()
            return
        for start, end in stretches(places, before=self.longest, after=self.longest, apart=AHEAD):
            if _holds(text[start:end], self.others):
                yield from self.pattern.finditer(text, start, end + AHEAD)

    def _in_sentence(self, match: re.Match[str]) -> bool:
        """Whether the others are in the sentence of this match too."""
        before = [end.end() for end in _END.finditer(match.string, max(0, match.start() - SIDE), match.start())]
        start = before[-1] if before else max(0, match.start() - SIDE)
        end = _END.search(match.string, match.end(), match.end() + SIDE)
        stop = end.start() if end else match.end() + SIDE
        return all(_compile(other).search(match.string, start, stop) for other in self.beside)


def stretches(places: Iterable[int], *, before: int, after: int, apart: int = 0) -> Iterator[tuple[int, int]]:
    """The parts of a text around these places, in order and more than `apart` from each other."""
    start, end = 0, -1
    for at in sorted(places):
        if end < 0 or at - before > end + apart:
            if end >= 0:
                yield start, end
            start = max(0, at - before)
        end = at + after
    if end >= 0:
        yield start, end


_once = cache(AlternativePattern)  # many patterns stand in two


class Alternatives:
    """Like a compiled pattern that matches where one of these does; case is ignored, ^ and $ are of lines.

    Compiled by the first search: most commands search nothing, and all would wait half a second.
    """

    def __init__(self, *patterns: str | Sentence) -> None:
        self.patterns = patterns

    @cached_property
    def _patterns(self) -> list[AlternativePattern]:
        return [_once(part) for pattern in self.patterns for part in _parts(pattern)]

    @cached_property
    def _of_word(self) -> dict[str, list[int]]:
        """Most telling word -> the numbers of the patterns that contain it."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, pattern in enumerate(self._patterns):
            for word in pattern.around:
                numbers[word].append(number)
        return numbers

    @cached_property
    def _wordless(self) -> list[int]:
        """The numbers of the patterns without one, which are tried on each text."""
        return [number for number, pattern in enumerate(self._patterns) if not pattern.around]

    @cached_property
    def _words(self) -> list[str]:
        return list(self._of_word)

    @cached_property
    def _sought(self) -> AhoCorasick:
        return AhoCorasick([word.removeprefix(START) for word in self._words])

    def search(self, text: str) -> re.Match[str] | None:
        """A match in the folded text, not always the first one."""
        return next(self._matches(folded(text)), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The matches of every pattern in the folded text, in its order; they may overlap."""
        return iter(sorted(self._matches(folded(text)), key=re.Match.start))

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        places: dict[int, list[int]] = {number: [] for number in self._wordless}
        for number, start, _ in self._sought.find_matches_as_indexes(text, overlapping=True):
            word = self._words[number]
            if not word.startswith(START) or not start or not (text[start - 1].isalnum() or text[start - 1] == "_"):
                for pattern in self._of_word[word]:
                    places.setdefault(pattern, []).append(start)
        for pattern, spans in places.items():
            yield from self._patterns[pattern].finditer(text, spans)


def _parts(pattern: str | Sentence) -> Iterator[str | Sentence]:
    """The alternatives of a pattern, each of which has words of its own."""
    if isinstance(pattern, Sentence):
        yield pattern
        return
    depth, begun = 0, 0
    for token in _TOKEN.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == "|" and not depth:
            yield pattern[begun : token.start()]
            begun = token.end()
    yield pattern[begun:]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """For folded texts."""
    return re.compile(_CAPITALS.sub(lambda match: match["kept"] or folded(match[0]), pattern), re.MULTILINE)


def _holds(text: str, word_groups: Iterable[Words]) -> bool:
    return all(any(word in text for word in words) for words in word_groups)
