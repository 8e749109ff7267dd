"""Tokenizer of claims: words, runs of Chinese, numbers, and marks for negation, comparison and bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.claims import chinese
from memories.claims.leet import MARK
from memories.claims.quantities import clock, number
from memories.claims.words import Meaning, fold, meanings
from memories.lexicon.english_words import ABBREVIATIONS, PHRASES


@dataclass(slots=True)
class Piece:
    """A token of a text.

    `kind`: word, stop, han, number, month, break (a sentence ends), pause (a clause ends), or the kind of a hard token
    with its value. `written`: in lower case; `opens`: begins a sentence; `case`: "", capital, shout (NATO) or inner.
    """

    kind: str
    value: str
    written: str = ""
    opens: bool = False
    case: str = ""
    unit: str = ""  # unit or currency written without a space


_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]")
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff\u0e31\u0e34-\u0e4e"
_WORD = rf"[^\W{chinese.CLASS}]"
_EXTENSIONS = "txt|md|pdf|csv|json|ya?ml|py|js|ts|html?|docx?|xlsx?|pptx?|png|jpe?g|zip|sh|sql|toml|xml|log"
URL = rf"(?:https?://|www\.)[^\s<>\"'，。；、）)\]{chinese.CLASS}]{{1,2000}}+"
EMAIL = r"[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}+@[A-Za-z0-9-]{1,63}+(?:\.[A-Za-z0-9-]{1,63}+){1,8}+"
FILES = rf"(?<![\w.])[\w-]{{1,64}}+\.(?:{_EXTENSIONS})\b"
HANDLE = r"(?<!\w)@\w{1,64}+"
_SCAN = re.compile(
    rf"""
      (?P<url>{URL})
    | (?P<email>{EMAIL})
    | (?P<iso>(?<!\d)\d{{4}}[-/.年]\d{{1,2}}[-/.月]\d{{1,2}}(?!\d)(?:[日号]|T(?=\d))?)
    | (?P<md>(?:(?<!\d)\d{{4}}年)?\d{{1,2}}月(?!内)(?:\d{{1,2}}[日号])?)
    | (?P<slash>(?<![\d/])\d{{1,2}}/\d{{1,2}}/\d{{2,4}}(?![\d/]))
    | (?P<time>(?<![\d.:])(?P<h>\d{{1,2}})
        (?: :(?P<m>\d\d)(?::\d\d)?(?!\d)(?:\s?(?P<half>[ap])\.?m\b\.?)? | \s?(?P<half2>[ap])\.?m\b\.? )
        | \b(?P<noon>noon|midnight)\b )
    | (?P<file>{FILES})
    | (?P<version>\b[vV]\d++(?:\.\d++)*+\b)
    | (?P<currency>[$€£¥₹]\x20?)?(?P<number>(?:(?<=\s)-|^-)?
        (?:\d{{1,3}}(?:,\d{{3}})++(?!\d)(?:\.\d++)?|\d++(?:\.\d++)*+|(?<![\w.])\.\d++))
        (?P<unit>%|[A-Za-z]{{1,3}}+|{chinese.UNIT})?(?!{_WORD})
    | (?P<han>[{chinese.CLASS}]++)
    | (?P<handle>{HANDLE})
    | {MARK}(?P<leet>[A-Za-z]+)
    | (?P<word>{_WORD}(?:{_WORD}|[{_MARKS}])*+(?:'[A-Za-z]{{1,3}}\b)*+)
    | (?P<end>[.!?。！？\n])
    | (?P<pause>[,;:，；：、()（）])
    | (?P<arrow>->|=>|→|>(?=\s))
    """,
    re.VERBOSE | re.MULTILINE,
)
_PHRASE = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, PHRASES), key=len, reverse=True)) + r")\b", re.IGNORECASE
)


def scan(text: str) -> list[Piece]:
    """Tokenize a text in its compatibility form.

    Linear time: each alternative of the pattern consumes what it matched, or fails within its bound.
    """
    plain = _HIDDEN.sub("", text).replace("’", "'").replace("‘", "'")
    if chinese.HAN.search(plain):
        plain = chinese.with_digits(plain)
    pieces: list[Piece] = []
    at = 0
    for phrase in _PHRASE.finditer(plain):
        sign = PHRASES.get(phrase[0].lower())
        if sign is None:  # a dotless i matches an i
            continue
        pieces.extend(_scan(plain, at, phrase.start()))
        kind, _, value = sign.partition(":")
        pieces.append(Piece(kind or "stop", value, phrase[0].lower()))
        at = phrase.end()
    pieces.extend(_scan(plain, at, len(plain)))
    return _mark_openings(pieces)


def _scan(text: str, start: int, end: int) -> Iterator[Piece]:
    for match in _SCAN.finditer(text, start, end):
        kind = match.lastgroup or ""
        if kind == "word":
            yield from (Piece(kind, value, small, case=case) for kind, value, small, case in meanings(match[0]))
        elif kind == "leet":
            yield from map(_written_with_digits, meanings(match["leet"]))
        elif kind == "han":
            yield from (Piece(*part) for part in chinese.parts(match[0]))
        elif kind == "end":
            yield Piece("break", "", match[0])
        elif kind == "pause":
            yield Piece("pause", "")
        else:
            yield _other(match)


def _written_with_digits(meaning: Meaning) -> Piece:
    kind, value, small, _ = meaning
    return Piece("name" if kind == "word" else kind, value, small)


def _other(match: "re.Match[str]") -> Piece:
    if match["number"]:
        return _number(match)
    if match["version"]:
        return Piece("version", match[0][1:])
    if match["file"]:
        return Piece("code", match[0].casefold())
    if match["handle"]:
        return Piece("name", fold(match[0][1:]))
    if match["arrow"]:
        return Piece("order", ">", "->")
    return _address(match[0]) if match["url"] or match["email"] else _moment(match)


def _number(match: "re.Match[str]") -> Piece:
    unit = (match["unit"] or match["currency"] or "").strip().lower()
    sign, bare = ("-", match["number"][1:]) if match["number"][0] == "-" else ("", match["number"])
    exact = number(bare) if not unit else number(bare + ("" if "." not in bare else "0"))
    return Piece("number", sign + exact, match[0], unit=unit)


def _address(written: str) -> Piece:
    if "@" in written and "/" not in written and not written.startswith("www."):
        return Piece("email", written.casefold())
    bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", written.rstrip(".,;:!?").rstrip("/"))
    host, slash, rest = bare.partition("/")
    return Piece("url", host.casefold() + slash + rest)


def _moment(match: "re.Match[str]") -> Piece:
    written = match[0]
    if match["noon"]:
        return Piece("time", "12:00" if match["noon"] == "noon" else "00:00")
    if match["h"]:
        half = {"a": "am", "p": "pm"}.get(match["half"] or match["half2"] or "", "")
        return Piece("time", clock(match["h"], match["m"] or "", half) or written)
    return Piece("date", _date([int(part) for part in re.findall(r"\d+", written)], written))


def _date(parts: list[int], written: str) -> str:
    """Format a date as year-month-day, month-day or month-; a date with slashes stays as written when either order is
    possible.
    """
    if "/" in written and parts[0] < 100:
        first, second, year = parts
        if first <= 12 and second <= 12 and first != second:
            return written
        month, day = (second, first) if first > 12 else (first, second)
        return f"{year + 2000 if year < 100 else year}-{month:02}-{day:02}"
    if parts[0] >= 1000:
        return "-".join([str(parts[0]), *(f"{part:02}" for part in parts[1:])]) + ("-" if len(parts) == 2 else "")
    return "-".join(f"{part:02}" for part in parts) + ("-" if len(parts) == 1 else "")


def _mark_openings(pieces: list[Piece]) -> list[Piece]:
    """Mark the first word of each sentence; the point of an abbreviation ends none."""
    opens = True
    before = ""
    for piece in pieces:
        if piece.kind == "break":
            if before in ABBREVIATIONS:
                piece.kind = "pause"
            opens = opens or piece.kind == "break"
        elif piece.kind not in ("stop", "pause"):
            piece.opens, opens = opens, False
        before = piece.written
    return pieces
