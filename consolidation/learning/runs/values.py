"""Access to recorded values: parsing of JSON, and bounded traversal."""

import json
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from typing import Any

Path = tuple[str, ...]  # keys from the outside in; "[]" stands for any item of a list
LONGEST_JSON = 200_000
LONGEST_TEXT = 4_000
MOST_LEAVES = 600
DEEPEST = 8
MOST_FIELDS = 24  # the keys of a larger object are ids or names, not fields
ITEM = "[]"
JSON_TYPES: dict[type, str] = {
    bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array", tuple: "array",
}  # fmt: skip
Scalar = str | int | float | bool
_SCALARS, _NESTED, _EXACT = (str, int, float), (dict, list, tuple), frozenset({str, int, float, bool})


def parsed(value: Any) -> Any:
    """Parse a text that holds a JSON object or list; other values and invalid texts are returned unchanged."""
    if not isinstance(value, str) or len(value) > LONGEST_JSON or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def leaves(value: Any, most: int = MOST_LEAVES) -> list[tuple[Path, Scalar]]:
    """Return the scalars inside a value with the path to each, in order: at most `most`, DEEPEST levels down."""
    pairs: list[tuple[Path, Scalar]] = []
    if isinstance(value, _SCALARS):
        pairs.append(((), value))
    else:
        _collect(value, (), pairs, most)
    return pairs


def _collect(value: Any, at: Path, collected: list[tuple[Path, Scalar]], most: int) -> None:
    if len(at) >= DEEPEST or not isinstance(value, _NESTED):
        return
    pairs = value.items() if isinstance(value, dict) else zip(repeat(ITEM), value, strict=False)
    for key, inner in pairs:
        if len(collected) >= most:
            return
        path = (*at, key if isinstance(key, str) else str(key))
        if type(inner) in _EXACT or isinstance(inner, _SCALARS):
            collected.append((path, inner))
        elif inner is not None:
            _collect(inner, path, collected, most)


def maps(leaves: Iterable[tuple[Path, Any]]) -> set[Path]:
    """Return the paths of objects with more than MOST_FIELDS keys among these leaves."""
    inner: dict[Path, set[str]] = {}
    for path, _ in leaves:
        for n, key in enumerate(path):
            inner.setdefault(path[:n], set()).add(key)
    return {path for path, keys in inner.items() if len(keys) > MOST_FIELDS}


@lru_cache(maxsize=20_000)
def spelled(path: Path) -> str:
    """Return a path as text: `payment_methods.*.id`, `flights[].date`."""
    return ".".join(path).replace("." + ITEM, ITEM)


def text_of(value: Any) -> str:
    """Return a value as text of at most LONGEST_TEXT characters, objects and lists as JSON; '' for None."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if value is None:
        return ""
    if isinstance(value, dict | list):
        try:
            return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)[:LONGEST_TEXT]
        except (TypeError, ValueError, RecursionError):
            return ""
    return str(value)[:LONGEST_TEXT]
