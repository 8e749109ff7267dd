"""Characters that are invisible to a reader but not to a language model."""

import re
from collections.abc import Sequence

# direction overrides and isolates, zero-width signs, soft hyphen, tag characters and spare variation selectors (both
# can carry whole sentences); joiners only between ASCII letters, where no script needs them
DIRECTION = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0]"
    "|(?<=[\x00-\x7f])[\u200c\u200d](?=[\x00-\x7f])"
)
SMUGGLED = re.compile("[\U000e0000-\U000e0fff]")
_ANY = re.compile("|".join(pattern.pattern for pattern in (DIRECTION, ZERO_WIDTH, SMUGGLED)))


def is_in(text: str) -> bool:
    return not text.isascii() and _ANY.search(text) is not None


def visible(text: str) -> str:
    """Replace invisible characters by their code points: <U+202E>."""
    return _ANY.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def removed(text: str) -> str:
    return text if text.isascii() else _ANY.sub("", text)


def places_seen(text: str) -> Sequence[int]:
    """The places of the characters that are seen."""
    if text.isascii():
        return range(len(text))
    hidden = {place for match in _ANY.finditer(text) for place in range(*match.span())}
    return [place for place in range(len(text)) if place not in hidden] if hidden else range(len(text))
