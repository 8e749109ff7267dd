"""Deobfuscation: what a text says to a reader, or to a model, however its letters are written and spaced."""

import re

from memories.claims import chinese, leet
from memories.claims.encodings import decoded
from memories.claims.lookalikes import folded, plain_letters, simplified

LEAST_JOINED = 4  # words that are joined by capitals: GitHub and JavaScript are names
LEAST_SHARE = 0.7  # of such a word in the text: within others it is the name of a class
LEAST_SPACED, MOST_WORDS = 6, 0.3  # single characters of a text that is spaced out; share of its longer words
_LETTER = rf"[^\W\d_{chinese.CLASS}]"
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_][\s.*_|/·~-][^\W\d_](?![^\W_])")
_SPACED_WORD = re.compile(rf"(?<!\w)({_LETTER})([ .*|/·~-])(?:{_LETTER}\2){{2,60}}{_LETTER}(?!\w)")
_SPACED_HAN = re.compile(
    rf"(?<![{chinese.CLASS}])[{chinese.CLASS}](?:[ \t.*|/·~_-]{{1,2}}[{chinese.CLASS}](?![{chinese.CLASS}])){{2,2000}}"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_SEPARATOR = re.compile(r"[\s.*|/·~_-]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINED_BY_CAPITALS = re.compile(r"(?<!\w)[A-Za-z][A-Za-z0-9-]{11,400}(?!\w)")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def respaced(text: str) -> str:
    """Join what is written with spaces inside its words, and split what is written without any."""
    if _SPACED.search(text):
        if _is_spaced_out(text):
            return " ".join(word.replace(" ", "") for word in re.split(r"\s{2,}", text))
        text = _SPACED_WORD.sub(lambda run: run[0].replace(run[2], ""), text)
    if not text.isascii():
        text = _SPACED_HAN.sub(lambda run: _SEPARATOR.sub("", run[0]), text)
    return _JOINED_BY_CAPITALS.sub(_split, text) if _HUMP.search(text) else text


def _is_spaced_out(text: str) -> bool:
    parts = text.split()
    single = sum(len(part) == 1 and part.isalpha() for part in parts)
    longer = sum(len(part) > 1 and not part.isdecimal() and _WORD.search(part) is not None for part in parts)
    return single >= LEAST_SPACED and longer <= MOST_WORDS * single


def _split(word: "re.Match[str]") -> str:
    parts: list[str] = _PART.findall(word[0])
    capitals = sum(part[0].isupper() and len(part) > 1 for part in parts)
    letters = [part for part in parts if part.isalpha()]
    whole = "".join(parts) == word[0].replace("-", "")
    readable = len(letters) >= LEAST_JOINED and sum(map(len, letters)) >= 3 * len(letters)
    is_most = len(word[0]) >= LEAST_SHARE * len(word.string.replace(" ", ""))
    return " ".join(parts) if whole and readable and is_most and capitals >= LEAST_JOINED - 1 else word[0]


MOST_ROUNDS = 3  # base64 of spaced letters


def deobfuscated(text: str, *, throughout: bool = True) -> str:
    """The text in plain letters, for comparison only. A word that was written with digits stands behind `leet.MARK`."""
    text = text.replace(leet.MARK, "")
    for _ in range(MOST_ROUNDS):
        plain = respaced(folded(plain_letters(decoded(text))))
        if plain == text:
            break
        text = plain
    return leet.in_letters(simplified(text), throughout=throughout)
