"""Many patterns as one, each tried only around the words without which it cannot match.

Looking for a word costs a hundredth of trying the pattern at each place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Self

from memories.scanning.required_words import RUN, START, Words, folded, longest_match, marked_words, most_telling, plain

LONGEST = 2_000  # of a match, for a pattern that is looked for around its words; another is tried on the whole text
AHEAD = 200  # characters: more than any pattern looks ahead
SIDE = 200  # characters of a sentence that are read before a match, and after it
BEGINNING = 3  # characters
FREQUENT, LONGEST_FREQUENT = 2_048, 20  # runs of letters whose words are remembered, and their characters
_CAPITALS = re.compile(r"(?P<kept>\\.|\(\?P)|[A-Z]+", re.DOTALL)
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|.", re.DOTALL)  # of a pattern
_END = re.compile(r"[.!?;](?=\s)|[\n。！？；]")  # of a sentence


class Sought(NamedTuple):
    """A word, and the longest run of letters and digits in it of which it is certain that it starts one in a text.

    `is_open`: the run may go on in the text; `is_run`: the word is nothing else.
    """

    word: str
    run: str
    is_open: bool
    is_run: bool


class Sentence(tuple[str, ...]):
    """Patterns that match in one sentence, in any order. The first is the one that the fewest texts hold."""

    __slots__ = ()

    def __new__(cls, *patterns: str) -> Self:
        return super().__new__(cls, patterns)


class Tried:
    """One pattern: what every match of it holds (`needed`), and around which of these words it is looked for.

    It is looked for in folded texts and minds case, which is several times as fast as ignoring it.
    """

    def __init__(self, pattern: str | Sentence) -> None:
        first, *beside = pattern if isinstance(pattern, Sentence) else [pattern]
        needed = marked_words(first)
        self.pattern, self.longest = _compiled(first), longest_match(first)
        self.beside = [_compiled(other) for other in beside]
        self.needed, self.telling = [plain(words) for words in needed], most_telling(needed)
        self.around, self.others = plain(self.telling), [plain(words) for words in needed if words != self.telling]

    def finditer(self, text: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
        """The matches in a folded text. `words`: those of `around` that it holds."""
        for match in self._matches(text, words):
            if not self.beside or self._in_sentence(match):
                yield match

    def _matches(self, text: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
        if not self.around or self.longest > LONGEST:
            yield from self.pattern.finditer(text) if _holds(text, self.needed) else ()
            return
        for start, end in self._places(text, words):
            if _holds(text[start:end], self.others):
                yield from self.pattern.finditer(text, start, end + AHEAD)

    def _in_sentence(self, match: re.Match[str]) -> bool:
        """Whether the others are in the sentence of this match too."""
        before = [end.end() for end in _END.finditer(match.string, max(0, match.start() - SIDE), match.start())]
        start = before[-1] if before else max(0, match.start() - SIDE)
        end = _END.search(match.string, match.end(), match.end() + SIDE)
        stop = end.start() if end else match.end() + SIDE
        return all(other.search(match.string, start, stop) for other in self.beside)

    def _places(self, text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
        """The parts of a text that hold every match, in order and apart from each other."""
        start, end = 0, -1
        for at in sorted(at for word in words for at in _occurrences(text, word)):
            if end < 0 or at - self.longest > end + AHEAD:
                if end >= 0:
                    yield start, end
                start = max(0, at - self.longest)
            end = at + self.longest
        if end >= 0:
            yield start, end


class Alternatives:
    """Like a compiled pattern that matches where one of these does; case is ignored, ^ and $ are of lines."""

    def __init__(self, *patterns: str | Sentence) -> None:
        self.patterns = patterns
        self._tried = [Tried(part) for pattern in patterns for part in _parts(pattern)]
        self._first: dict[str, list[int]] = defaultdict(list)  # word -> patterns of which it is a most telling one
        for number, tried in enumerate(self._tried):
            for word in tried.telling or [""]:
                self._first[word].append(number)
        self._by_run: dict[str, list[Sought]] = defaultdict(list)  # by the beginning of a run of theirs
        self._anywhere: list[tuple[str, frozenset[str]]] = []  # those without a run that is known to start one
        for word in self._first:
            if sought := _sought(word):
                self._by_run[sought.run[:BEGINNING]].append(sought)
            else:
                self._anywhere.append((word, frozenset(word)))
        self._with_frequent_run = lru_cache(FREQUENT)(self._with_run)

    def search(self, text: str) -> re.Match[str] | None:
        """A match in the folded text, not always the first one."""
        return next(self._matches(folded(text)), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """The matches of every pattern in the folded text, in its order; they may overlap."""
        return iter(sorted(self._matches(folded(text)), key=re.Match.start))

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        around: dict[int, list[str]] = defaultdict(list)  # words by the patterns that are tried around them
        for word in self._telling_words(text):
            for number in self._first[word]:
                around[number].append(word.removeprefix(START))
        for number, words in around.items():
            yield from self._tried[number].finditer(text, words)

    def _telling_words(self, text: str) -> Iterator[str]:
        for run in set(RUN.findall(text)):
            for sought in self._with_frequent_run(run) if len(run) <= LONGEST_FREQUENT else self._with_run(run):
                if sought.is_run or sought.word.removeprefix(START) in text:
                    yield sought.word
        letters = set(text)
        yield from (word for word, its_letters in self._anywhere if its_letters <= letters and word in text)

    def _with_run(self, run: str) -> list[Sought]:
        beginnings = {run[:length] for length in range(1, BEGINNING + 1)}
        those = [sought for beginning in beginnings for sought in self._by_run.get(beginning, ())]
        return [sought for sought in those if sought.run == run or (sought.is_open and run.startswith(sought.run))]


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


def _compiled(pattern: str) -> re.Pattern[str]:
    """For folded texts."""
    return re.compile(_CAPITALS.sub(lambda match: match["kept"] or folded(match[0]), pattern), re.MULTILINE)


def _sought(word: str) -> Sought | None:
    shown = word.removeprefix(START)
    runs = [match for match in RUN.finditer(shown) if match.start() or shown != word]
    if not runs:
        return None
    longest = max(runs, key=lambda match: len(match[0]))
    return Sought(word, longest[0], longest.end() == len(shown), longest[0] == shown)


def _holds(text: str, needed: Iterable[Words]) -> bool:
    return all(any(word in text for word in words) for words in needed)


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)
