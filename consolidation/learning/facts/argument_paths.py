"""Names of arguments and fields, and the keys by which their values are looked for."""

import re
from collections.abc import Mapping
from typing import Any

from consolidation.learning.runs.values import ITEM, Path, leaves, spelled

ARROW = " → "
LONGEST_NAME = 200
FIELD = re.compile(r"[A-Za-z_$][A-Za-z_$-]*[1-9]?|[\u3400-\u9fff]+")
_TELLING = re.compile(r"[\d@/]")


def key_of(leaf: Any) -> str:
    """Return the search key of a value; '' for booleans, short numbers, plain words and long texts."""
    if isinstance(leaf, bool):
        return ""
    number = isinstance(leaf, float) and leaf.is_integer()
    key = str(int(leaf) if number else leaf).strip().lower().lstrip("#")
    return key if 3 <= len(key) <= LONGEST_NAME and _TELLING.search(key) and len(key.split()) < 5 else ""


def given(arguments: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Return the path and the key of each value that has one."""
    return [(path, key) for path, leaf in leaves(arguments) if (key := key_of(leaf))]


def named(path: Path, maps: "set[Path] | frozenset[Path]" = frozenset()) -> str:
    """Return a path as text with `*` for keys that are ids or names: `payment_methods.*.id`.

    `maps`: paths of objects whose keys name things.
    """
    field = (n and path[:n] in maps for n in range(len(path)))
    return spelled(
        tuple(
            key if key == ITEM or (FIELD.fullmatch(key) and not many) else "*"
            for key, many in zip(path, field, strict=True)
        )
    )
