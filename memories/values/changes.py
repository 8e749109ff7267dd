"""What changes from one sequence of words or lines to another, at a cost that no text can drive up."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

Change = tuple[str, int, int, int, int]  # as of SequenceMatcher.get_opcodes
MOST_PAIRS = 50_000  # of equal words, one of either text: beyond it frequent words are no place where texts meet
MOST_RARE_PAIRS = 200_000  # of words that are not frequent: beyond it only what both begin and end with is the same
FEW = 0.01  # share of a text above which a word is frequent, as SequenceMatcher has it
TURNED = {"insert": "delete", "delete": "insert"}


def changes(old: Sequence[str], new: Sequence[str]) -> Sequence[Change]:
    """The stretches that are equal, replaced, deleted or inserted, in order.

    SequenceMatcher looks at every pair of equal words, again for each stretch that it finds: three thousand words of
    which there are only two take it hours.
    """
    longer, shorter = (new, old) if len(new) >= len(old) else (old, new)
    counts = Counter(longer)
    if sum(counts[word] for word in shorter) <= MOST_PAIRS:
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    most = FEW * len(longer) + 1
    if sum(counts[word] for word in shorter if counts[word] <= most) > MOST_RARE_PAIRS:
        return _around(old, new)
    opcodes = SequenceMatcher(None, shorter, longer).get_opcodes()  # it looks for frequent words in the second
    if longer is new:
        return opcodes
    return [(TURNED.get(tag, tag), c, d, a, b) for tag, a, b, c, d in opcodes]


def _around(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """One change between what both begin and end with."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    a, b, c, d = head, len(old) - tail, head, len(new) - tail
    parts: list[Change] = [("equal", 0, a, 0, c)] if head else []
    if a < b or c < d:
        parts.append(("replace" if a < b and c < d else "delete" if a < b else "insert", a, b, c, d))
    return [*parts, *([("equal", b, len(old), d, len(new))] if tail else [])]


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """The length of the common beginning."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (old_word, new_word) in pairs if old_word != new_word), min(len(old), len(new)))
