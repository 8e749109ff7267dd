"""Text helpers: the language of a text, lists, capital letters, shortening."""

import re
from collections.abc import Sequence
from typing import Literal

from memories.lexicon.chinese_words import HAN, KANA

Language = Literal["en", "zh"]
_GERMAN = re.compile(
    r"\b(?:und|oder|aber|nicht|mit|ohne|für|zum|zur|zu|auf|aus|bei|nach|von|vom|vor|über|durch|der|die|das|den|dem|des|"
    r"eine?[mnrs]?|ist|sind|wird|werden|hat|haben|wenn|dass|ich|sie|wir|uns|unsere?[mnrs]?)\b",
    re.IGNORECASE,
)
_HAN, _KANA = re.compile(f"[{HAN}]"), re.compile(f"[{KANA}]")


def is_chinese(text: str) -> bool:
    """Whether at least a fifth of a text, and two of its characters, are Han, and few are Japanese syllables."""
    han = len(_HAN.findall(text))
    return han >= max(2, 0.2 * len(text)) and 3 * len(_KANA.findall(text)) < han


def german_words(text: str) -> int:
    """Count the different words that hardly a German sentence is without.

    German begins each noun with a capital letter, which in other languages names somebody or something.
    """
    return len({word.casefold() for word in _GERMAN.findall(text)})


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Join parts as a list: a, b and c."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def upper_first(text: str) -> str:
    """Capitalize the first character and leave the rest."""
    return text[:1].upper() + text[1:]


def cut(text: str, limit: int) -> str:
    """Shorten a text to at most `limit` characters, ending at a word."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
