"""Marks of what tells statements of the same words apart: the order of their words, names in code, and small words.

As sets of tokens "The parser calls the lexer" and "The lexer calls the parser" are equal; so are "may" and "must".
"""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from memories.claims import chinese
from memories.claims.claim import MANNER, NAMED, SEQUENCE, TOWARD
from memories.claims.marks import ADDRESS
from memories.claims.pieces import Piece
from memories.claims.qualifiers import ALONE, MOST_PIECES, QUALIFIERS, TOWARDS, of_characters
from memories.lexicon import words
from memories.lexicon.english_words import IRREGULAR, PASSIVE, PREPOSITIONS, SUBJECT_OF

LONGEST_SEQUENCE = 60  # words; a longer text is hardly the same in another order
LEAST_LISTED = 3
DENIAL = "¬"
_ENDS = frozenset({"break", "pause"})
_CONTENT = frozenset(
    {"word", "opposite", "name", "number", "code", "email", "url", "version", "time", "date", "side", "pole", "daypart"}
)
_JOINING = frozenset({"and", "or"})
_PHRASE_ENDS = PREPOSITIONS | words("in on at for to from with about as and but or if when because since")
_PARTICIPLES = frozenset(IRREGULAR) | {"done", "seen", "run", "read", "set", "put", "cut", "known", "shown", "drawn"}
_NAMED = re.compile(
    r"""(?<![\w/.,-])(?:
      (?:~|\.{1,2})?/[\w@{}:-][\w@{}:.-]{0,80}+(?:/[\w@{}:.-]{1,80}+){0,20}  # /orders, ./a/b
    | @?[A-Za-z][\w.-]{0,80}+(?:/[\w@{}:.-]{1,80}+){1,20}  # app/settings, @acme/ui
    | \#[A-Za-z][\w-]{0,80}+  # a channel
    | --[A-Za-z][\w-]{0,80}+  # an option
    | [A-Za-z]\w{0,80}+(?:\.[A-Za-z_]\w{1,80}+){1,20}  # orders.created
    | [A-Za-z]{1,80}+(?:-[A-Za-z]{1,80}+){1,20}  # acme-logs
    | \d[\d.,]{0,20}[ ]?(?:[mun]?s|[kmgt]i?b|m?g|lbs?|oz|[mc]?m|mi|ft|m?l|k?w|[mk]?v|[kmg]?hz|px|pt)  # 200 ms
    | (?=[^\W_]{0,80}_)(?=[\d_]{0,80}[A-Za-z])\w{3,80}+  # user_id
    | [A-Za-z][a-z0-9]{1,80}+(?:[A-Z][a-z0-9]{1,80}+){1,20}  # getUser
    )(?![\w/])""",
    re.VERBOSE | re.ASCII,
)


def distinctions(plain: str, pieces: list[Piece]) -> Iterator[str]:
    """Yield "kind:value" of a deobfuscated text and its pieces, after denials were read."""
    for name in _names(plain):
        yield f"{NAMED}:{name}"
    if len(pieces) > MOST_PIECES:
        return
    for qualifier in _qualifiers(pieces):
        yield f"{MANNER}:{qualifier}"
    for preposition, value in _towards(pieces):
        yield f"{TOWARD}:{preposition}>{value}"
    words = [*_sequence(_letters_named(pieces))]
    if 2 < len(words) <= LONGEST_SEQUENCE:
        yield f"{SEQUENCE}:{' '.join(words)}"


def _names(plain: str) -> set[str]:
    """Identifiers of code, paths, channels, options, and amounts in units that are not converted, however their words
    are joined: user_id, userId."""
    names = _NAMED.findall(ADDRESS.sub(" ", plain) if "@" in plain or "://" in plain or "www." in plain else plain)
    return {re.sub(r"(?<=\w)[_-]+(?=\w)", "", name).rstrip("/.").casefold() for name in names}


def _qualifiers(pieces: list[Piece]) -> set[str]:
    """Duty, share, time and conditions, by small words; a duty that is denied is no permission either."""
    has_denial = any(piece.kind == "negation" for piece in pieces)
    qualifiers: set[str] = set()
    for piece, after in pairwise([*pieces, Piece("break", "")]):
        if piece.kind == "han" or chinese.HAN.match(piece.written):
            qualifiers.update(of_characters(piece.written))
        elif piece.written == "used" and after.written == "to":
            qualifiers.add("time=past")
        elif piece.written in QUALIFIERS and (piece.written != "half" or after.written in ("of", "the", "our", "all")):
            qualifiers.add(QUALIFIERS[piece.written])
        elif piece.written.startswith("whether"):
            qualifiers.add("condition=if")
    return {qualifier for qualifier in qualifiers if not (has_denial and qualifier.startswith("duty="))}


