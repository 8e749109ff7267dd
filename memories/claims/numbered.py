"""Things of a series that are told apart by their number: "Invoice 17 was paid late" says nothing of invoice 18."""

from memories.claims.pieces import Piece
from memories.claims.relating import fills_a_role
from memories.lexicon import chinese_words
from memories.lexicon.english_words import HAPPENED, SERIES, SERIES_OR_VERBS, SUBJECT_OF


def numbered(pieces: list[Piece]) -> set[str]:
    """The things with their numbers, "invoic 17", that open a sentence which does not give them a role.

    "Room 5 is the meeting room" and "Room 6 is the meeting room" are about the meeting room.
    """
    found = set()
    for at, piece in enumerate(pieces[:-2]):
        number = pieces[at + 1]
        if not piece.opens or number.kind != "number" or not number.value.isdecimal():
            continue
        if _is_series(piece, pieces[at + 2]) and not fills_a_role(pieces, at + 2):
            found.add(f"{piece.value} {number.value}")
    return found


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
