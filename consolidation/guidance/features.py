"""What a run looks like up to a moment, as counted terms: comparable with another run without reading either again.

Channels: `words` the stems and ids that the user said, and of the ticket that a short request names; `values` the
arguments of calls, and values with a digit in results (ids, dates, amounts); `tools` the names of the calls; `last` the
words of the agent's last message. And the meaning of what the user said, as a vector.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consolidation.learning.effects.effects import with_single_commands
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import words
from consolidation.learning.runs import dialogue, terms, values
from consolidation.learning.runs.run import Run
from memories.claims.words import english
from memories.embedding import built_in
from memories.lexicon.english_words import STOP_OF_LIKENESS
from memories.values import roles, search_words, text

CHANNELS = ("words", "values", "tools", "last")
LONGEST_SPEECH = 20_000  # characters of the user's messages, and of the agent's last one
MOST_TERMS = 400  # of one channel
LONGEST_VALUE = 64
LEAST_IDENTIFIER = 4
_WORD = re.compile(r"(?<![a-z0-9_#@.'+-])[a-z0-9_#@.'+-]*[a-z0-9]")  # not begun within a run: its time would be square
_STEMMER, _LOCK = english(), Lock()  # it keeps the word it works on in itself

Ids = NDArray[np.uint32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Terms:
    """Hashes of distinct terms, sorted, and how often each came up."""

    ids: Ids
    counts: Floats

    def only(self, ids: Ids) -> "Terms":
        """The terms that have one of these ids; `ids` are sorted, as those of the terms are."""
        if not len(ids):
            return Terms(self.ids[:0], self.counts[:0])
        mask = ids[np.searchsorted(ids, self.ids).clip(max=len(ids) - 1)] == self.ids
        return Terms(self.ids[mask], self.counts[mask])


@dataclass(frozen=True, eq=False)
class Features:
    """The channels by name, and the centred unit vector of the user's words (zeros if the model knows none of them)."""

    channels: Mapping[str, Terms]
    vector: Floats

    def __bool__(self) -> bool:
        """Whether the user said anything or a call showed a value."""
        return any(len(self.channels[name].ids) for name in ("words", "values"))

    def pack(self) -> bytes:
        """The sizes of the channels, their ids, their counts, the vector as half floats."""
        channels = [self.channels[name] for name in CHANNELS]
        sizes = np.array([len(channel.ids) for channel in channels], np.uint16).tobytes()
        ids = b"".join(channel.ids.tobytes() for channel in channels)
        counts = b"".join(channel.counts.astype(np.uint16).tobytes() for channel in channels)
        return sizes + ids + counts + self.vector.astype(np.float16).tobytes()


def unpack(packed: bytes | memoryview) -> Features:
    data = bytes(packed)
    sizes = np.frombuffer(data, np.uint16, len(CHANNELS)).astype(int)
    at, total = 2 * len(CHANNELS), int(sizes.sum())
    ids = np.frombuffer(data, np.uint32, total, at)
    counts = np.frombuffer(data, np.uint16, total, at + 4 * total).astype(np.float32)
    ends = np.cumsum(sizes)
    channels = {
        name: Terms(ids[end - n : end], counts[end - n : end])
        for name, n, end in zip(CHANNELS, sizes, ends, strict=True)
    }
    return Features(channels, np.frombuffer(data, np.float16, DIMENSIONS, at + 6 * total).astype(np.float32))


def of(run: Run, *, until: int | None = None, rules: ToolRules | None = None) -> Features:
    """`until`: the position of the first event that does not count; None: all of the run. `rules`: by which command
    lines are read for what a request points to."""
    return of_moment(run, until=until, rules=rules)[0]


def of_moment(run: Run, *, until: int | None = None, rules: ToolRules | None = None) -> tuple[Features, list[int]]:
    """The features up to there, and hashes of the values that may name one customer, order or file: long enough, with a
    digit; as signed integers."""
    texts = [m.text for m in run.user_messages if until is None or m.position < until]
    if rules and dialogue.is_short_request(run):
        texts += dialogue.lines_of_named_record(with_single_commands(run, rules), until=until)
    agent = [m.text for m in run.messages_of(roles.ASSISTANT) if until is None or m.position < until]
    calls = [call for call in run.steps if until is None or call.position < until]
    speech = "\n".join(texts)[:LONGEST_SPEECH]
    shown = list(_values((call.arguments, call.parsed_result) for call in calls))
    by_channel: dict[str, Iterable[str]] = {
        "words": _words(speech),
        "values": shown,
        "tools": (call.name for call in calls),
        "last": _words(agent[-1][:LONGEST_SPEECH]) if agent else (),
    }
    features = Features({name: _counted(by_channel[name]) for name in CHANNELS}, vector(speech))
    return features, _identifiers(shown)


def naming(tools: Iterable[str]) -> Ids:
    """The words of which these tools' names are made, as they stand among the words of users: what people ask for is
    often said in them."""
    return np.array(sorted({_hash(word) for tool in tools for word in _words(" ".join(words(tool)))}), np.uint32)


def _identifiers(shown: Iterable[str]) -> list[int]:
    terms = (term for term in shown if len(term) >= LEAST_IDENTIFIER and any(map(str.isdigit, term)))
    return [int(np.int32(np.uint32(_hash(term)).view(np.int32))) for term in list(dict.fromkeys(terms))[:MOST_TERMS]]


def _words(speech: str) -> Iterator[str]:
    """Stems without words of grammar, ids as they are, pairs of neighbours where a language writes no spaces.

    And that a version is named, whichever: the next release has another one.
    """
    small = text.normal(speech).replace("’", "'").lower()
    yield from search_words.bigrams(small)
    if terms.names_version(small):
        yield terms.VERSION
    for match in _WORD.findall(small):
        word = match.strip(".'-+")
        if word and word not in STOP_OF_LIKENESS:
            yield _stem(word) if word.isalpha() else word


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    with _LOCK:
        return str(_STEMMER.stemWord(word))


def _values(calls: Iterable[tuple[dict[str, Any], Any]]) -> Iterator[str]:
    """Arguments first: in long results a few values must not crowd them out."""
    results = []
    for arguments, result in calls:
        for _, leaf in values.leaves(arguments):
            yield from _term(leaf)
        results.append(result)
    for result in results:
        for _, leaf in values.leaves(result):
            if isinstance(leaf, str) and any(map(str.isdigit, leaf[:LONGEST_VALUE])):
                yield from _term(leaf)


def _term(leaf: values.Scalar) -> Iterator[str]:
    if term := str(leaf).strip().lower()[:LONGEST_VALUE]:
        yield term


def _counted(terms: Iterable[str]) -> Terms:
    """The first so many distinct terms with their counts."""
    counts = Counter(map(_hash, terms))  # in the order in which they first came up
    pairs = sorted(counts.items() if len(counts) <= MOST_TERMS else islice(counts.items(), MOST_TERMS))
    ids = np.array([term_hash for term_hash, _ in pairs], np.uint32)
    return Terms(ids, np.array([min(n, 60_000) for _, n in pairs], np.float32))


def _hash(term: str) -> int:
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


DIMENSIONS = 256


def vector(speech: str) -> NDArray[np.float32]:
    """The meaning of a text, centred and of unit length; zeros if the model knows none of its words."""
    model = built_in()
    [embedding] = model.embed([speech])
    if embedding is None:
        return np.zeros(DIMENSIONS, np.float32)
    difference = np.asarray(embedding - model.mean, np.float32)
    length = float(np.linalg.norm(difference))
    return difference / length if length else difference
