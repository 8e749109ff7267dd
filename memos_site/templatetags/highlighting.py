"""Template tags of search results: excerpts of texts with the words of the question marked."""

import re
from collections.abc import Iterator

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from memories.models import Memory
from memories.scanning import shown_texts
from memories.values.choices import Type
from memos_site.web.highlighting import matches_in, spans, stretch

register = template.Library()

_BACKTICKS = re.compile(r"`((?:[^`<\n]|</?mark>)+)`")


@register.simple_tag
def excerpt(text: str, question: str, most: int) -> SafeString:
    """Escape a text, mark the words of the question in it, and render what stands between backticks as <code>.

    Of a long text the `most` characters that hold most of these words.
    """
    html = "".join(_pieces(shown_texts.masked(text), question, most))
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
