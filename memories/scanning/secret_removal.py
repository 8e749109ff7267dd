"""Removal of credentials from what agents send, before anything of it is stored.

In the place of each stands what it was: "[password removed]". The words around it stay, and are found by search.
"""

import json
import re
from typing import Any

from memories.scanning import credentials

FLAG = "secret removed"  # the flag of texts from which a credential was removed
NAMES = sorted({credentials.CARD, *(kind.name for kind in credentials.KINDS)})
_PLACE = re.compile(rf"\[(?:{'|'.join(NAMES)}) removed\]")
_LONGEST_NAME = 100  # of a field whose name may tell that its value is a secret


def is_in(text: str) -> bool:
    """Whether a credential was removed from the text."""
    return " removed]" in text and _PLACE.search(text) is not None


def without_secrets(value: Any) -> Any:
    """A JSON value without credentials: of texts, of numbers that are card numbers, and of fields that are named for a
    secret. A text that is JSON itself, as the arguments of a call are, stays JSON.
    """
    if isinstance(value, dict):
        return {name: _of_field(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_secrets(inner) for inner in value]
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        written = str(value)
        return value if (plain := credentials.removed(written)) == written else plain
    return value


def _of_text(text: str) -> str:
    if not credentials.is_in(text):
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(without_secrets(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):  # no JSON after all
            pass
    return credentials.removed(text)


def _of_field(name: str, value: Any) -> Any:
    """The name of a field counts as the words before its value: {"password": "..."}."""
    plain = without_secrets(value)
    if plain != value or isinstance(value, bool) or not isinstance(value, str | int) or len(name) > _LONGEST_NAME:
        return plain
    label = f"{name}: "
    read = credentials.removed(f"{label}{value}")
    return read.removeprefix(label) if read.startswith(label) and read != f"{label}{value}" else value
