"""Small words that make another claim of the same content words: duty, share, time, condition and direction."""

import re
from collections.abc import Iterator

from memories.lexicon import words

MOST_PIECES = 400  # of a text in which single small words still tell something
# these make a difference to what does not say them
WITH_PRESENCE = ("part", "rare", "half", "if", "unless", "only", "except")


def _values(**lists: str) -> dict[str, str]:
    return {word: group.replace("_", "=") for group, words in lists.items() for word in words.split()}


QUALIFIERS = _values(
    duty_must="must should shall required mandatory",
    duty_may="may can could might optionally",
    share_all="all every each always everybody everyone",
    share_most="most mostly usually often mainly",
    share_part="some few several sometimes occasionally",
    share_half="half",
    share_rare="rarely seldom hardly",
    time_past="was were",
    time_now="is are",
    time_later="will",
    condition_if="if when whenever provided",
    condition_unless="unless",
    condition_only="only solely exclusively",
    condition_except="except excluding",
)
TOWARDS = {
    word: group
    for group, words in {
        "from": "from",
        "to": "to into onto toward towards for",
        "by": "by",
        "in": "in",
        "out": "out",
        "on": "on",
        "off": "off",
        "over": "over above",
        "under": "under below beneath underneath",
    }.items()
    for word in words.split()
}
ALONE = {"on": "on", "off": "on", "in": "in", "out": "in"}  # whatever word they lead to
OPPOSITE = {("from", "to"), ("by", "to"), ("in", "out"), ("on", "off"), ("over", "under")}

# Negations of languages whose grammar is not read: they are words like others there, and yet turn a claim round.
_DENIALS = words(
    """
    nicht nichts nie niemals nirgends kein keine keinen keinem keiner keines ohne  niet nooit geen zonder
    pas jamais aucun aucune sans  nunca jamas tampoco ningun ninguno ninguna sin  nao nenhum nenhuma sem
    non senza nessun nessuno nessuna  inte ikke aldrig aldri ingen  nie nigdy bez
    не нет ни никогда нельзя без  degil yok  khong  tidak bukan jangan tanpa  ليس ليست لا لم لن بدون  नहीं
    """
)
_DENIED = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(_DENIALS))})(?!\w)|ません|(?<![少危])ない|않|없|마세요")

_CHINESE = {
    "duty=must": "必须|应该|应当|务必",
    "duty=may": "(?<!不)可以|允许",
    "share=all": "所有|全部|全体|每个",
    "share=most": "大多数|大部分|通常|经常",
    "share=part": "部分|一些|有些|有时|偶尔",
    "share=half": "一半",
    "share=rare": "很少",
    "time=past": "曾经|曾",
    "condition=if": "如果|只要|假如",
    "condition=unless": "除非",
    "condition=only": "只有|只能|仅限|仅|只在",
    "condition=except": "除了|除外",
}
_MARK = re.compile("|".join(f"({pattern})" for pattern in ("大部分", *_CHINESE.values())))
_MANNER = ("share=most", *_CHINESE)


def is_denied(plain: str) -> bool:
    """Whether a text holds a negation of a language whose grammar is not read. `plain`: folded by `words.fold`."""
    return _DENIED.search(plain) is not None


def of_characters(run: str) -> Iterator[str]:
    for match in _MARK.finditer(run):
        yield _MANNER[(match.lastindex or 1) - 1]
