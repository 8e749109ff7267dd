"""Folding of lookalike text: HTML entities, confusable letters of other scripts, words joined by underscores."""

import html
import re
import unicodedata

from confusable_homoglyphs.confusables import confusables_data

from memories.claims import chinese
from memories.claims.pieces import EMAIL, FILES, HANDLE, URL
from memories.values import invisible
from memories.values.text import normal

MOST_ENTITIES = 3  # &amp;amp;amp;
_WORD = re.compile(rf"[^\W{chinese.CLASS}\uac00-\ud7a3]+")
_UNDERSCORES = re.compile(rf"(?P<kept>{URL}|{EMAIL}|{FILES}|{HANDLE})|_+", re.VERBOSE)


def _latin_letters() -> dict[int, str]:
    """Of Unicode's table of confusables the letters of which the prototype is one Latin letter. A capital I has the
    small l as its prototype; what is itself a capital stands for the I."""
    found: dict[int, str] = {}
    for char, likes in confusables_data.items():
        if len(char) > 1 or char.isascii() or not char.isalpha():
            continue
        for like in (one["c"] for one in likes):
            if len(like) == 1 and like.isascii() and like.isalpha():
                found[ord(char)] = "I" if like == "l" and char.isupper() else like
    return found


LATIN = _latin_letters()


def folded(text: str) -> str:
    """The text as a reader takes it: entities resolved, in its compatibility form, without invisible characters, words
    that underscores join apart, and a word that reads as a Latin one in Latin letters. Linear."""
    for _ in range(MOST_ENTITIES):
        if "&" not in text:
            break
        text = html.unescape(text)
    text = invisible.removed(normal(text))
    if "_" in text:
        text = _UNDERSCORES.sub(lambda match: match["kept"] or " ", text)
    return text if text.isascii() else _WORD.sub(_read, text)


def _read(match: "re.Match[str]") -> str:
    """A word with a letter from outside of the Latin script, if all of it can be read in that; else as it stands. A
    genuine word of another script holds a letter that no Latin one looks like."""
    word = match[0]
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    read = "".join(_digit(char) or LATIN.get(ord(char), char) for char in letters)
    if read != letters and not _is_latin(read) and any(char.isascii() and char.isalpha() for char in letters):
        read = "".join(_by_its_capital(char) for char in read)  # among Latin letters н passes for an h
    return unicodedata.normalize("NFC", read) if read != letters and _is_latin(read) else word


def _digit(char: str) -> str:
    return "" if char.isascii() else str(unicodedata.decimal(char, ""))


def _by_its_capital(char: str) -> str:
    return LATIN.get(ord(char.upper()), char).lower() if not char.isascii() and len(char.upper()) == 1 else char


def _is_latin(letters: str) -> bool:
    return all(char.isascii() or unicodedata.combining(char) for char in letters)
