"""Keys, values, records and personal words in the arguments and results of one run."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from consolidation.learning.runs import terms, values
from consolidation.learning.runs.privacy import personal

MOST_WORDS = 4
FEW_GOODS = 12
MOST_LEAVES = 200  # of each value: enough to know its fields


Fact = tuple[str, str, str]  # tool, field, value


@dataclass(frozen=True)
class Holdings:
    """What the calls of a run hold.

    `values`: place (tool, `args` or `result`, path) -> short texts there; `personal`: words of fields with details of a
    person.
    """

    keys: frozenset[str]
    values: dict[str, frozenset[str]]
    personal: frozenset[str]


@dataclass
class Record:
    """A record that a run looked up by its id.

    `facts`: (tool, field, value) of the result; `changing_tools`: those that later changed something with this id.
    """

    tool: str
    facts: frozenset[Fact]
    changing_tools: set[str] = field(default_factory=set)
    called_tools: set[str] = field(default_factory=set)  # also tools whose call failed


def place(tool: str, kind: str, path: values.Path) -> str:
    """Return the name of a field: tool, `args` or `result`, path."""
    return f"{tool}:{kind}:{values.joined_path(path)}"


def hold(calls: Iterable[tuple[str, Any, Any]]) -> Holdings:
    """Collect keys and values of calls, given as (tool, arguments, result); of long lists only the beginning."""
    keys: set[str] = set()
    texts: dict[str, set[str]] = {}
    personal_words: set[str] = set()
    for tool, args, result in calls:
        for kind, value in (("args", args), ("result", result)):
            leaves = values.leaves(value, MOST_LEAVES)
            maps = values.maps(leaves)
            for path, leaf in leaves:
                keys.update(key for n, key in enumerate(path) if path[:n] not in maps)
                if isinstance(leaf, str) and len(leaf) <= 80:
                    texts.setdefault(place(tool, kind, path), set()).add(leaf)
                    if any(map(personal, path)):
                        personal_words.update(_words(leaf) or leaf.split())  # Chinese names are no words
    return Holdings(frozenset(keys), {at: frozenset(leaves) for at, leaves in texts.items()}, frozenset(personal_words))


def _words(leaf: str) -> tuple[str, ...]:
    return tuple(word.lower() for words in terms.sentences(leaf) for word in words)


def short_results(holdings: Iterable[Holdings]) -> dict[str, set[str]]:
    """Return the texts of at most MOST_WORDS words in each field of results."""
    texts: dict[str, set[str]] = {}
    for run_holdings in holdings:
        for at, leaves in run_holdings.values.items():
            if ":result:" in at:
                texts.setdefault(at, set()).update(leaf for leaf in leaves if len(leaf.split()) <= MOST_WORDS)
    return texts


def goods(results: Mapping[str, Collection[str]], plain: Collection[str]) -> frozenset[str]:
    """Return stems of words in short results of fields with many different values, except those in `plain`."""
    many = [leaves for leaves in results.values() if len(leaves) > FEW_GOODS]
    words = {word for leaves in many for leaf in leaves for word in _words(leaf)}
    return frozenset(terms.stem(word) for word in words) - set(plain)
