"""Access to recorded values: parsing of JSON and XML, and bounded traversal."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import repeat
from typing import Any
from xml.etree import ElementTree

Path = tuple[str, ...]  # keys from the outside in; "[]" stands for any item of a list
LONGEST_JSON = 200_000
LONGEST_TEXT = 4_000
MOST_LEAVES = 600
MOST_FLAT = 40
DEEPEST = 8
MOST_FIELDS = 24  # the keys of a larger object are ids or names, not fields
ITEM = "[]"
JSON_TYPES: dict[type, str] = {
    bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array", tuple: "array",
}  # fmt: skip
Scalar = str | int | float | bool
_NO_DATA = re.compile(r"<!DOCTYPE|<html\b", re.IGNORECASE)
_SCALARS, _NESTED, _EXACT = (str, int, float), (dict, list, tuple), frozenset({str, int, float, bool})


def parsed(value: Any) -> Any:
    """Parse a text that holds a JSON object or list, or XML; other values and invalid texts are returned unchanged."""
    if not isinstance(value, str) or len(value) > LONGEST_JSON or (first := value.lstrip()[:1]) not in {"{", "[", "<"}:
        return value
    try:
        return _from_xml(value) if first == "<" else json.loads(value)
    except (ValueError, RecursionError, ElementTree.ParseError):
        return value


def _from_xml(text: str) -> Any:
    """Return the root's name -> its content; the text itself of HTML and of what declares a type: it may be a bomb."""
    if _NO_DATA.search(text[:1_000]) or "<!ENTITY" in text:
        return text
    root = ElementTree.fromstring(text.strip())  # noqa: S314 - without declarations nothing is expanded
    return {_plain(root.tag): _content(root)}


def _content(element: ElementTree.Element) -> Any:
    """Return an element's attributes and children by name, several of one name as a list; without any its text."""
    fields: dict[str, Any] = {_plain(name): value for name, value in element.attrib.items()}
    for child in element:
        name, content = _plain(child.tag), _content(child)
        if name not in fields:
            fields[name] = content
        elif isinstance(fields[name], list):
            fields[name].append(content)
        else:
            fields[name] = [fields[name], content]
    text = (element.text or "").strip()
    return fields | ({"text": text} if text else {}) if fields else text


def _plain(tag: str) -> str:
    """Return a name without its namespace."""
    return tag.rpartition("}")[2]


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


def flat(value: Any) -> list[tuple[Path, str | bool]]:
    """Return texts and booleans of an object and of objects directly inside it, with paths; lists are left out."""
    flat_pairs: list[tuple[Path, str | bool]] = []
    for key, inner in list(value.items())[:MOST_FLAT] if isinstance(value, dict) else ():
        pairs = list(inner.items())[:MOST_FLAT] if isinstance(inner, dict) else [(None, inner)]
        for second, leaf in pairs:
            if isinstance(leaf, str | bool):
                flat_pairs.append(((str(key),) if second is None else (str(key), str(second)), leaf))
    return flat_pairs


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
