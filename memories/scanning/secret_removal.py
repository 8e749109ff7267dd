"""Removal of credentials from what agents send, before anything of it is stored.

In the place of each stands what it was: "[password removed]". The words around it stay, and are found by search.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from memories.scanning import credentials, entered_secrets

FLAG = "secret removed"  # the flag of texts from which a credential was removed
_PLACE = re.compile(rf"\[(?:{'|'.join(credentials.NAMES)}) removed\]")
Replace = Callable[[str], str]
_LONGEST_NAME = 100  # of a field whose name may tell that its value is a secret


def is_in(text: str) -> bool:
    """Whether a credential was removed from the text."""
    return " removed]" in text and _PLACE.search(text) is not None


def may_hold(text: str) -> bool:
    """Whether a JSON document may hold a credential, whatever its characters are escaped as."""
    plain = credentials.without_escapes(text)
    return credentials.is_in(text) or (plain is not text and credentials.is_in(plain))


def at_intake(value: Any) -> Any:
    """What others wrote, as it is stored. Most of it holds none, which one look tells."""
    return without_secrets(value) if may_hold(json.dumps(value, ensure_ascii=False, default=str)) else value


def without_secrets(value: Any, by: Replace = credentials.removed) -> Any:
    """A JSON value without credentials: of texts, of numbers that are card numbers, and of fields that are named for a
    secret. A text that is JSON itself, as the arguments of a call are, stays JSON. `by`: what replaces them in a text.
    """
    if isinstance(value, dict):
        return _of_pair({name: _of_field(name, inner, by) for name, inner in value.items()}, by)
    if isinstance(value, list):
        before = ["", *value[:-1]]
        return [
            _after(f"{flag} ", inner, by) if isinstance(flag, str) and flag[:1] == "-" else without_secrets(inner, by)
            for flag, inner in zip(before, value, strict=False)
        ]
    if isinstance(value, str):
        return _of_text(value, by)
    if isinstance(value, int) and not isinstance(value, bool):
        written = str(value)
        return value if (plain := by(written)) == written else plain
    return value


def _of_text(text: str, by: Replace) -> str:
    if not may_hold(text):
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(without_secrets(json.loads(text), by), ensure_ascii=False)
        except (ValueError, RecursionError):  # no JSON after all
            pass
    plain = by(text)
    readable = credentials.without_escapes(plain)
    return by(readable) if credentials.is_in(readable) else plain


def _of_field(name: str, value: Any, by: Replace) -> Any:
    """The name of a field counts as the words before its value: {"password": "..."}."""
    return _after(f"{name}: ", value, by) if len(name) <= _LONGEST_NAME else without_secrets(value, by)


def _of_pair(fields: dict[str, Any], by: Replace) -> dict[str, Any]:
    """{"name": "DB_PASSWORD", "value": "..."}, {"element": "Password field", "text": "..."}"""
    label = next((fields[key] for key in entered_secrets.NAMES if isinstance(fields.get(key), str)), "")
    value_keys = [key for key in entered_secrets.VALUES if fields.get(key)] if label else []
    before = "password" if entered_secrets.IS_LABEL.fullmatch(label) else label
    return fields | {key: _of_field(before, fields[key], by) for key in value_keys}


def _after(label: str, value: Any, by: Replace) -> Any:
    """A value that follows these words."""
    plain = without_secrets(value, by)
    if plain != value or isinstance(value, bool) or not isinstance(value, str | int):
        return plain
    line = by(f"{label}{value}")
    return line.removeprefix(label) if line.startswith(label) and line != f"{label}{value}" else value
