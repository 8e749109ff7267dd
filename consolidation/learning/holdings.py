"""What one run holds: the keys and the words in its arguments and results, and the words that belong to persons."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.learning import terms, values
from consolidation.learning.privacy import personal

if TYPE_CHECKING:
    from consolidation.learning.runs import Run

MOST_FIELDS = 24
MOST_WORDS = 4
FEW_GOODS = 12
MOST_LEAVES = 200  # of each value: enough to know its fields


@dataclass(frozen=True)
class Held:
    """`values` by place (tool, args or result, path): each place with the words that stand there."""

    keys: frozenset[str]
    values: dict[str, frozenset[str]]
    personal: frozenset[str]


def _maps(leaves: Iterable[tuple[values.Path, Any]]) -> set[values.Path]:
    """Objects with many keys: these name things, not fields."""
    inner: dict[values.Path, set[str]] = {}
    for path, _ in leaves:
        for n, key in enumerate(path):
            inner.setdefault(path[:n], set()).add(key)
    return {path for path, keys in inner.items() if len(keys) > MOST_FIELDS}


def place(tool: str, kind: str, path: values.Path) -> str:
    return f"{tool}:{kind}:{values.spelled(path)}"


def hold(calls: Iterable[tuple[str, Any, Any]]) -> Held:
    """Of each call the tool, the arguments and the result, of long lists the beginning."""
    keys: set[str] = set()
    found: dict[str, set[str]] = {}
    private: set[str] = set()
    for tool, args, result in calls:
        for kind, value in (("args", args), ("result", result)):
            leaves = values.leaves(value, MOST_LEAVES)
            maps = _maps(leaves)
            for path, leaf in leaves:
                keys.update(key for n, key in enumerate(path) if path[:n] not in maps)
                if isinstance(leaf, str) and len(leaf) <= 80:
                    found.setdefault(place(tool, kind, path), set()).add(leaf)
                    if any(map(personal, path)):
                        private.update(word.lower() for words in terms.sentences(leaf) for word in words)
    return Held(frozenset(keys), {at: frozenset(leaves) for at, leaves in found.items()}, frozenset(private))


def goods(runs: "Iterable[Run]", plain: Collection[str]) -> frozenset[str]:
    """Stems of the words in short results of fields that hold many different ones; `plain` are none of them."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for at, leaves in run.held.values.items():
            if ":result:" in at:
                found.setdefault(at, set()).update(leaf for leaf in leaves if len(leaf.split()) <= MOST_WORDS)
    many = [leaves for leaves in found.values() if len(leaves) > FEW_GOODS]
    words = {word.lower() for leaves in many for leaf in leaves for part in terms.sentences(leaf) for word in part}
    return frozenset(terms.stem(word) for word in words) - set(plain)
