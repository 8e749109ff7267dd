"""What one run holds: the keys and the words in its arguments and results, and the words that belong to persons."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from consolidation.learning import terms, values
from consolidation.learning.privacy import personal

MOST_LEAVES = 200  # of each value: enough to know its fields


@dataclass(frozen=True)
class Held:
    """`values` by place (tool, args or result, path): each place with the words that stand there."""

    keys: frozenset[str]
    values: dict[str, frozenset[str]]
    personal: frozenset[str]


def place(tool: str, kind: str, path: values.Path) -> str:
    return f"{tool}:{kind}:{values.spelled(path)}"


def hold(calls: Iterable[tuple[str, Any, Any]]) -> Held:
    """Of each call the tool, the arguments and the result, of long lists the beginning."""
    keys: set[str] = set()
    found: dict[str, set[str]] = {}
    private: set[str] = set()
    for tool, args, result in calls:
        for kind, value in (("args", args), ("result", result)):
            for path, leaf in values.leaves(value, MOST_LEAVES):
                keys.update(path)
                if isinstance(leaf, str) and len(leaf) <= 80:
                    found.setdefault(place(tool, kind, path), set()).add(leaf)
                    if any(map(personal, path)):
                        private.update(word.lower() for words in terms.sentences(leaf) for word in words)
    return Held(frozenset(keys), {at: frozenset(leaves) for at, leaves in found.items()}, frozenset(private))
