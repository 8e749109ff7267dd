"""Parts and forms of a text: names, sentences, slugs and languages."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af]+"
)
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
CHINESE_FROM = 0.3  # share of Chinese letters
_PILE = re.compile(r"([^\w\s!-~]{32})[^\w\s!-~]+")  # stacked accents: normalising takes quadratic time


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


def as_text(value: Any, *, indent: int | None = None) -> str:
    """A text as it is, any other value of JSON in JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=indent, ensure_ascii=False)


def strings(value: Any) -> Iterator[str]:
    """The texts of a JSON value, without the names of its fields."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from (value,) if isinstance(value, str) else (text for member in inner for text in strings(member))


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without blank ones."""
    return [part for part in map(str.strip, SENTENCE_ENDS.split(text)) if part]
