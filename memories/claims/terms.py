"""What a text is about, term by term, to weigh how near two texts are whose tokens differ."""

from dataclasses import dataclass

from memories.claims import chinese
from memories.claims.measuring import measured
from memories.claims.obfuscation import deobfuscated
from memories.claims.pieces import scan

WORDS = frozenset({"word", "name", "opposite"})
EXACT = frozenset({"number", "date", "time", "code", "email", "url", "version", "frequency", "daypart"})
LONGEST = 2_000  # characters
COURTESY = {
    *("thank", "thanks", "hello", "hey", "hi", "bye", "goodbye", "sorry", "congrats", "congratulations", "haha", "lol"),
    *("wow", "yeah", "yep", "yup", "yes", "sure", "ok", "okay", "oh", "cool", "great", "good", "nice", "awesome"),
    *("amazing", "glad", "absolutely", "definitely", "totally", "really"),
}


@dataclass(frozen=True)
class Term:
    """`value`: equal for the same term; `word`: as it is written in lower case, '' if only an equal one is like it."""

    value: str
    word: str = ""

    @property
    def is_character(self) -> bool:
        return len(self.value) == 1


def terms(text: str) -> list[Term]:
    """The words, numbers, dates, addresses and Chinese characters that carry meaning, each once, in their order."""
    by_key: dict[str, Term] = {}
    for piece in measured(scan(deobfuscated(text[:LONGEST]))):
        if piece.kind in WORDS and piece.value and piece.written not in COURTESY:
            by_key.setdefault(piece.value, Term(piece.value, piece.written))
        elif piece.kind == "han":
            by_key.update((char, Term(char)) for char in chinese.bare(piece.value))
        elif piece.kind in EXACT:
            value = f"{piece.kind}:{piece.value}"
            by_key.setdefault(value, Term(value))
    return list(by_key.values())
