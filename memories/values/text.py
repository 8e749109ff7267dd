"""Parts and forms of a text: passages, sentences, speakers, slugs and languages."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

from memories.values import roles

AIM, LONGEST = 1_500, 2_000  # characters of a passage
LEAST = 750  # the least length of a passage cut at a boundary
LONGEST_VALUE = 4_000  # characters of args, and of a result, that are searched
BOUNDARIES = tuple(
    re.compile(pattern) for pattern in (r"\n\s*\n", r"(?<=[.!?…])[\"')\]]*\s|(?<=[。！？；])|\n", r"\s|(?<=[，、])")
)  # boundaries: a paragraph, else a sentence or line, else a word
UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af]+"
)
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
CHINESE_FROM = 0.3  # share of Chinese letters
_PILE = re.compile(r"([^\w\s!-~]{32})[^\w\s!-~]+")  # stacked accents: normalising takes quadratic time


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


def plain_name(name: str) -> str:
    """A name in lower case, with one space between its words, also where they were joined by - or _."""
    return _BETWEEN_WORDS.sub(" ", name).strip().lower()


def detect_lang(text: str) -> Literal["en", "zh"]:
    """Detect zh when at least 30 % of the letters are Chinese characters, else en, also for texts without letters."""
    letters = sum(map(str.isalpha, text))
    return "zh" if letters and unspaced_letters(text) >= CHINESE_FROM * letters else "en"


def unspaced_letters(text: str) -> int:
    """How many letters of scripts without spaces a text has."""
    return sum(sum(map(str.isalpha, run)) for run in UNSPACED.findall(text))


def normal(text: str, form: Literal["NFKC", "NFKD"] = "NFKC") -> str:
    """The Unicode compatibility form of any text, in linear time."""
    return text if text.isascii() else unicodedata.normalize(form, _PILE.sub(r"\1", text))


def slug(text: str, most: int = 64, nameless: str = "note") -> str:
    """A slug of 1 to `most` (16 or more) characters of [a-z0-9-], deterministic.

    Accents are removed; where letters are lost or cut off, a short hash keeps texts apart; `nameless` stands for a text
    without any Latin letter.
    """
    plain = latin(text)
    lost = any(char.isalnum() and not char.isascii() for char in plain)
    words = re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "").lower()).strip("-")
    if words and not lost and len(words) <= most:
        return words
    return f"{words[: most - 9].strip('-') or nameless}-{short_hash(text)}"


def latin(text: str) -> str:
    """Remove accents from letters."""
    return "".join(char for char in normal(text, "NFKD") if not unicodedata.combining(char))


def short_hash(text: str) -> str:
    """8 hex digits that differ for different texts, ignoring case."""
    canonical = normal(text).casefold().encode("utf-8", "surrogatepass")
    return hashlib.sha256(canonical).hexdigest()[:8]


def strings(value: Any) -> Iterator[str]:
    """The texts of a JSON value, without the names of its fields."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from (value,) if isinstance(value, str) else (text for member in inner for text in strings(member))


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without blank ones."""
    return [part for part in map(str.strip, SENTENCE_ENDS.split(text)) if part]


def with_speaker(actor: str, text: str) -> str:
    """The text to embed for an utterance: with the speaker's name, unless that is only a role."""
    return text if not actor or roles.is_role(actor) else f"{actor}: {text}"


def of_value(value: Any, most: int = LONGEST_VALUE) -> str:
    """The first characters of a JSON value as searchable text: names and values, without brackets and quotes.

    The cost depends on the length of the output, not on the size of the value.
    """
    parts: list[str] = []
    room = most
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
