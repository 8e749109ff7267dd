"""Detection and masking of credentials and payment card numbers in texts.

Recognises keys in their issuers' formats, values after a word that names a secret, and cards by issuer, length and
check digit. Incoming texts are flagged, texts shown to people are masked.

Texts may be JSON: a quote may be escaped, and a line break is a backslash and a letter. A pattern is tried only where
the text holds one of its literals, which costs a hundredth of trying the pattern.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from memories.scanning.credential_kinds import ISSUED, SHORTEST_KEY, Kind
from memories.scanning.named_secrets import AFTER_NAME, BESIDE, NAME, STEMS

FLAG = "secret"  # the flag of texts with credentials
MASK = "••••••"
CARD, NAMED = "card number", "password"
NAMES = sorted({CARD, NAMED, *(kind.name for kind in (*ISSUED, *BESIDE))})
_IN_PLACE = (MASK, *(f"[{name} removed]" for name in NAMES))
_DIGITS = re.compile(  # begins with a digit, not with an assertion: ten times as fast
    r"\d(?:(?:[ -]?\d){12,40}|\d{3}(?:[ .\-_/–·\u00a0\u2009]{1,3}\d{4}){2}"
    r"[ .\-_/–·\u00a0\u2009]{1,3}\d{1,7}|\d{3}[ .\-_/–\u00a0]{1,3}\d{6}[ .\-_/–\u00a0]{1,3}\d{4,5})"
)
_ESCAPE = re.compile(r"\\{1,8}u(?!d[89a-f])([0-9a-f]{4})", re.IGNORECASE)
_ESCAPED_TWICE = re.compile(r"\\{2,}")
_WIDE = re.compile("[\uff01-\uff5e]")
_NARROW = {0xFF01 + place: 0x21 + place for place in range(0x5E)} | {0x3000: 0x20}
_GOES_ON = re.compile(r"[\w-]|[.,]\d")
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))\d{12}"
    r"|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)  # Luhn: digit sum of a doubled digit


def is_in(text: str) -> bool:
    return next(_spans(text), None) is not None


def masked(text: str) -> str:
    """Mask every secret in a text; the words that name it stay."""
    return _replaced(text, lambda _: MASK)


def restored(text: str, former: str) -> str:
    """A text that was shown masked and is sent back changed, with what stood in the place of each mask before. Unless
    as many masks came back as there were secrets, the masks stay: which is which cannot be told.
    """
    secrets, end = [], 0
    for start, stop in sorted(places(former)) if MASK in text else ():
        if start >= end:
            secrets.append(former[start:stop])
        end = max(end, stop)
    parts = text.split(MASK)
    if len(parts) != len(secrets) + 1:
        return text
    whole = "".join(part + secret for part, secret in zip(parts, [*secrets, ""], strict=True))
    return whole if masked(whole) == text else text  # new words around one must not make it readable


def places(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand; they may overlap."""
    return ((start, end) for start, end, _ in _spans(text))


def removed(text: str) -> str:
    """Replace every secret in a text by what it was, "[password removed]"; the words that name it stay."""
    return _replaced(text, lambda name: f"[{name} removed]")


def _replaced(text: str, by: Callable[[str], str]) -> str:
    spans, end, kept = sorted(_spans(text)), 0, []
    for start, stop, name in spans:
        if start >= end:
            kept += [text[end:start], by(name)]
        end = max(end, stop)
    return "".join([*kept, text[end:]]) if spans else text


def without_escapes(text: str) -> str:
    """JSON in a text as it is read: `\\u5bc6` is a character, and a line break one backslash and a letter, however
    often the backslash was escaped itself."""
    if "\\u" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return _ESCAPED_TWICE.sub(r"\\", text) if "\\\\" in text else text


def as_text(value: Any) -> str:
    """Convert a value to text for scanning: text unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secrets stand, and their names; they may overlap. What stands in the place of one is none."""
    for start, end, name in _found(text):
        if not text.startswith(_IN_PLACE, start):
            yield start, end, name


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    if _WIDE.search(text):
        text = text.translate(_NARROW)  # one character for one: places stay
    yield from _keys(text)
    near = Near(text)
    for start, end in near.parts(STEMS, before=24, after=24):
        for name in NAME.finditer(text, start, end):
            yield from (
                (*match.span("secret"), NAMED) for tail in AFTER_NAME if (match := tail.match(text, name.end()))
            )
    for kind in BESIDE:
        for start, end in near.parts(kind.literals, before=kind.before, after=kind.after):
            for match in kind.pattern.finditer(text, start, end):
                yield _span(kind.pattern.match(text, match.start()) or match, kind)
    yield from ((*match.span(), CARD) for match in _DIGITS.finditer(text) if _is_card(match))


def _span(match: re.Match[str], kind: Kind) -> tuple[int, int, str]:
    return (*match.span("secret"), kind.name)


def _keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Keys in the formats of their issuers. They are looked for in the long runs of characters, which are few."""
    runs = "\n".join(run for run in text.split() if len(run) >= SHORTEST_KEY)
    folded = runs.lower()
    for kind in ISSUED:
        if any(literal in folded for literal in kind.literals) and kind.pattern.search(runs):
            yield from (_span(match, kind) for match in kind.pattern.finditer(text))


class Near:
    """The parts of one text around words, each of which is looked for once."""

    def __init__(self, text: str) -> None:
        self.folded, self.length, self._places = text.lower(), len(text), dict[str, list[int]]()
        self._is_ascii = text.isascii()

    def parts(self, words: tuple[str, ...], *, before: int, after: int) -> Iterator[tuple[int, int]]:
        """In order and apart from each other."""
        places = sorted(at for word in words for at in self._of(word))
        if places and len(self.folded) != self.length:  # a letter whose small form is two: places do not agree
            yield 0, self.length
            return
        start, end = 0, -1
        for at in places:
            if at - before > end:
                if end >= 0:
                    yield start, end
                start = max(0, at - before)
            end = min(at + after, self.length)
        if end >= 0:
            yield start, end

    def _of(self, word: str) -> list[int]:
        if word not in self._places:
            self._places[word] = [] if self._is_ascii and not word.isascii() else list(_occurrences(self.folded, word))
        return self._places[word]


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _is_card(match: re.Match[str]) -> bool:
    """Whether a match is a whole number, grouped or not: not part of an id, of a longer number, or of a decimal."""
    before, digits = match.string[max(0, match.start() - 1) : match.start()], re.sub("[^0-9]", "", match.group())
    if not _ISSUERS.fullmatch(digits) or (before.isalnum() and before.isascii()) or (before and before in "_-.,"):
        return False
    return not _GOES_ON.match(match.string, match.end()) and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = sum(_DOUBLED[int(digit)] if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return total % 10 == 0
