"""Plans that were read before calls in a row were one node: the same graph with these nodes joined."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from consolidation.learning.plan_graphs import LEAST_NODES

Graph = dict[str, Any]


def folded(graph: Mapping[str, Any]) -> tuple[Graph, dict[int, int]] | None:
    """The graph with its nodes in a row of one op joined, and the new number of each node; None where nothing is to be
    joined, or too little would be left for a plan.

    What such nodes were repeated by is not known any more.
    """
    rows = [list(row) for _, row in groupby(enumerate(graph["nodes"], start=1), key=lambda pair: pair[1]["op"])]
    if not LEAST_NODES <= len(rows) < len(graph["nodes"]):
        return None
    numbers = {old: new for new, row in enumerate(rows, start=1) for old, _ in row}
    edges = sorted({(numbers[a], numbers[b], kind) for a, b, kind in graph["edges"] if numbers[a] != numbers[b]})
    nodes = [_joined([node for _, node in row], new, numbers) for new, row in enumerate(rows, start=1)]
    return {"nodes": nodes, "edges": [list(edge) for edge in edges]}, numbers


def _joined(row: list[Any], number: int, numbers: Mapping[int, int]) -> Graph:
    sources: dict[str, set[int]] = {}
    for node in row:
        for argument, old in node["sources"].items():
            if new := {numbers[one] for one in old} - {number}:
                sources.setdefault(argument, set()).update(new)
    inputs: dict[str, Any] = {}
    for node in row:
        for argument, given in node["inputs"].items():
            if argument not in sources:
                inputs.setdefault(argument, given)
    plain = {"op": row[0]["op"], "sources": {name: sorted(found) for name, found in sources.items()}, "inputs": inputs}
    return plain | ({"times": [len(row), len(row)]} if len(row) > 1 else {})


def moved(given: Mapping[str, str], numbers: Mapping[int, int]) -> dict[str, str]:
    """The digests of a run's arguments under the new numbers, '' (not known) of those that have moved or were joined: a
    digest holds its place."""
    calls = Counter(numbers.values())
    found: dict[str, str] = {}
    for place, digest in given.items():
        old, _, argument = place.partition(".")
        new = numbers[int(old)]
        found[f"{new}.{argument}"] = digest if new == int(old) and calls[new] == 1 else ""
    return found
