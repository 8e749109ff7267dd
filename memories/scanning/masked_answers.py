"""Answers as they are shown: every credential masked, whatever stands in clear in the tables behind them.

One function a media type, each from a whole answer (or a line of one) to the same without credentials. An answer that
holds none is handed back as it is.
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, unquote

from memories.scanning import credentials, secret_removal
from memories.scanning.credentials import MASK
from memories.values.exceptions import Invalid
from memories.values.keyset import Cursor

_TAG = re.compile(r"<!--.*?-->|<(?P<name>/?[a-zA-Z][\w-]*)(?:[^>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?<==)\"(?P<value>[^\"]{6,})\"")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,8});")
_CURSOR = re.compile(r"(?<=[?&]cursor=)[^&#\s]+")
_WITHIN_WORDS = {"mark", "ins", "del", "code", "b", "i", "em", "strong", "span", "a", "wbr", "bdi", "abbr", "small"}
_BETWEEN = {"/dt": ": ", "/th": ": ", "/td": " | ", "dd": "", "td": ""}  # what a reader sees between two parts
_CUT = re.compile(  # a key or a card number that a list cuts short
    r"(?:AKIA|ASIA|gh[pousr]_|github_pat_|gl\w{2,6}-|xox\w-|AIza|[rs]k_(?:live|test)_|sk-|memos_|eyJ|npm_|hf_|SG\.|pypi-"
    r"|ya29\.|GOCSPX-|hvs\.|shpat_|do[opr]_v1_|LTAI|dapi)[\w.+/=~-]+(?=…)|(?<![\w-])\d{4}(?:[ .-]?\d){4,18}(?=…)"
)


def masked(text: str) -> str:
    """A text for people: also of a key that is cut off nothing is left."""
    shown = credentials.masked(text)
    return _CUT.sub(MASK, shown) if "…" in shown else shown


def _plain(text: str) -> str:
    return masked(text) if _may_hold(text) else text


def shown_json(text: str) -> str:
    """A JSON document. Field names count as words before their values."""
    if not _may_hold(text):
        return text
    value = json.loads(text)
    if isinstance(value, dict) and isinstance(value.get("results"), list):  # most rows of a list hold none
        links = {name: link for name in ("next", "previous") if isinstance(link := value.get(name), str)}
        shown = _of_value({**value, **dict.fromkeys(["results", *links])})
        shown |= {name: _beside_cursor(link, _of_value) for name, link in links.items()}
        shown["results"] = [_of_row(row) for row in value["results"]]
    else:
        shown = _of_value(value)
    return text if shown == value else json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def _of_value(value: Any) -> Any:
    return secret_removal.without_secrets(value, masked)


def _beside_cursor(text: str, by: Callable[[str], str]) -> str:
    """Mask a text that may be a link to other rows. A cursor of ours is signed, and may look like a key by chance."""
    cursor = _CURSOR.search(text)
    if cursor is None or not _is_signed(unquote(cursor[0])):
        return by(text)
    return by(text[: cursor.start()]) + cursor[0] + _beside_cursor(text[cursor.end() :], by)


def _is_signed(cursor: str) -> bool:
    try:
        Cursor.decode(cursor)
    except Invalid:
        return False
    return True


def _of_row(row: Any) -> Any:
    return _of_value(row) if _may_hold(json.dumps(row, ensure_ascii=False)) else row


def _json_lines(text: str) -> str:
    if not _may_hold(text):
        return text
    return "".join(shown_json(line) if line.strip() else line for line in text.splitlines(keepends=True))


def _may_hold(text: str) -> bool:
    return secret_removal.may_hold(text) or ("…" in text and _CUT.search(text) is not None)


def _html(source: str) -> str:
    """A page, or a part of one. Read as a person reads it: a word may be cut by tags, and be in a table."""
    if not _may_hold(html.unescape(_TAG.sub(_read_tag, source))) and not _may_hold(_attributes(source)):
        return source
    shown = _TAG.sub(lambda tag: _ATTRIBUTE.sub(_masked_attribute, tag[0]), source)
    plain, places = _readable(shown)
    pieces, end = [], 0
    for start, stop in _spans(plain):
        for number, at in enumerate(range(start, stop)):
            if (place := places[at]) is not None:
                pieces += [shown[end : place[0]], "" if number else MASK]
                end = max(end, place[1])
    return "".join([*pieces, shown[end:]])


def _spans(plain: str) -> Iterator[tuple[int, int]]:
    """Where credentials stand, in order and apart from each other."""
    cut = [match.span() for match in _CUT.finditer(plain)]
    end = 0
    for start, stop in sorted([*credentials.places(plain), *cut]):
        if stop > end:
            yield max(start, end), stop
            end = stop


def _readable(source: str) -> tuple[str, list[tuple[int, int] | None]]:
    """The text of a page, and for each of its characters where it stands in the source; None for what tags mean."""
    text: list[str] = []
    places: list[tuple[int, int] | None] = []
    end = 0
    for tag in _TAG.finditer(source):
        _add(source, end, tag.start(), text, places)
        between = _read_tag(tag)
        text.append(between)
        places += [None] * len(between)
        end = tag.end()
    _add(source, end, len(source), text, places)
    return "".join(text), places


def _add(source: str, start: int, end: int, text: list[str], places: list[tuple[int, int] | None]) -> None:
    for entity in _ENTITY.finditer(source, start, end):
        text.append(source[start : entity.start()])
        places += [(at, at + 1) for at in range(start, entity.start())]
        character = html.unescape(entity[0])
        text.append(character)
        places += [entity.span(), *[None] * (len(character) - 1)]
        start = entity.end()
    text.append(source[start:end])
    places += [(at, at + 1) for at in range(start, end)]


def _read_tag(tag: re.Match[str]) -> str:
    name = (tag["name"] or "").lower()
    return _BETWEEN.get(name, "" if name.lstrip("/") in _WITHIN_WORDS else "\n")


def _attributes(source: str) -> str:
    values = [value["value"] for tag in _TAG.finditer(source) for value in _ATTRIBUTE.finditer(tag[0])]
    text = html.unescape("\n".join(values))
    return f"{text}\n{unquote(text)}" if "%" in text else text


def _masked_attribute(attribute: re.Match[str]) -> str:
    value = html.unescape(attribute["value"])
    shown = _beside_cursor(value, _of_attribute)
    return attribute[0] if shown == value else f'"{html.escape(shown)}"'


def _of_attribute(value: str) -> str:
    shown = str(_of_value(value))
    if "%" in shown and (plain := unquote(shown)) != (hidden := masked(plain)):
        return quote(hidden, safe="/?&=#:,@")
    return shown


SHOWN: dict[str, Callable[[str], str]] = {
    "text/html": _html,
    "application/json": shown_json,
    "application/problem+json": shown_json,
    "application/x-ndjson": _json_lines,
    "text/csv": _plain,
    "text/plain": _plain,
    "text/markdown": _plain,
    "text/event-stream": _plain,
}
