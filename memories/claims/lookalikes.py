"""Folding of lookalike text: HTML entities, confusable letters of other scripts, words joined by underscores."""

import html
import json
import re
import unicodedata
from importlib import resources

import confusable_homoglyphs

from memories.claims import chinese
from memories.claims.pieces import EMAIL, FILES, HANDLE, URL
from memories.values import invisible
from memories.values.text import normal

MOST_ENTITIES = 3  # &amp;amp;amp;
_WORD = re.compile(rf"[^\W{chinese.CLASS}\uac00-\ud7a3]+")
_UNDERSCORES = re.compile(rf"(?P<kept>{URL}|{EMAIL}|{FILES}|{HANDLE})|_+", re.VERBOSE)


def _latin_letters() -> dict[int, str]:
    """Letters of Unicode's confusables table whose prototype is one Latin letter.

    The table gives a capital I the prototype l; a confusable that is itself a capital is mapped to I.
    """
    letters: dict[int, str] = {}
    table = resources.files(confusable_homoglyphs) / "confusables.json"  # its own module would keep all of it, 8 MB
    for char, likes in json.loads(table.read_text(encoding="utf-8")).items():
        if len(char) > 1 or char.isascii() or not char.isalpha():
            continue
        for like in (one["c"] for one in likes):
            if len(like) == 1 and like.isascii() and like.isalpha():
                letters[ord(char)] = "I" if like == "l" and char.isupper() else like
    return letters


LATIN = _latin_letters()
DIGITS = {code: str(unicodedata.decimal(chr(code))) for code in range(128, 0x20000) if chr(code).isdecimal()}
LATIN_AND_DIGITS = LATIN | DIGITS


def folded(text: str) -> str:
    """Normalise a text to what a reader takes it for. Linear time.

    HTML entities are resolved, the text is in its compatibility form, invisible characters are removed, words joined by
    underscores are split, and a word that reads as a Latin one is in Latin letters.
    """
    for _ in range(MOST_ENTITIES):
        if "&" not in text:
            break
        text = html.unescape(text)
    text = invisible.removed(normal(text))
    if "_" in text:
        text = _UNDERSCORES.sub(lambda match: match["kept"] or " ", text)
    return text if text.isascii() else _WORD.sub(_read, text)


def _read(match: "re.Match[str]") -> str:
    """Transliterate a word with letters of another script, if all of it can be read as Latin; else leave it unchanged.

    A genuine word of another script holds a letter that no Latin letter resembles.
    """
    word = match[0]
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    read = letters.translate(LATIN_AND_DIGITS)
    if read != letters and not _is_latin(read) and any(char.isascii() and char.isalpha() for char in letters):
        read = "".join(_by_its_capital(char) for char in read)  # among Latin letters н passes for an h
    return unicodedata.normalize("NFC", read) if read != letters and _is_latin(read) else word


def _by_its_capital(char: str) -> str:
    return LATIN.get(ord(char.upper()), char).lower() if not char.isascii() and len(char.upper()) == 1 else char


def _is_latin(letters: str) -> bool:
    return all(char.isascii() or unicodedata.combining(char) for char in letters)
