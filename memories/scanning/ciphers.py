"""English sentences that are written backwards, with each letter moved by 13 places (rot13), or in base32.

A model reads them and a person does not. They are told by small words, of which nearly each sentence holds some; what
is English as it stands, or any other language, is left alone.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Callable

from memories.lexicon.english_words import IN_SENTENCES
from memories.scanning.required_words import folded

LEAST_WORDS = 2  # different small words
LEAST_BASE32 = 24  # signs in a row
LEAST_OF_WORDS = 0.6  # letters and spaces of a text in base32: a key holds digits
_PARTS = re.compile(r"[\n.:;!?。：；！？]")
_BASE32 = re.compile(rf"(?<![\w=])[A-Z2-7]{{{LEAST_BASE32},8000}}(?:={{1,6}})?(?![\w=])")
_WAYS: tuple[Callable[[str], str], ...] = (lambda text: text[::-1], lambda text: codecs.encode(text, "rot13"))
_KNOWN_BY = [frozenset(map(way, IN_SENTENCES)) for way in _WAYS]
_RUN = re.compile(r"\w+")
_PLAIN = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(IN_SENTENCES))}|of|to|in|is|on|by)(?!\w)", re.IGNORECASE)


def is_in(text: str) -> bool:
    return bool(uncovered(text))


def uncovered(text: str) -> str:
    """What such sentences of the text say, a line each; '' where there are none."""
    runs = _runs(text)
    plain_texts = []
    if max(map(len, runs), default=0) >= LEAST_BASE32:
        plain_texts += [plain for run in _BASE32.findall(text) if (plain := _of_base32(run))]
    for way, known_by in zip(_WAYS, _KNOWN_BY, strict=True):
        if not runs.isdisjoint(known_by):
            plain_texts += [way(part) for part in _PARTS.split(text) if _is_written_so(part, known_by)]
    return "\n".join(plain_texts)


def _runs(text: str) -> set[str]:
    """The runs of letters and digits, folded."""
    return set(_RUN.findall(folded(text)))


def _is_written_so(part: str, known_by: frozenset[str]) -> bool:
    return len(_runs(part) & known_by) >= LEAST_WORDS and not _PLAIN.search(part)


def _of_base32(run: str) -> str:
    bare = run.rstrip("=")
    try:
        plain = base64.b32decode(bare + "=" * (-len(bare) % 8)).decode()
    except (ValueError, binascii.Error):
        return ""
    words = sum(char.isalpha() or char == " " for char in plain)
    return plain if plain.isprintable() and " " in plain and words >= LEAST_OF_WORDS * len(plain) else ""
