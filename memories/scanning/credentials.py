"""Detection and masking of credentials and payment card numbers in texts.

Recognises keys in their issuers' formats, values after a word that names a secret, and cards by issuer, length and
check digit. Incoming texts are flagged, texts shown to people are masked.

Texts may be JSON: a quote may be escaped, and a line break is a backslash and a letter. A pattern is tried only around
its literals. Those of all patterns are looked for at once, by an Aho-Corasick automaton.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator

from ahocorasick_rs import AhoCorasick

from memories.scanning.alternatives import stretches
from memories.scanning.credential_kinds import ISSUED, Kind
from memories.scanning.entered_secrets import KINDS as ENTERED
from memories.scanning.named_secrets import AFTER_NAME, BESIDE, NAME, STEMS
from memories.scanning.required_words import folded
from memories.scanning.tables import HEADS, in_columns
from memories.values import invisible

FLAG = "secret"  # the flag of texts with credentials
MASK = "••••••"
CARD, NAMED = "card number", "password"
NAMES = sorted({CARD, NAMED, *(kind.name for kind in (*ISSUED, *BESIDE, *ENTERED))})
_IN_PLACE = (MASK, *(f"[{name} removed]" for name in NAMES))
_KINDS = (*ISSUED, *BESIDE, *ENTERED)
_WORDS = sorted({*STEMS, *HEADS, *(literal for kind in _KINDS for literal in kind.literals)})  # in lower case
_SOUGHT = AhoCorasick(_WORDS)
_OF_WORD = {word: [number for number, kind in enumerate(_KINDS) if word in kind.literals] for word in _WORDS}
_EVERYWHERE = [number for number, kind in enumerate(_KINDS) if not kind.literals]
_NAMING, _HEADING = frozenset(STEMS), frozenset({*STEMS, *HEADS})
_DIGITS = re.compile(  # begins with what the number of a card begins with: ten times as fast as with an assertion
    r"[2-6](?<![A-Za-z0-9_.,-].)(?<!\d[ -].)(?:(?:[ -]?\d){12,40}|\d{3}(?:[ .\-_/–·\u00a0\u2009]{1,3}\d{4}){2}"
    r"[ .\-_/–·\u00a0\u2009]{1,3}\d{1,7}|\d{3}[ .\-_/–\u00a0]{1,3}\d{6}[ .\-_/–\u00a0]{1,3}\d{4,5})"
)
_ESCAPE = re.compile(r"\\{1,8}u(?!d[89a-f])([0-9a-f]{4})", re.IGNORECASE)
_BYTE = re.compile(r"\\x([0-9a-f]{2})")
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
    return _replace(text, lambda _: MASK)


def masked_line(text: str) -> str:
    """A line of a log, in which characters may be escaped, with every secret masked and still one line."""
    plain = masked(_BYTE.sub(lambda match: chr(int(match[1], 16)), without_escapes(text)))
    return "".join(char if char.isprintable() else " " for char in plain)


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
    unmasked = "".join(part + secret for part, secret in zip(parts, [*secrets, ""], strict=True))
    return unmasked if masked(unmasked) == text else text  # new words around one must not make it readable


def places(text: str) -> Iterator[tuple[int, int]]:
    """Where secrets stand; they may overlap."""
    return ((start, end) for start, end, _ in _spans(text))


def removed(text: str) -> str:
    """Replace every secret in a text by what it was, "[password removed]"; the words that name it stay."""
    return _replace(text, lambda name: f"[{name} removed]")


def _replace(text: str, by: Callable[[str], str]) -> str:
    spans, end, pieces = sorted(_spans(text)), 0, []
    for start, stop, name in spans:
        if start >= end:
            pieces += [text[end:start], by(name)]
        end = max(end, stop)
    return "".join([*pieces, text[end:]]) if spans else text


def without_escapes(text: str) -> str:
    """JSON in a text as it is read: `\\u5bc6` is a character, and a line break one backslash and a letter, however
    often the backslash was escaped itself."""
    if "\\u" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return _ESCAPED_TWICE.sub(r"\\", text) if "\\\\" in text else text


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each secret; spans may overlap. What replaces a removed secret is none."""
    for start, end, name in _matches(text):
        if not text.startswith(_IN_PLACE, start):
            yield start, end, name


def _matches(text: str) -> Iterator[tuple[int, int, str]]:
    """Matches in the text, then in the text without invisible characters, which hide a secret from patterns."""
    yield from _visible_matches(text)
    visible_places = invisible.places_seen(text)
    if len(visible_places) < len(text):
        for start, end, name in _visible_matches("".join(text[place] for place in visible_places)):
            yield visible_places[start], visible_places[end - 1] + 1, name


def _visible_matches(text: str) -> Iterator[tuple[int, int, str]]:
    if not text.isascii() and _WIDE.search(text):
        text = text.translate(_NARROW)  # one character for one: places stay
    near = Near(text)
    for start, end in near.parts(_NAMING, before=24, after=24):
        for name in NAME.finditer(text, start, end):
            yield from (
                (*match.span("secret"), NAMED) for tail in AFTER_NAME if (match := tail.match(text, name.end()))
            )
    heads = (start for start, _ in near.parts(_HEADING, before=0, after=1))
    yield from ((*span, NAMED) for span in in_columns(text, heads))
    for kind in near.kinds():
        for start, end in near.parts(kind.literals, before=kind.before, after=kind.after):
            for match in kind.pattern.finditer(text, start, end):
                yield _span(kind.pattern.match(text, match.start()) or match, kind)
    yield from ((*match.span(), CARD) for match in _DIGITS.finditer(text) if _is_card(match))


def _span(match: re.Match[str], kind: Kind) -> tuple[int, int, str]:
    return (*match.span("secret"), kind.name)


class Near:
    """The parts of one text around words. All words are looked for in one pass."""

    def __init__(self, text: str) -> None:
        self.length = len(text)
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, start, _ in _SOUGHT.find_matches_as_indexes(folded(text), overlapping=True):
            self._places[_WORDS[number]].append(start)

    def kinds(self) -> list[Kind]:
        """Those of which the text holds a literal, and those that have none."""
        numbers = {number for word in self._places for number in _OF_WORD[word]}
        return [_KINDS[number] for number in sorted([*numbers, *_EVERYWHERE])]

    def parts(self, words: Collection[str], *, before: int, after: int) -> Iterator[tuple[int, int]]:
        """In order and apart from each other; without words the whole text."""
        if not words:
            return iter([(0, self.length)])
        places = [at for word, starts in self._places.items() if word in words for at in starts]
        return stretches(places, before=before, after=after)


def _is_card(match: re.Match[str]) -> bool:
    """Whether a match is a whole number, grouped or not: not the beginning of a longer number or of a decimal."""
    digits = re.sub("[^0-9]", "", match.group())
    return bool(_ISSUERS.fullmatch(digits)) and not _GOES_ON.match(match.string, match.end()) and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = sum(_DOUBLED[int(digit)] if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return total % 10 == 0
