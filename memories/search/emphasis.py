"""How much each sentence of a long question that is a conversation counts. Pure.

Agents send a task with the talk around it. The rarest words are then those of the talk: of what a question alone finds,
a dialogue with that question at its end found a quarter (LoCoMo's dialogues as claims of one person, recall@10 0.20 of
0.74; with these weights 0.68). `docs/measurements.md` has all figures, and what was left out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memories.values import roles
from memories.values.text import UNSPACED, detect_lang

LONGEST_READ = 10_000  # characters
LONG, LONG_CHINESE = 250, 80  # characters; in shorter questions every sentence counts alike
ASKED = 1.0  # what the last turn asks; where it asks nothing, what any sentence asks
NEAR = 0.5  # the rest of the last turn, and what is asked in turns before
TALK = 0.2
LEAST_WORDS, LEAST_CHARACTERS = 5, 6  # of a sentence that asks; "How have you been?" asks nothing
SENTENCE_ENDS = re.compile(r"(?<=[.!?…])[\"')\]]?\s+|(?<=[。！？；])")
TURN = re.compile(r"\W{0,4}([^\W\d_][\w.'-]{0,30}(?: [\w.'-]{1,30})?)\W{0,3}[:：]\s*")
ASKS = re.compile(
    r"(?:(?:and|but|hey|hi|ok|okay|please|so|then),? )*(?:who|whom|whose|what|when|where|which|why|how"
    r"|do|does|did|is|are|was|were|can|could|would|should|will|has|have|had"
    r"|tell|find|show|list|give|explain|describe|remind|recommend|suggest|summari[sz]e|write|draft|look|search|check|help"
    r"|i need|i want|i'd like|i would like|let me know)\b",
    re.IGNORECASE,
)
ASKS_IN_CHINESE = re.compile("[吗呢谁哪几请帮]|什么|怎么|怎样|如何|多少|为何|是否|能否")


def bounded(text: str) -> str:
    """The beginning and the end of a very long text: what is parsed of it."""
    if len(text) <= LONGEST_READ:
        return text
    return f"{text[: LONGEST_READ // 2]}\n{text[-LONGEST_READ // 2 :]}"


class Sentence(NamedTuple):
    text: str
    weight: float


class _Read(NamedTuple):
    """A sentence: the number of its turn, and whether it asks for something."""

    text: str
    turn: int
    asks: bool


def weighted(text: str) -> list[Sentence]:
    """The sentences of a long question with their weights; none where all count alike.

    A text without turns is about one thing, and what asks in it is often "Can you help me with that?" alone.
    """
    if len(text) < LONG_CHINESE or (len(text) < LONG and detect_lang(text) != "zh"):
        return []
    read = list(_sentences(text))
    last = read[-1].turn if read else 0
    if not last or not any(one.asks for one in read):
        return []
    said_last = any(one.asks for one in read if one.turn == last)
    return [Sentence(one.text, _weight(one, last, asks_last=said_last)) for one in read]


def asked(text: str) -> str:
    """What to embed of a question: the sentences that count fully; of a short one all."""
    return by_weight(bounded(text)).get(ASKED, text)


def by_weight(text: str) -> dict[float, str]:
    """The text of the sentences of each weight, greatest first; empty where all count alike."""
    found: dict[float, list[str]] = {}
    for one in weighted(text):
        found.setdefault(one.weight, []).append(one.text)
    return {weight: "\n".join(found[weight]) for weight in sorted(found, reverse=True)}


def _weight(one: _Read, last: int, *, asks_last: bool) -> float:
    at_end = one.turn == last
    if one.asks:
        return ASKED if at_end or not asks_last else NEAR
    return NEAR if at_end else TALK


def _sentences(text: str) -> Iterator[_Read]:
    """In order, with the number of the turn; 0 in a text that is no conversation."""
    lines = [line for line in text.splitlines() if line.strip()]
    begins = [TURN.match(line) for line in lines]
    turns, has_turns = 0, _are_turns([begin[1].lower() for begin in begins if begin])
    for line, begin in zip(lines, begins, strict=True):
        if has_turns and begin:
            turns += 1
            line = line[begin.end() :]  # noqa: PLW2901 - without the speaker
        for sentence in SENTENCE_ENDS.split(line):
            if said := sentence.strip():
                yield _Read(said, turns, _asks(said))


def _are_turns(speakers: Sequence[str]) -> bool:
    """Lines such as `user: ...` are turns where somebody speaks twice, or a user and another role speak; `Order: 17` in
    a list is none."""
    spoken = roles.SPELLINGS.keys() & set(map(roles.of, speakers))
    return len(set(speakers)) < len(speakers) or (roles.USER in spoken and len(spoken) > 1)


def _asks(sentence: str) -> bool:
    runs = "".join(UNSPACED.findall(sentence))
    if len(runs) < LEAST_CHARACTERS and len(sentence.split()) < LEAST_WORDS:
        return False
    if sentence.rstrip("\"')] ").endswith(("?", "？")):
        return True
    return bool(ASKS_IN_CHINESE.search(runs) if runs else ASKS.match(sentence))
