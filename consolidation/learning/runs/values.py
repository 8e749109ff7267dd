"""Recorded values: JSON parsed, traversed within bounds, and as programs spell what people write.

1 February 2027, Feb 1st, 2027 and 01.02.2027 are 2027-02-01; 129.00 is 129.
"""

import json
import re
from collections.abc import Iterable, Iterator
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

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_MONTH = rf"({'|'.join(_MONTHS)})[a-zä]*\.?"
_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b"
    rf"|\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b"
    r"|\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b|(\d{4})年(\d{1,2})月(\d{1,2})日",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(\d+)\.(\d*?)0+")


def parse_json(value: Any) -> Any:
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


def _collect(value: Any, path_so_far: Path, scalars: list[tuple[Path, Scalar]], most: int) -> None:
    if len(path_so_far) >= DEEPEST or not isinstance(value, _NESTED):
        return
    pairs = value.items() if isinstance(value, dict) else zip(repeat(ITEM), value, strict=False)
    for key, inner in pairs:
        if len(scalars) >= most:
            return
        path = (*path_so_far, key if isinstance(key, str) else str(key))
        if type(inner) in _EXACT or isinstance(inner, _SCALARS):
            scalars.append((path, inner))
        elif inner is not None:
            _collect(inner, path, scalars, most)


def maps(leaves: Iterable[tuple[Path, Any]]) -> set[Path]:
    """Return the paths of objects with more than MOST_FIELDS keys among these leaves."""
    inner: dict[Path, set[str]] = {}
    for path, _ in leaves:
        for n, key in enumerate(path):
            inner.setdefault(path[:n], set()).add(key)
    return {path for path, keys in inner.items() if len(keys) > MOST_FIELDS}


def joined_path(path: Path) -> str:
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


def dates(text: str) -> Iterator[str]:
    """Yield the dates of a text as YYYY-MM-DD."""
    for match in _DATE.finditer(text):
        if match[1]:
            year, month, day = match[3], _MONTHS[match[2].lower()], match[1]
        elif match[4]:
            year, month, day = match[6], _MONTHS[match[4].lower()], match[5]
        elif match[7]:
            year, month, day = match[9], int(match[8]), match[7]
        else:
            year, month, day = match[10], int(match[11]), match[12]
        yield f"{year}-{int(month):02}-{int(day):02}"


def number(word: str) -> str:
    """Return a decimal number without zeros at its end; any other word as it is."""
    match = _DECIMAL.fullmatch(word)
    return (f"{match[1]}.{match[2]}" if match[2] else match[1]) if match else word
