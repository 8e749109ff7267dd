"""Word-by-word comparison of two texts; of Chinese, Japanese and Korean by characters, which know no spaces."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from memories.values.changes import changes

_CHARACTER = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
WORD = re.compile(rf"\s+|{_CHARACTER}|(?:(?!{_CHARACTER})[\w'-])+|[^\w\s]")
MAX_WORDS = 1_500  # of either text; above that only the beginnings are returned
CONTEXT = 12  # unchanged words that are shown beside a change
MAX_PIECE = 160  # characters of a change in a row
MAX_PIECES = 8  # of a row
Piece = tuple[str, str]  # same, removed or added; the text
Span = tuple[int, int, int, int]


def word_pieces(before: str, after: str) -> Iterator[Piece]:
    """Yield the pieces that are the same, removed or added, in order; long unchanged stretches are cut."""
    old, new = WORD.findall(before), WORD.findall(after)
    if max(len(old), len(new)) > MAX_WORDS:
        yield from (
            (kind, "".join(words[:CONTEXT]) + " …") for kind, words in (("removed", old), ("added", new)) if words
        )
        return
    for kind, (a, b, c, d) in _runs(old, changes(old, new)):
        if kind == "equal":
            yield "same", _shorten(old[a:b], first=a == 0 and c == 0, last=b == len(old))
            continue
        if a < b:
            yield "removed", "".join(old[a:b])
        if c < d:
            yield "added", "".join(new[c:d])


def brief(pieces: Sequence[Piece]) -> list[Piece]:
    """The first MAX_PIECES pieces for a row of a list, each cut to MAX_PIECE characters."""
    cut_pieces = [
        (kind, text if len(text) <= MAX_PIECE else text[:MAX_PIECE] + " … ") for kind, text in pieces[:MAX_PIECES]
    ]
    return cut_pieces if len(pieces) <= MAX_PIECES else [*cut_pieces, ("same", " …")]


def _runs(old: list[str], codes: Sequence[Any]) -> list[tuple[str, Span]]:
    """Merge changes with only a space between, so that `net-30 days` -> `net-60 weeks` is one change."""
    runs: list[tuple[str, Span]] = []
    for n, (tag, a, b, c, d) in enumerate(codes):
        is_space = 0 < n < len(codes) - 1 and not "".join(old[a:b]).strip()
        kind = "equal" if tag == "equal" and not is_space else "changed"
        goes_on = bool(runs) and kind == "changed" == runs[-1][0]
        start = runs.pop()[1] if goes_on else (a, b, c, d)
        runs.append((kind, (start[0], b, start[2], d)))
    return runs


def _shorten(words: list[str], *, first: bool, last: bool) -> str:
    if len(words) <= 4 * CONTEXT:
        return "".join(words)
    before = [] if first else words[: 2 * CONTEXT]
    after = [] if last else words[-2 * CONTEXT :]
    return "".join(before) + " … " + "".join(after)