def _towards(pieces: list[Piece]) -> Iterator[tuple[str, str]]:
    """The prepositions of direction, each with the word that it leads to; "on" and "off" tell something alone."""
    for at, piece in enumerate(pieces):
        if group := TOWARDS.get(piece.written):
            nouns = (word for after in pieces[at + 1 : at + 4] for word in _words(after))
            yield group, ALONE.get(group) or next(nouns, "")


def _sequence(pieces: list[Piece]) -> Iterator[str]:
    """The words in order; sorted those of a list: three or more that only commas, "and" and "or" part."""
    list_words: list[str] = []
    is_joined = True
    for ends, clause in groupby(pieces, lambda piece: piece.kind in _ENDS):
        for piece in [Piece("pause", "")] if ends else _active([*clause]):
            words = [*_words(piece)]
            joins = piece.kind in _ENDS or piece.written in _JOINING
            if list_words and not joins and not (is_joined and words):
                yield from _in_no_order(list_words)
                list_words = []
            is_joined = joins
            list_words += words
    yield from _in_no_order(list_words)


def _in_no_order(words: list[str]) -> list[str]:
    return sorted(words) if len(words) >= LEAST_LISTED else words


def _active(clause: list[Piece]) -> list[Piece]:
    """The clause with its actor in front, what is done next: of "X is sent by Y", "X is sent" and "X's sender is Y"."""
    auxiliary = -1
    for at, piece in enumerate(clause):
        auxiliary = at if piece.written in PASSIVE else auxiliary
        if 0 <= auxiliary < at and _is_participle(piece):
            if at + 1 < len(clause) and clause[at + 1].written == "by":
                return _with_actor_first(clause, auxiliary, auxiliary + 1, at + 1)
            denials = [piece for piece in clause[:auxiliary] if piece.kind == "negation"]
            subject = [piece for piece in clause[:auxiliary] if piece.kind != "negation"]
            return [*denials, *clause[auxiliary + 1 : at + 1], *subject, *clause[at + 1 :]]
        if piece.written.endswith("'s") and piece.kind in ("word", "name"):
            verb = next((place for place in range(at + 2, len(clause)) if clause[place].written in PASSIVE), 0)
            if verb:
                return _with_actor_first(clause, at + 1, at + 1, verb)
    return clause


def _with_actor_first(clause: list[Piece], subject: int, start: int, end: int) -> list[Piece]:
    """The actor behind `end`, what stands from `start` to `end`, the subject before `subject`, and the rest."""
    stop = next((place for place in range(end + 1, len(clause)) if clause[place].written in _PHRASE_ENDS), len(clause))
    actor = clause[end + 1 : stop]
    if not actor or actor[0].kind in ("number", "date", "time"):
        return clause
    return [*actor, *clause[start:end], *clause[:subject], *clause[stop:]]


def _is_participle(piece: Piece) -> bool:
    return piece.written.endswith("ed") or piece.written in _PARTICIPLES


def _letters_named(pieces: list[Piece]) -> list[Piece]:
    """The pieces with a capital A as a name where it is no article: it opens no sentence, or acts."""
    letters = []
    for piece, before, after in zip(
        pieces, [Piece("break", ""), *pieces], [*pieces[1:], Piece("break", "")], strict=False
    ):
        is_name = piece.kind == "stop" and piece.written == "a" and bool(piece.case)
        is_name = is_name and (before.kind != "break" or after.written in SUBJECT_OF or after.kind == "han")
        letters.append(Piece("name", "a", "a") if is_name else piece)
    return letters


def _words(piece: Piece) -> Iterator[str]:
    if piece.kind == "han":
        yield from chinese.bigrams(piece.value)
    elif piece.kind in ("negation", "opposite", "lack"):
        yield DENIAL
    if piece.kind == "unit":
        yield piece.written
    elif piece.kind in _CONTENT and piece.value:
        yield piece.value.replace(" ", "_")
