"""Extraction of verb-object pairs (send>invoices): the same said of another object is another claim.

Works without a parser: a word counts as a verb by what stands before it (never, must, please), by a list of common
imperatives, or by being passive. Where no verb is recognised there is no object, and only the tokens are compared.
"""

import itertools
from collections.abc import Iterator

from memories.claims import chinese
from memories.claims.pieces import Piece
from memories.lexicon.english_verbs import IMPERATIVES
from memories.lexicon.english_words import (
    ACTS,
    ADVERBS,
    DETERMINERS,
    IRREGULAR,
    PARTICLES,
    PASSIVE,
    PLURALS,
    PREPOSITIONS,
    RESULTATIVE,
    SUBJECT_OF,
    VERB_FOLLOWS,
)

NOUNS = frozenset({"word", "opposite", "name"})
PASSED_OVER = frozenset({"frequency", "daypart", "number", "unit"})  # send 3 weekly invoices
ENDS = frozenset({"break", "pause"})
ENDING = PREPOSITIONS | PARTICLES
LONGEST = 4  # most words of a noun phrase
DENY_NOUNS = frozenset({"no", "none", "nobody", "nothing", "nowhere", "neither"})


def objects(pieces: list[Piece]) -> set[str]:
    """Extract "verb>noun" for each verb that has an object, both as they stand in the claim's tokens."""
    values: set[str] = set()
    behind = 0  # end of the last object, whose words are no verbs
    for at, piece in enumerate(pieces):
        if piece.kind == "han":
            values.update(f"{verb}>{noun}" for verb, noun in chinese.objects(piece.value))
        elif piece.kind not in NOUNS or (piece.kind == "name" and piece.written not in IMPERATIVES) or at < behind:
            continue
        elif subject := _subject_of_passive(pieces, at):
            values.add(f"{piece.value}>{subject}")
        elif _is_verb(pieces, at):
            phrase = [*_noun_phrase(pieces, at + 1)]
            behind = phrase[-1][0] + 1 if phrase else behind
            if noun := _head(piece, [values for _, values in phrase]):
                values.add(f"{piece.value}>{noun.value}")
    return values


def _is_verb(pieces: list[Piece], at: int) -> bool:
    piece = pieces[at]
    before = _before(pieces, at)
    if before is None or before.kind in ENDS:
        return (piece.written in IMPERATIVES or piece.written in ACTS) and not _is_subject(pieces, at)
    if before.kind == "negation":
        return before.written not in DENY_NOUNS
    if before.kind == "stop" and before.written in VERB_FOLLOWS:
        return True
    return before.kind in ("word", "name") and (piece.written in ACTS or piece.written.removesuffix("s") in IMPERATIVES)


def _before(pieces: list[Piece], at: int) -> Piece | None:
    """The preceding piece, skipping adverbs (never ever, please always, usually sends)."""
    for piece in reversed(pieces[:at]):
        if not _is_adverb(piece) and piece.kind not in PASSED_OVER:
            return piece
    return None


def _is_subject(pieces: list[Piece], at: int) -> bool:
    """Whether a word only looks like an imperative and is part of the subject: "Order processing is slow", "Mail takes
    long".
    """
    clause = [*itertools.takewhile(lambda piece: piece.kind not in ENDS, pieces[at + 1 : at + 1 + LONGEST])]
    acts = clause and clause[0].written in SUBJECT_OF - PLURALS
    return bool(acts or any(piece.written in PASSIVE for piece in clause))


def _noun_phrase(pieces: list[Piece], at: int) -> Iterator[tuple[int, Piece]]:
    """Yield the words after a verb up to a preposition, a conjunction or the end of the clause."""
    length = 0
    for place, piece in enumerate(pieces[at:], at):
        if piece.kind in NOUNS and piece.written not in ENDING and length < LONGEST:
            length += 1
            yield place, piece
        elif length or not (piece.kind in PASSED_OVER or piece.written in DETERMINERS | PARTICLES):
            return


def _head(verb: Piece, phrase: list[Piece]) -> Piece | None:
    """The head of the phrase: its plural (paper INVOICES, keep REPLIES short), else its last word."""
    nouns = [piece for piece in phrase if not _is_adverb(piece)]
    if not nouns:
        return None
    ending = nouns[0] if verb.written in RESULTATIVE else nouns[-1]
    head = next((piece for piece in nouns if _is_plural(piece.written)), ending)
    return head if head.kind == "word" else None  # names are compared as names


def _subject_of_passive(pieces: list[Piece], at: int) -> str:
    """The subject of a passive clause: INVOICES must never be sent."""
    if not (pieces[at].written.endswith("ed") or pieces[at].written in IRREGULAR):
        return ""
    passive = False
    for piece in reversed(pieces[:at]):
        if piece.kind in ("word", "name") and not _is_adverb(piece):
            return piece.value if passive else ""
        if piece.kind not in ("stop", "negation", "word"):
            return ""
        passive = passive or piece.written in PASSIVE
    return ""


def _is_adverb(piece: Piece) -> bool:
    return piece.written in ADVERBS or (piece.written.endswith("ly") and len(piece.written) > 5)


def _is_plural(written: str) -> bool:
    return len(written) > 3 and written.endswith("s") and not written.endswith(("ss", "us", "is", "'s"))
