"""Template tags of search results: excerpts of texts with the words of the question marked.

Of a long text the stretch is shown that holds the most different words of the question.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from memories.claims import words
from memories.models import Memory
from memories.scanning import masked_answers
from memories.values.choices import Type
from memories.values.search_words import pairs
from memories.values.text import UNSPACED

MAX_READ = 20_000  # characters of a text in which words are sought
LEAD = 40  # characters before the first word of a stretch
_WORD = re.compile(r"[^\W_]+")


class Match(NamedTuple):
    """Where a word of the question stands in a text. `word`: the same for all its forms."""

    start: int
    end: int
    word: str


def matches_in(text: str, question: str) -> list[Match]:
    """Where words of the question stand, in any form, in order. Stop words only where the question has no others.

    Of scripts without spaces: the pairs of characters that both have, as the index knows them.
    """
    asked = {word.word for word in _words(question)}
    telling = {word for word in asked if not word.startswith("stop ")} or asked
    return [word for word in _words(text[:MAX_READ], alone=True) if word.word in telling]


def stretch(text: str, matches: list[Match], most: int) -> tuple[int, int]:
    """Start and end of `most` characters that hold the most different words; the first of equally good ones."""
    if len(text) <= most:
        return 0, len(text)
    starts = {match.start // LEAD: max(0, match.start - LEAD) for match in reversed(matches) if match.end > most}
    best = max([0, *starts.values()], key=lambda start: (len(_within(matches, start, start + most)), -start))
    return _at_words(text, best, best + most)


def spans(matches: list[Match], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places within the stretch that are to be marked; those that touch or overlap as one."""
    begun, ended = -1, -1
    for match in matches:
        if match.start < start or match.end > end:
            continue
        if match.start > ended:
            if begun >= 0:
                yield begun, ended
            begun = match.start
        ended = max(ended, match.end)
    if begun >= 0:
        yield begun, ended


def _within(matches: list[Match], start: int, end: int) -> set[str]:
    first = bisect_left(matches, start, key=lambda match: match.start)
    last = bisect_left(matches, end + 1, key=lambda match: match.end)
    return {match.word for match in matches[first:last]}


def _at_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without the parts of words at its ends, as far as words have spaces around them."""
    if start and (space := text.find(" ", start, start + LEAD)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - LEAD, end + 1)) > start:
        end = space
    return start, min(end, len(text))


def _words(text: str, *, alone: bool = False) -> Iterator[Match]:
    """`alone`: of scripts without spaces each character too, for a question of a single one."""
    for match in _WORD.finditer(text):
        for start, end, is_unspaced in _runs(match.group(), match.start()):
            if is_unspaced:
                yield from _characters(text, start, end, alone=alone and end - start > 1)
            else:
                yield Match(start, end, _stem(text[start:end]))


def _runs(written: str, at: int) -> Iterator[tuple[int, int, bool]]:
    """Of a word its runs of scripts without spaces, and what stands between these."""
    end = 0
    for run in UNSPACED.finditer(written):
        if run.start() > end:
            yield at + end, at + run.start(), False
        yield at + run.start(), at + run.end(), True
        end = run.end()
    if end < len(written):
        yield at + end, at + len(written), False


def _characters(text: str, start: int, end: int, *, alone: bool) -> Iterator[Match]:
    for at, pair in enumerate(pairs(text[start:end]), start):
        if alone:
            yield Match(at, at + 1, text[at])
        yield Match(at, at + len(pair), pair)
    if alone:
        yield Match(end - 1, end, text[end - 1])


def _stem(written: str) -> str:
    kind, value, small, _case = words.meanings(written)[0]
    return f"{kind} {value if kind == 'word' else small}"


register = template.Library()

_BACKTICKS = re.compile(r"`((?:[^`<\n]|</?mark>)+)`")


@register.simple_tag
def excerpt(text: str, question: str, most: int) -> SafeString:
    """Escape a text, mark the words of the question in it, and render what stands between backticks as <code>.

    Of a long text the `most` characters that hold most of these words.
    """
    html = "".join(_pieces(masked_answers.masked(text), question, most))
    return mark_safe(_BACKTICKS.sub(r"<code>\1</code>", html))  # noqa: S308 - escaped before


@register.simple_tag
def name_excerpt(memory: Memory, question: str, most: int) -> SafeString:
    """Render the title of a skill, or the content of another memory, as `excerpt` does."""
    skill = getattr(memory, "skill", None) if memory.type == Type.COMPETENCE else None
    return excerpt(skill.title if skill else memory.content, question, most)


def _pieces(text: str, question: str, most: int) -> Iterator[str]:
    matches = matches_in(text, question)
    start, end = stretch(text, matches, most)
    yield "… " if start else ""
    shown = start
    for begun, ended in spans(matches, start, end):
        yield f"{escape(text[shown:begun])}<mark>{escape(text[begun:ended])}</mark>"
        shown = ended
    yield escape(text[shown:end])
    yield "…" if end < len(text) else ""
