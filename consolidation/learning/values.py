"""Recorded values: JSON where it is JSON, walked with a bound on the work."""

import json
from collections.abc import Iterator
from typing import Any

Path = tuple[str, ...]  # keys from the outside in; "[]" stands for any item of a list
LONGEST_JSON = 200_000
MOST_LEAVES = 1_500
DEEPEST = 8
ITEM = "[]"


def parsed(value: Any) -> Any:
    """The object that a text holds, or the value as it came: bad JSON stays text."""
    if not isinstance(value, str) or len(value) > LONGEST_JSON or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def leaves(value: Any, at: Path = ()) -> Iterator[tuple[Path, str | int | float | bool]]:
    """The scalars inside a value with the path to each, at most 1,500."""
    for count, leaf in enumerate(_walk(value, at)):
        if count >= MOST_LEAVES:
            return
        yield leaf


def _walk(value: Any, at: Path) -> Iterator[tuple[Path, str | int | float | bool]]:
    if isinstance(value, str | int | float | bool):
        yield at, value
    elif len(at) >= DEEPEST:
        return
    elif isinstance(value, dict):
        for key in value:
            yield from _walk(value[key], (*at, str(key)))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk(item, (*at, ITEM))


def spelled(path: Path) -> str:
    """`payment_methods.*.id`, `flights[].date`."""
    return ".".join(path).replace("." + ITEM, ITEM)


def text_of(value: Any, limit: int = 4_000) -> str:
    if isinstance(value, str):
        return value[:limit]
    if value is None:
        return ""
    if isinstance(value, dict | list):
        try:
            return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)[:limit]
        except (TypeError, ValueError, RecursionError):
            return ""
    return str(value)[:limit]
