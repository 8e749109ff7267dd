"""Template tags of search results: excerpts of texts with the words of the question marked.

Of a long text the stretch is shown that holds the most different words of the question.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
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
_UNSPACED = UNSPACED.pattern.removesuffix("+")
_WORD = re.compile(rf"{_UNSPACED}+|(?:(?!{_UNSPACED})[^\W_])+")


class Match(NamedTuple):
    """Where a word of the question stands in a text. `word`: the same for all its forms."""

    start: int
    end: int
    word: str


def matches_in(text: str, question: str) -> list[Match]:
    """Where words of the question stand, in any form, in order. Stop words only where the question has no others.

    Of scripts without spaces: the pairs of characters that both have, as the index knows them.
    """
    question_words = {word.word for word in _words(question)}
    words_to_mark = {word for word in question_words if not word.startswith("stop ")} or question_words
    return sorted(word for word in _words(text[:MAX_READ], alone=True) if word.word in words_to_mark)


def _words(text: str, *, alone: bool = False) -> Iterator[Match]:
    """`alone`: of scripts without spaces each character too, for a question of a single one."""
    for match in _WORD.finditer(text):
        token, start = match[0], match.start()
        if not UNSPACED.match(token):
            yield Match(start, match.end(), _stem(token))
            continue
        yield from (Match(at, at + len(pair), pair) for at, pair in enumerate(pairs(token), start))
        if alone:
            yield from (Match(at, at + 1, character) for at, character in enumerate(token, start))


def _stem(token: str) -> str:
    kind, value, small, _case = words.meanings(token)[0]
    return f"{kind} {value if kind == 'word' else small}"


def stretch(text: str, matches: list[Match], most: int) -> tuple[int, int]:
    """Start and end of `most` characters that hold the most different words; the first of equally good ones."""
    if len(text) <= most:
        return 0, len(text)
    starts = {match.start // LEAD: max(0, match.start - LEAD) for match in reversed(matches) if match.end > most}
    best = max([0, *starts.values()], key=lambda start: (len(_within(matches, start, start + most)), -start))
    return _at_words(text, best, best + most)


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
    places = {place for match in matches if match.end <= end for place in range(match.start, match.end)}
    yield "… " if start else ""
    for is_marked, group in groupby(range(start, end), places.__contains__):
        piece = escape("".join(text[place] for place in group))
        yield f"<mark>{piece}</mark>" if is_marked else piece
    yield "…" if end < len(text) else ""
