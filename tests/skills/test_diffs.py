"""Changes of many words come in parts."""

from skills import diffs
from skills.diffs import Change, Piece


def test_many_changes_come_in_parts_that_hold_all_of_them() -> None:
    pieces = [Piece("same" if n % 2 else "added", f"word {n} " * 40) for n in range(400)]
    pieces.append(Piece("removed", "x" * 3 * diffs.LONGEST_PART))
    changes = [
        Change("Procedure", "changed", pieces),
        Change("a.bin", "removed"),
        Change("Title", "changed", pieces[:2]),
    ]
    parts = diffs.in_parts(changes)
    assert len(parts) > 3
    sizes = [sum(len(piece.text) for change in part for piece in change.pieces) for part in parts]
    assert max(sizes) <= diffs.LONGEST_PART
    texts = [
        "".join(piece.text for part in parts for change in part if change.name == name for piece in change.pieces)
        for name in ("Procedure", "a.bin", "Title")
    ]
    assert texts == ["".join(piece.text for piece in change.pieces) for change in changes]
    assert diffs.in_parts([]) == [[]]
