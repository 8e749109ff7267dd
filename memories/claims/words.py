"""Classification of single words: stop word, negation, weekday, number, or content word under its stem."""

import hashlib
import re
import unicodedata
from functools import lru_cache
from threading import Lock
from typing import Any

from snowballstemmer.english_stemmer import EnglishStemmer

from memories.claims.quantities import COUNTING, MONTHS, WEEKDAYS, number
from memories.lexicon.english_words import IRREGULAR, KINDS, OPPOSITES

Meaning = tuple[str, str, str, str]  # kind, value, in lower case, case

LONGEST_WORD = 64


def english() -> Any:
    """A stemmer of one's own: it keeps the word it works on in itself, so two threads must not share it."""
    return EnglishStemmer()  # type: ignore[no-untyped-call]


_JOINED = re.compile(r"([a-z]{3,20})(\d{1,4})")  # net30
_KINDS = (
    *KINDS,
    ("date", WEEKDAYS),
    ("month", {name: f"{month:02}" for name, month in MONTHS.items()}),
    ("spelled", {word: word for word in COUNTING}),
)
_STEMMER, _LOCK = english(), Lock()  # the stemmer keeps state and is not thread-safe


def meanings(written: str) -> tuple[Meaning, ...]:
    """Classify a word; a compound of joined words gives several meanings. A very long word counts as its beginning and
    its hash.
    """
    if len(written) > LONGEST_WORD:
        digest = hashlib.sha256(written.casefold().encode("utf-8", "surrogatepass")).hexdigest()
        written = f"{written[: LONGEST_WORD - 20]}_{digest[:16]}"
    return _meanings(written)


@lru_cache(maxsize=50_000)
def _meanings(written: str) -> tuple[Meaning, ...]:
    case = _case(written)
    small = fold(written)
    if small.isalpha():
        return (_meaning(small, case),)
    base, apostrophe, ending = small.partition("'")
    if apostrophe:
        denies = ending == "t" and base.endswith("n")
        return (("negation", "", small, case),) if denies else ((*_meaning(base, case)[:2], small, case),)
    if compound := _JOINED.fullmatch(small):
        return _meaning(compound[1], case), ("number", number(compound[2]), compound[2], "")
    if any(char.isdigit() for char in small):
        return (("code", small, small, case),)
    return tuple(_meaning(part, case) for part in small.split("_") if part)


def _meaning(small: str, case: str) -> Meaning:
    for kind, words in _KINDS:
        if small in words:
            return kind, words[small], small, case
    return "opposite" if small in OPPOSITES else "word", _stem(OPPOSITES.get(small, small)), small, case


def _stem(small: str) -> str:
    small = IRREGULAR.get(small, small)
    if not small.isascii():
        return small
    with _LOCK:
        return str(_STEMMER.stemWord(small))


def fold(word: str) -> str:
    """Lower-case a word and remove its accents."""
    small = word.casefold()
    if small.isascii():
        return small
    bare = "".join(char for char in unicodedata.normalize("NFKD", small) if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare) or small


def _case(written: str) -> str:
    """Classify capitals: "" (none), capital, shout (NATO) or inner (GitHub)."""
    if written.islower() or (not written[0].isalpha() and not written.isupper()):
        return ""
    if len(written) > 1 and written.isupper():
        return "shout"
    if not written[1:].islower() and len(written) > 1 and "'" not in written:
        return "inner"
    return "capital" if written[0].isupper() else ""
