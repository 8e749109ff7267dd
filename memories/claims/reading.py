"""Parsing of a text into a Claim."""

import hashlib
from collections.abc import Iterator

from memories.claims import chinese
from memories.claims.claim import DENIED, OBJECT, OPENING, Claim
from memories.claims.distinctions import distinctions
from memories.claims.lookalikes import folded
from memories.claims.marks import marks
from memories.claims.measuring import measured
from memories.claims.obfuscation import deobfuscated
from memories.claims.objects import objects
from memories.claims.pieces import Piece, scan
from memories.claims.qualifiers import is_denied
from memories.claims.relating import denied, fills_a_role, names, openings, ordered, roles, scopes, subjects
from memories.claims.words import fold
from memories.lexicon import chinese_words
from memories.lexicon.english_words import HAPPENED, SERIES, SERIES_OR_VERBS, SUBJECT_OF
from memories.values.text import normal

VALUED = frozenset({"number", "code", "version", "time", "email", "url", "name"})  # their value is a token as it stands
DENIALS = {"opposite": "negation:not", "negation": "negation:not", "lack": "lack:without"}
LONGEST_TEXT = 20_000
# The first one took what looks alike for different, and saw no objects; the second saw no openings, the third no
# numbers of series, the fourth no spaced letters, digits for letters, encodings and traditional Chinese, the fifth not
# the order of words, names in code and words like "may", the sixth no negations of further languages. What a former one
# sealed is compared by it.
NORMALISATION = 7
MARKED = frozenset({"side", "bound", "pole", "daypart", "frequency"})
TOKENS = VALUED | MARKED | {"word", "opposite"}


def claim_of(text: str, normalisation: int = NORMALISATION) -> Claim:
    """Parse a text into a Claim.

    `normalisation`: the version of the rules, to compare with claims that were parsed by a former version. Tombstones
    and fingerprints store claims, so a change of the rules needs a new version.

    Never raises and never returns an empty set: a text without content words is identified by the words that it has,
    else by its characters. Beyond 20,000 characters the rest becomes one hard token: a claim is a sentence.
    """
    plain = _plain(text, normalisation)
    text_marks = {*marks(plain)} if normalisation > 4 else set[str]()
    plain, rest = plain[:LONGEST_TEXT], plain[LONGEST_TEXT:].rstrip()
    pieces = measured(scan(plain))
    name_words = names(pieces)
    subject_names = subjects(pieces)
    verb_objects = objects(pieces) if normalisation > 1 else ()
    opening_words = openings(pieces) if normalisation > 2 else set[str]()
    opening_words |= _numbered_things(pieces) if normalisation > 3 else set()
    orders = ordered(pieces)
    denied(pieces)
    denials = scopes(pieces)
    if normalisation > 5:
        text_marks.update(distinctions(text[:LONGEST_TEXT], pieces))
    if normalisation > 6 and is_denied(fold(normal(text[:LONGEST_TEXT]))):
        text_marks.add(DENIED)
    tokens: set[str] = set()
    hard: set[str] = {f"name:{name}" for name in name_words}
    hard.update(f"subject:{name}" for name in subject_names)
    hard.update(f"{OBJECT}:{pair}" for pair in verb_objects)
    hard.update(f"{OPENING}:{word}" for word in opening_words)
    hard.update(f"order:{pair}" for pair in orders)
    hard.update(f"role:{pair}" for pair in roles(pieces))
    denied_tokens: set[str] = set()
    for piece, denies in zip(_with_bounds(pieces), denials, strict=True):
        _take(piece, denied_tokens if denies else tokens, hard)
    if tokens:
        hard.update(f"denied:{token}" for token in denied_tokens)
    tokens |= denied_tokens
    tokens.discard("")
    if rest:
        hard.add(f"rest:{hashlib.sha256(rest.casefold().encode('utf-8', 'surrogatepass')).hexdigest()}")
    return Claim(frozenset(tokens or _whatever(plain, pieces)), frozenset(hard), frozenset(text_marks))


def _plain(text: str, normalisation: int) -> str:
    if normalisation > 4:
        return deobfuscated(text[:LONGEST_TEXT], throughout=normalisation > 5) + folded(text[LONGEST_TEXT:])
    return folded(text) if normalisation > 1 else normal(text)


def _take(piece: Piece, tokens: set[str], hard: set[str]) -> None:
    kind, value = piece.kind, piece.value
    if kind == "han":
        tokens.update(chinese.bigrams(value))
    elif kind == "date":
        _take_date(value, tokens, hard)
    elif kind == "unit":
        tokens.add(piece.written)
        hard.add(f"unit:{value}")
    elif kind in DENIALS:
        hard.add(DENIALS[kind])
    elif kind in VALUED or kind in MARKED:
        hard.add(f"{kind}:{value}")
    if kind in TOKENS:
        tokens.add(value)


def _take_date(value: str, tokens: set[str], hard: set[str]) -> None:
    """Add a date with its year as a separate token: a date without one is the same date, said shorter."""
    if len(value) > 5 and value[:4].isdecimal() and value[4] == "-":
        hard.add(f"year:{value[:4]}")
        tokens.add(value[:4])
        value = value[5:]
    hard.add(f"date:{value}")
    tokens.add(value)


def _with_bounds(pieces: list[Piece]) -> Iterator[Piece]:
    """Recognise bounds: more than 30, under 5, within 30, by Friday.

    They count only before an amount, "by" only before a moment.
    """
    bounds = {"over": "least", "above": "least", "under": "most", "below": "most", "within": "most", "minimum": "least"}
    for at, piece in enumerate(pieces):
        after = pieces[at + 1].kind if at + 1 < len(pieces) else ""
        if piece.written == "than" and after == "number" and at:
            less = pieces[at - 1].written in ("less", "fewer", "under")
            yield Piece("bound", "most" if less else "least")
        elif piece.written in bounds and after == "number":
            yield Piece("bound", bounds[piece.written])
        elif piece.kind == "order" and after == "number":
            yield Piece("bound", "least" if piece.value == ">" else "most")
        elif piece.written == "by" and after in ("date", "time"):
            yield Piece("side", "before")
        else:
            yield piece


def _whatever(plain: str, pieces: list[Piece]) -> set[str]:
    words = {piece.written for piece in pieces if piece.written and piece.kind not in ("break", "pause")}
    if words:
        return words
    return {char for char in plain if not char.isspace()} or {""}


def _numbered_things(pieces: list[Piece]) -> set[str]:
    """The things with their numbers, "invoic 17", that open a sentence which does not give them a role.

    "Room 5 is the meeting room" and "Room 6 is the meeting room" are about the meeting room.
    """
    numbers = set()
    for at, piece in enumerate(pieces[:-2]):
        number = pieces[at + 1]
        if not piece.opens or number.kind != "number" or not number.value.isdecimal():
            continue
        if _is_series(piece, pieces[at + 2]) and not fills_a_role(pieces, at + 2):
            numbers.add(f"{piece.value} {number.value}")
    return numbers


def _is_series(piece: Piece, after: Piece) -> bool:
    if piece.kind == "han":
        return (
            piece.value.endswith(chinese_words.SERIES)
            and after.kind == "han"
            and after.value[0] not in chinese_words.MEASURES
        )
    if piece.kind not in ("word", "name"):
        return False
    is_said = after.written in SUBJECT_OF or after.written in HAPPENED
    if piece.written in SERIES_OR_VERBS:
        return is_said
    return piece.written in SERIES and (is_said or after.written == "s" or after.written.endswith("ed"))
