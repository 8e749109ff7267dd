"""What passages hold: a text cut into passages, a JSON value as words, an utterance with its speaker."""

import re
from collections.abc import Iterator
from typing import Any

from memories.values import roles

AIM, LONGEST = 1_500, 2_000  # characters of a passage
LEAST = 750  # the least length of a passage cut at a boundary
LONGEST_VALUE = 4_000  # characters of args, and of a result, that are searched
BOUNDARIES = tuple(
    re.compile(pattern) for pattern in (r"\n\s*\n", r"(?<=[.!?…])[\"')\]]*\s|(?<=[。！？；])|\n", r"\s|(?<=[，、])")
)  # boundaries: a paragraph, else a sentence or line, else a word


def split(text: str) -> Iterator[str]:
    """Split a text into passages of at most 2,000 characters, cut near 1,500 at a boundary. Nothing is left out."""
    start = 0
    while len(text) - start > LONGEST:
        end = _cut(text, start)
        if passage := text[start:end].strip():
            yield passage
        start = end
    if passage := text[start:].strip():
        yield passage


def _cut(text: str, start: int) -> int:
    for boundary in BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(text, start + LEAST, start + LONGEST)]
        if ends:
            return min(ends, key=lambda end: abs(end - start - AIM))
    return start + AIM


def with_speaker(actor: str, text: str) -> str:
    """The text to embed for an utterance: with the speaker's name, unless that is only a role."""
    return text if not actor or roles.is_role(actor) else f"{actor}: {text}"


def of_value(value: Any) -> str:
    """The first characters of a JSON value as searchable text: names and values, without brackets and quotes.

    The cost depends on the length of the output, not on the size of the value.
    """
    parts: list[str] = []
    room = LONGEST_VALUE
    for part in _parts(value):
        parts.append(part[:room])
        room -= len(part) + 1
        if room <= 0:
            break
    return " ".join(parts)


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield f"{name}:"
            yield from _parts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, str):
        yield value
    elif value is not None:
        yield str(value).lower() if isinstance(value, bool) else str(value)
