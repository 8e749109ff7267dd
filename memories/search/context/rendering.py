"""Rendering of the context block, safe against its own content. Pure.

A memory takes exactly one line, whatever it says: it opens no section, ends no fence, closes no tag around the block,
and holds no invisible characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

HEADING = "## Relevant Memories"
JOINERS = "\u200c\u200d"  # of emoji and of scripts that need them
_CONTROL_CATEGORIES = ("Cc", "Zl", "Zp")
_INVISIBLE_CATEGORIES = ("Cf", "Cs", "Co")
_TAGS_AND_SELECTORS = "\U000e0000"  # no letters from here on
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"  # invisible characters of other categories
_SELECTORS = re.compile("(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+")  # keep one variation selector
_LINE_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_HEADING = re.compile(r"(?<!#)(?=##)|(?<!\S)(?=#(?:\s|$))|^(?=#)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_TAG = re.compile(r"<(?=[A-Za-z/!?|])")
_COMMENT_ENDS = re.compile(r"--(?=!?>)")


def line(category: str, content: str, confidence: int) -> str:
    return f"- [{category}] {in_one_line(content)} (confidence: {confidence})"


def block(lines: Iterable[str]) -> str:
    """Join the lines into a block; empty for no lines."""
    block_lines = list(lines)
    return "\n".join([HEADING, *block_lines]) if block_lines else ""


def in_one_line(text: str) -> str:
    parts = (" ".join(_visible(part).split()) for part in _LINE_BREAKS.split(text))
    return _escape(" ".join(_escape_start(part) for part in parts if part))


def quarters(text: str) -> int:
    """The cost of a text in quarters of a token: one a character, four where a character is a word."""
    return sum(4 if char >= "\u2e80" else 1 for char in text)


def _escape_start(part: str) -> str:
    """Neutralise the start of a former line, which could have opened a section or a list."""
    return _HEADING.sub(lambda _: "\\", part)


def _escape(text: str) -> str:
    text = _FENCE.sub(lambda run: "".join(f"\\{char}" for char in run.group()), text)
    return _COMMENT_ENDS.sub(r"--\\", _TAG.sub("&lt;", text))


def _visible(text: str) -> str:
    """Remove invisible characters; joiners stay only where a script uses them."""
    if text.isascii() and text.isprintable():
        return text
    chars = [
        " " if unicodedata.category(char) in _CONTROL_CATEGORIES else char for char in text if not _is_invisible(char)
    ]
    return _SELECTORS.sub("", "".join(_single_joiners(chars)))


def _is_invisible(char: str) -> bool:
    if char in JOINERS:
        return False
    return char in _BLANK or char >= _TAGS_AND_SELECTORS or unicodedata.category(char) in _INVISIBLE_CATEGORIES


def _single_joiners(chars: list[str]) -> Iterator[str]:
    """Keep at most one joiner between two letters that are not Latin."""
    for number, char in enumerate(chars):
        if char not in JOINERS or (0 < number < len(chars) - 1 and _joins(chars[number - 1], chars[number + 1])):
            yield char


def _joins(before: str, after: str) -> bool:
    return not before.isascii() and not after.isascii() and before not in JOINERS
