"""Replies of tools, in pages that fit into a context window: 4,000 characters unless the caller asks otherwise."""

import json
from dataclasses import dataclass, field
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from memories.api.shapes import Json

LEAST_CHARS, USUAL_CHARS, MOST_CHARS = 500, 4_000, 100_000
SHORTEST_STRING, FEWEST_ITEMS = 40, 3  # what squeezing leaves of a string, of a list
EMPTY: tuple[Any, ...] = (None, "", [], {})
SHARE_OF_TEXT = 0.25  # that a text gets at least, however long what stands beside it is


def dumps(value: Any) -> str:
    return json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))


def non_empty(fields: Json) -> Json:
    """The fields without those that are null, blank or empty, also within nested objects and lists."""
    values = ((name, _non_empty(value)) for name, value in fields.items())
    return {name: value for name, value in values if value not in EMPTY}


def _non_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return non_empty(value)
    return [_non_empty(entry) for entry in value if entry not in EMPTY] if isinstance(value, list) else value


@dataclass(frozen=True)
class Page:
    """One page of a reply: `result` as JSON, and a text that is sent unquoted; `next`: the cursor of the next page.

    `mark`: a warning in front of the text, as "unreviewed", which `result` has as a field.
    """

    result: Json
    text: str = ""
    text_name: str = ""
    next: str | None = None
    mark: str = ""

    @property
    def body(self) -> Json:
        """All of it as one JSON object."""
        more = {"next": self.next} if self.next else {}
        return {**({self.text_name: self.text} if self.text_name else {}), **self.result, **more}

    @property
    def blocks(self) -> list[str]:
        """The same as texts for a model: the text as it is, then the rest as JSON."""
        more = {"next": self.next} if self.next else {}
        rest = {**self.result, **more}
        text = f"[{self.mark}] {self.text}" if self.mark else self.text
        return [*([text] if text else []), *([dumps(rest)] if rest or not self.text else [])]


@dataclass(frozen=True)
class Reply:
    """A whole answer: `head`, and a list or a text that may be too long for one page.

    `first`: the position of the first of `items` in the whole list; `more`: there are others behind the last one;
    `mark`: of the text.
    """

    head: Json = field(default_factory=dict)
    items: list[Json] | None = None
    items_name: str = "results"
    text: str = ""
    text_name: str = ""
    first: int = 0
    more: bool = False
    mark: str = ""

    def page(self, *, start: int, max_chars: int) -> Page:
        """The part from `start` (an item, or a character of the text) that fits into `max_chars`."""
        if self.text_name:
            head = squeeze(self.head, int(max_chars * (1 - SHARE_OF_TEXT)))
            end = start + max(1, max_chars - len(dumps(head)) - 40)
            next_start = str(end) if end < len(self.text) else None
            return Page(head, self.text[start:end], self.text_name, next_start, "" if start else self.mark)
        if self.items is None:
            return Page(squeeze(self.head, max_chars))
        return self._list(self.items[max(0, start - self.first) :], start=start, max_chars=max_chars)

    def _list(self, items: list[Json], *, start: int, max_chars: int) -> Page:
        head = squeeze(self.head, max_chars // 2)
        room = max_chars - len(dumps({**head, self.items_name: [], "next": "0" * 9}))
        items_on_page: list[Json] = []
        for item in items:
            fitted_item = item if items_on_page else squeeze(item, room)
            if len(dumps(fitted_item)) + 1 > room and items_on_page:
                break
            items_on_page.append(fitted_item)
            room -= len(dumps(fitted_item)) + 1
        next_start = (
            str(start + len(items_on_page))
            if len(items_on_page) < len(items) or (self.more and items_on_page)
            else None
        )
        return Page({**head, self.items_name: items_on_page}, next=next_start)


def squeeze(value: Json, most: int) -> Json:
    """Cut long strings, then long lists, until the JSON has at most `most` characters; less than SHORTEST_STRING and
    FEWEST_ITEMS is not cut, so it may still be longer."""
    longest, items = most, 1_000
    result = value
    while len(dumps(result)) > most and (longest > SHORTEST_STRING or items > FEWEST_ITEMS):
        longest, items = (longest // 2, items) if longest > SHORTEST_STRING else (longest, items // 2)
        result = _cut(value, longest, items)
    return result


def _cut(value: Any, longest: int, items: int) -> Any:
    if isinstance(value, str) and len(value) > max(longest, SHORTEST_STRING):
        return shorten(value, max(longest, SHORTEST_STRING))
    if isinstance(value, list):
        rest = [f"... {len(value) - items} more"] if len(value) > items else []
        return [*(_cut(item, longest, items) for item in value[:items]), *rest]
    if isinstance(value, dict):
        return {name: _cut(item, longest, items) for name, item in value.items()}
    return value


def shorten(text: str, longest: int) -> str:
    """The beginning of a text, and how much is missing."""
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text) - longest:,} characters more)"
