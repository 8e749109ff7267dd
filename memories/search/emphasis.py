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
EARLIER_QUESTION = 0.4  # by the speaker of the last turn, with a question mark
EARLIER_STATEMENT = 0.2  # by that speaker
OTHER_SPEAKERS = 0.1
LONG_TURN = 200  # characters; one of a script without spaces is three
TURN = re.compile(r"\W{0,4}([^\W\d_][\w.'-]{0,30}(?: [\w.'-]{1,30})?)\W{0,3}[:：]\s*")
QUESTION_END = re.compile(r"[?？؟][\s\"'”’」』)]*$")


def excerpt(text: str) -> str:
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


def weighted_parts(text: str) -> list[Part]:
    """The parts of a conversation with their weights; none of a text that is no conversation: it is about one thing."""
    turns = [turn for turn in _turns(text) if turn.text.strip()]
    if not turns:
        return []
    *before, last = turns
    earlier = [part for turn in before for part in _earlier(turn, is_same=turn.speaker == last.speaker)]
    return [*earlier, *_last(last.text)]


def embedding_text(text: str) -> str:
    """The text to embed for a question: of a conversation its parts of weight LAST, else the whole excerpt."""
    parsed_text = excerpt(text)
    return by_weight(parsed_text).get(LAST, parsed_text)


def by_weight(text: str) -> dict[float, str]:
    """The joined parts of a conversation by weight, greatest first; empty for a text that is no conversation."""
    words_by_weight: dict[float, list[str]] = {}
    for part in weighted_parts(text):
        words_by_weight.setdefault(part.weight, []).append(part.text)
    return {weight: "\n".join(words_by_weight[weight]) for weight in sorted(words_by_weight, reverse=True)}


def _earlier(turn: _Turn, *, is_same: bool) -> list[Part]:
    if not is_same:
        return [Part(turn.text, OTHER_SPEAKERS)]
    return [
        Part(sentence, EARLIER_QUESTION if QUESTION_END.search(sentence) else EARLIER_STATEMENT)
        for sentence in sentences(turn.text)
    ]


def _last(text: str) -> list[Part]:
    """The sentences of a long turn that asks something; else the whole turn."""
    parts = sentences(text) if len(text) + 2 * sum(map(len, UNSPACED.findall(text))) >= LONG_TURN else []
    if not any(map(QUESTION_END.search, parts)):
        return [Part(text, LAST)]
    return [Part(part, LAST if QUESTION_END.search(part) else ASIDE) for part in parts]


def _turns(text: str) -> Iterator[_Turn]:
    """The turns in order; none of a text that is no conversation. A line without a speaker continues the turn before
    it; the speaker of lines before the first turn is ''.
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
    """The match of a speaker at the start of each line; None where the line continues the turn before it.

    If `user` is among two or more lines with a role, only roles begin turns: other lines with a colon are content, as
    `port: 80`. Else capitalised names do, if there are at least two and one speaks twice; `error:` and `https:` do not.
    """
    begins = [TURN.match(line) for line in lines]
    of_roles = [begin if begin and roles.is_role(begin[1]) else None for begin in begins]
    role_names = [roles.of(begin[1]) for begin in of_roles if begin]
    if len(role_names) > 1 and roles.USER in role_names:
        return of_roles
    names = [
        begin if begin and (role or not begin[1][0].islower()) else None
        for begin, role in zip(begins, of_roles, strict=True)
    ]
    speakers = [begin[1].lower() for begin in names if begin]
    return names if 1 < len(set(speakers)) < len(speakers) else [None] * len(lines)
