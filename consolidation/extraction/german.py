"""German begins each noun with a capital letter, which in other languages names somebody or something."""

import re

_SMALL_WORDS = re.compile(
    r"\b(?:und|oder|aber|nicht|mit|ohne|für|zum|zur|zu|auf|aus|bei|nach|von|vom|vor|über|durch|der|die|das|den|dem|des|"
    r"eine?[mnrs]?|ist|sind|wird|werden|hat|haben|wenn|dass|ich|sie|wir|uns|unsere?[mnrs]?)\b",
    re.IGNORECASE,
)


def small_words(text: str) -> int:
    """How many different ones of the words that hardly a German sentence is without stand in a text."""
    return len({word.casefold() for word in _SMALL_WORDS.findall(text)})
