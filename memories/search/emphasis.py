"""How much each part of a question that is a conversation counts: by its turn and its speaker, in any language. Pure.

Agents send a task with the talk around it. The rarest words are then those of the talk: of what a question alone finds,
a dialogue with that question at its end found a quarter. `docs/measurements.md` has all figures, and what was left out.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from memories.values import roles
from memories.values.text import UNSPACED, sentences

LONGEST_READ = 10_000  # characters
LAST = 1.0  # the last turn
ASIDE = 0.5  # of a long last turn in which sentences end with a question mark, the others
ASKED_BEFORE = 0.4  # by the speaker of the last turn, with a question mark
SAID_BEFORE = 0.2  # by that speaker
OTHERS = 0.1
LONG_TURN = 200  # characters; one of a script without spaces is three
TURN = re.compile(r"\W{0,4}([^\W\d_][\w.'-]{0,30}(?: [\w.'-]{1,30})?)\W{0,3}[:：]\s*")
ASKS = re.compile(r"[?？؟][\s\"'”’」』)]*$")


def bounded(text: str) -> str:
    """The beginning and the end of a very long text: what is parsed of it."""
    if len(text) <= LONGEST_READ:
        return text
    return f"{text[: LONGEST_READ // 2]}\n{text[-LONGEST_READ // 2 :]}"


class Part(NamedTuple):
    text: str
    weight: float


class _Turn(NamedTuple):
    speaker: str
    text: str


def weighted(text: str) -> list[Part]:
    """The parts of a conversation with their weights; none of a text that is no conversation: it is about one thing."""
    turns = [turn for turn in _turns(text) if turn.text.strip()]
    if not turns:
        return []
    *before, last = turns
    earlier = [part for turn in before for part in _earlier(turn, is_same=turn.speaker == last.speaker)]
    return [*earlier, *_last(last.text)]


def asked(text: str) -> str:
    """What to embed of a question: what counts fully of a conversation, else all that is parsed of it."""
    read = bounded(text)
    return by_weight(read).get(LAST, read)


def by_weight(text: str) -> dict[float, str]:
    """The text of the parts of each weight, greatest first; empty where all count alike."""
    words_by_weight: dict[float, list[str]] = {}
    for part in weighted(text):
        words_by_weight.setdefault(part.weight, []).append(part.text)
    return {weight: "\n".join(words_by_weight[weight]) for weight in sorted(words_by_weight, reverse=True)}


def _earlier(turn: _Turn, *, is_same: bool) -> list[Part]:
    if not is_same:
        return [Part(turn.text, OTHERS)]
    return [Part(sentence, ASKED_BEFORE if ASKS.search(sentence) else SAID_BEFORE) for sentence in sentences(turn.text)]


def _last(text: str) -> list[Part]:
    """The sentences of a long turn that asks something; else the whole turn."""
    parts = sentences(text) if len(text) + 2 * sum(map(len, UNSPACED.findall(text))) >= LONG_TURN else []
    if not any(map(ASKS.search, parts)):
        return [Part(text, LAST)]
    return [Part(part, LAST if ASKS.search(part) else ASIDE) for part in parts]


def _turns(text: str) -> Iterator[_Turn]:
    """In order; none of a text that is no conversation. A line that names no speaker goes on with the turn before it;
    where it is the first, its speaker has no name.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    begins = _begins(lines)
    starts = [n for n, begin in enumerate(begins) if begin]
    if not starts:
        return
    for start, end in pairwise([*([0] if starts[0] else []), *starts, len(lines)]):
        begin = begins[start]
        first = lines[start][begin.end() :] if begin else lines[start]
        yield _Turn(roles.of(begin[1]) if begin else "", "\n".join([first, *lines[start + 1 : end]]))


def _begins(lines: Sequence[str]) -> list[re.Match[str] | None]:
    """What begins a turn on each line; None where the line goes on with the turn before it.

    Where a user and another role speak, or one twice, only roles do: what else ends with a colon is what they send, as
    `port: 80`. Else names, of which one speaks twice, and not alone; `error:`, `https:` and fields of JSON are none.
    """
    begins = [TURN.match(line) for line in lines]
    of_roles = [begin if begin and roles.is_role(begin[1]) else None for begin in begins]
    spoken = [roles.of(begin[1]) for begin in of_roles if begin]
    if len(spoken) > 1 and roles.USER in spoken:
        return of_roles
    names = [
        begin if begin and (role or not begin[1][0].islower()) else None
        for begin, role in zip(begins, of_roles, strict=True)
    ]
    said = [begin[1].lower() for begin in names if begin]
    return names if 1 < len(set(said)) < len(said) else [None] * len(lines)
