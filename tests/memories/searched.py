"""What searches in tests share: memories that can be found, and a short way to ask."""

from copy import copy
from typing import Any
from uuid import uuid4

from memories import search
from memories.models import Memory
from memories.models.passage import of_memories, write
from memories.search import SearchResults
from memories.values.choices import Status
from memories.values.trust import Trust, everything
from tests.make import ANNA, AT, make_memory, make_run, user


def indexed(content: str, **facts: Any) -> Memory:
    """A memory that can be found."""
    memory = make_memory(content, **facts)
    write(of_memories([memory]))
    return memory


def known(content: str, **facts: Any) -> Memory:
    """A confirmed one."""
    return indexed(content, **{"status": Status.CONFIRMED} | facts)


def known_together(*contents: str) -> None:
    """As `known`, each; written by a few statements."""
    first = make_memory(contents[0], status=Status.CONFIRMED)
    others = [copy(first) for _ in contents[1:]]
    for memory, content in zip(others, contents[1:], strict=True):
        memory.pk, memory.content = uuid4(), content
    Memory.objects.bulk_create(others)
    write(of_memories([first, *others]))


def talk(*said: str, **fields: Any) -> Memory:
    """A conversation; `Anna: Hello` is said by Anna."""
    messages = []
    for line in said:
        name, _, text = line.rpartition(": ")
        messages.append(user(text) | ({"name": name} if name else {}))
    return make_run(messages=messages, **fields)


def find(query: str = "", *, by: Trust | None = None, **asked: Any) -> SearchResults:
    body = {"query": query, **asked}
    return search.search(search.check(body), trust=by or everything(ANNA), at=AT)


def said(found: SearchResults) -> list[str]:
    return [result.memory.content for result in found.results]


def passages(found: SearchResults) -> list[str]:
    return [result.passages[0].text for result in found.results]
