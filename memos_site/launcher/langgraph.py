"""Memos as the long-term store of LangGraph: `graph.compile(store=MemosStore())`. Needs `memos[langgraph]`.

An item is a memory under a key that its namespace and key make. What is put is a candidate until people or other
sessions confirm it; the store finds its own candidates too. A value that was confirmed is not replaced by a later put,
but proposed to people, and what they dismissed is not stored again: both are logged as warnings.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .client import Memos, MemosError

TAG = "langgraph"
STATUSES = ("candidate", "confirmed", "applied", "contested")
LONGEST_KEY = 255
PLAIN = re.compile(r"(\w{1,64}): (.*)", re.DOTALL)  # a value of one text, as it reads: "food: likes pizza"
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, operand: bool(value == operand),
    "$ne": lambda value, operand: bool(value != operand),
    "$gt": lambda value, operand: float(value) > float(operand),
    "$gte": lambda value, operand: float(value) >= float(operand),
    "$lt": lambda value, operand: float(value) < float(operand),
    "$lte": lambda value, operand: float(value) <= float(operand),
}
logger = logging.getLogger("memos")


class MemosStore(BaseStore):
    """`scope`: where items are kept; "" is the token's own. `client`: else one of MEMOS_URL and MEMOS_TOKEN."""

    def __init__(self, client: Memos | None = None, *, scope: str = "", source: str = TAG) -> None:
        self.client = client or Memos()
        self.scope, self.source = scope, source

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._answer(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"unknown operation {type(op).__name__}")

    def _by_key(self, namespace: tuple[str, ...], key: str) -> str:
        return f"memories/by-key/{quote(_key(namespace, key), safe='')}?{urlencode({'scope': self.scope})}"

    def _get(self, op: GetOp) -> Item | None:
        try:
            memory = self.client.call(self._by_key(op.namespace, op.key))
        except MemosError as refusal:
            if refusal.status == 404:
                return None
            raise
        return Item(**_fields(memory)) if memory["status"] in STATUSES else None

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            try:
                self.client.call(self._by_key(op.namespace, op.key), method="DELETE")
            except MemosError as refusal:
                if refusal.status != 404:
                    raise
            return
        place = {"scope": self.scope} if self.scope else {}
        tags = [TAG, *(_tag(op.namespace[:depth]) for depth in range(1, len(op.namespace) + 1))]
        key = _key(op.namespace, op.key)
        content = _content(op.value)
        answer = self.client.store(key, content, category="fact", source=self.source, tags=tags, **place)
        if answer.get("proposal") or answer.get("suppressed"):
            why = "is proposed to people" if answer.get("proposal") else "is what people dismissed"
            logger.warning("the new value of %s %s: the former one stays", key, why)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        results = (
            self._search_results(op)
            if op.query
            else ((memory, None) for memory in self._all_memories(op.namespace_prefix))
        )
        items = (SearchItem(**_fields(memory), score=score) for memory, score in results if _is_item(memory))
        fitting = [item for item in items if _fits(item, op)]
        return fitting[op.offset : op.offset + op.limit]

    def _search_results(self, op: SearchOp) -> Iterator[tuple[Any, float]]:
        more = {"tags": [_tag(op.namespace_prefix)], "types": ["semantic"], "include_candidates": True}
        place = {"scopes": [self.scope]} if self.scope else {}
        limit = 100 if op.filter else min(op.offset + op.limit, 100)
        for result in self.client.search(op.query or "", limit=limit, **more, **place)["results"]:
            yield result["memory"], result["score"]

    def _all_memories(self, prefix: tuple[str, ...]) -> Iterator[Any]:
        parameters = {
            "tag": _tag(prefix),
            "scope": self.scope,
            "limit": 200,
            "status": ",".join(STATUSES),
            "type": "semantic",
        }
        query = urlencode(parameters)
        while query:
            page = self.client.call(f"memories?{query}")
            yield from page["results"]
            query = urlsplit(page["next"]).query if page["next"] else ""

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = {_place(memory["key"])[0] for memory in self._all_memories(()) if _is_item(memory)}
        matching = {
            space for space in namespaces if all(_matches(space, condition) for condition in op.match_conditions or ())
        }
        cut = sorted({space[: op.max_depth] for space in matching} if op.max_depth is not None else matching)
        return cut[op.offset : op.offset + op.limit]


def _key(namespace: tuple[str, ...], key: str) -> str:
    path = "/".join(quote(part, safe=" :@") for part in (TAG, *namespace, key))
    if len(path) > LONGEST_KEY:
        raise ValueError(f"namespace and key are {len(path)} characters together, more than {LONGEST_KEY}")
    return path


def _is_item(memory: dict[str, Any]) -> bool:
    """Whether a store made the memory, by its key: anybody may use the tag."""
    return str(memory["key"] or "").startswith(f"{TAG}/")


def _place(key: str) -> tuple[tuple[str, ...], str]:
    _tag, *namespace, last = (unquote(part) for part in key.split("/"))
    return tuple(namespace), last


def _tag(prefix: tuple[str, ...]) -> str:
    return "/".join(quote(part, safe=" :@") for part in (TAG, *prefix))


def _content(value: dict[str, Any]) -> str:
    """A value of one text as it reads, which people and search understand best; any other as JSON."""
    if len(value) == 1:
        [(name, text)] = value.items()
        if isinstance(text, str) and text.strip() == text and PLAIN.fullmatch(f"{name}: {text}"):
            return f"{name}: {text}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _value(content: str) -> dict[str, Any]:
    if content.startswith("{"):
        with suppress(ValueError):
            return dict(json.loads(content))
    plain = PLAIN.fullmatch(content)
    return {plain[1]: plain[2]} if plain else {"content": content}  # a person may have reworded it


def _fields(memory: dict[str, Any]) -> dict[str, Any]:
    namespace, key = _place(memory["key"])
    times = {name: datetime.fromisoformat(memory[name]) for name in ("created_at", "updated_at")}
    return {"value": _value(memory["content"]), "key": key, "namespace": namespace, **times}


def _fits(item: Item, op: SearchOp) -> bool:
    """Whether it lies under the prefix, and its value passes the filter."""
    if item.namespace[: len(op.namespace_prefix)] != op.namespace_prefix:
        return False
    return all(_compares(item.value.get(name), operand) for name, operand in (op.filter or {}).items())


def _compares(value: Any, operand: Any) -> bool:
    if not isinstance(operand, dict) or not any(str(name).startswith("$") for name in operand):
        return bool(value == operand)
    if unknown := [name for name in operand if name not in COMPARE]:
        raise ValueError(f"unknown operator {unknown[0]!r}: one of {', '.join(COMPARE)}")
    try:
        return all(COMPARE[name](value, limit) for name, limit in operand.items())
    except (TypeError, ValueError):  # no number
        return False


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = (
        namespace[: len(path)] if condition.match_type == "prefix" else namespace[max(len(namespace) - len(path), 0) :]
    )
    return len(part) == len(path) and all(pattern in ("*", name) for name, pattern in zip(part, path, strict=True))
