"""Deobfuscation: what a text says to a reader, or to a model, however its letters are written."""

from memories.claims import leet
from memories.claims.encodings import decoded
from memories.claims.letter_forms import plain_letters, simplified
from memories.claims.lookalikes import folded
from memories.claims.spacing import respaced

MOST_ROUNDS = 3  # base64 of spaced letters


def deobfuscated(text: str, *, throughout: bool = True) -> str:
    """The text in plain letters, for comparison only. A word that was written with digits stands behind `leet.MARK`."""
    text = text.replace(leet.MARK, "")
    for _ in range(MOST_ROUNDS):
        plain = respaced(folded(plain_letters(decoded(text))))
        if plain == text:
            break
        text = plain
    return leet.in_letters(simplified(text), throughout=throughout)
