"""Text preparation for search: passages, speakers, Chinese and Japanese bigrams, slugs and languages."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Literal

AIM, LONGEST = 1_500, 2_000  # characters of a passage
LEAST = 750  # a boundary before this leaves too little
LONGEST_VALUE = 4_000  # characters of args, and of a result, that are searched
ROLES = frozenset(("user", "assistant", "system", "developer", "tool", "function"))
BOUNDARIES = tuple(
    re.compile(pattern) for pattern in (r"\n\s*\n", r"(?<=[.!?…])[\"')\]]*\s|(?<=[。！？；])|\n", r"\s|(?<=[，、])")
)  # a paragraph, else a sentence or line, else a word
UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U000323af]+"
)
CHINESE_FROM = 0.3  # of the letters
_PILE = re.compile(r"([^\w\s!-~]{32})[^\w\s!-~]+")  # accents heaped on one letter: to sort them takes quadratic time


def split(text: str) -> Iterator[str]:
    """Passages of at most 2,000 characters, cut near 1,500 where something ends. Together they say all of the text."""
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


def searchable(text: str) -> str | None:
    """The text with each run of Chinese or Japanese as its pairs of neighbours, as a search asks for it; None where
    that changes nothing."""
    if text.isascii() or not UNSPACED.search(text):
        return None
    return UNSPACED.sub(lambda run: f" {' '.join(pairs(run.group()))} ", text)


def indexed(text: str) -> str | None:
    """The same as it is found: with every single character too, or who asks for one (茶) would find it only where it
    stands alone."""
    words = searchable(text)
    if words is None:
        return None
    return f"{words} {' '.join(dict.fromkeys(''.join(UNSPACED.findall(text))))}"


def pairs(run: str) -> list[str]:
    """Each character with its right neighbour; one that stands alone is its own pair."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or ([run] if run else [])


def bigrams(text: str) -> list[str]:
    """The pairs of every run of Chinese or Japanese, in order."""
    return [pair for run in UNSPACED.findall(text) for pair in pairs(run)]


def language_of(text: str) -> Literal["en", "zh"]:
    """zh when at least 30 % of the letters are Chinese characters; a text without letters is en."""
    letters = sum(map(str.isalpha, text))
    unspaced = sum(sum(map(str.isalpha, run)) for run in UNSPACED.findall(text))
    return "zh" if letters and unspaced >= CHINESE_FROM * letters else "en"


def normal(text: str, form: Literal["NFKC", "NFKD"] = "NFKC") -> str:
    """The compatibility form of a text of any kind, in linear time."""
    return text if text.isascii() else unicodedata.normalize(form, _PILE.sub(r"\1", text))


def slug(text: str, most: int = 64, nameless: str = "note") -> str:
    """1 to `most` (16 or more) of [a-z0-9-], the same for the same text. Accents go; where letters are lost or cut off,
    a short hash keeps texts apart; `nameless` stands for what has no Latin letter at all."""
    plain = latin(text)
    lost = any(char.isalnum() and not char.isascii() for char in plain)
    words = re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "").lower()).strip("-")
    if words and not lost and len(words) <= most:
        return words
    return f"{words[: most - 9].strip('-') or nameless}-{short_hash(text)}"


def latin(text: str) -> str:
    """Letters without their accents."""
    return "".join(char for char in normal(text, "NFKD") if not unicodedata.combining(char))


def short_hash(text: str) -> str:
    """8 hex digits that tell apart what is written differently, not what differs in case only."""
    canonical = normal(text).casefold().encode("utf-8", "surrogatepass")
    return hashlib.sha256(canonical).hexdigest()[:8]


def said(actor: str, text: str) -> str:
    """What is embedded: who speaks belongs to what is said, unless it is only a role."""
    return text if not actor or actor in ROLES else f"{actor}: {text}"


def of_value(value: Any, most: int = LONGEST_VALUE) -> str:
    """The first characters of a JSON value as text to search: names and values, without brackets and quotes. Costs what
    it gives, however large the value is."""
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
