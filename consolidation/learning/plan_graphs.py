"""A run as a plan: its calls as nodes, with an edge where one call needs another or uses a value of its result.

Calls of one tool in a row are one repeated node: looking up two orders and looking up four is the same plan. So are
groups of calls that come again in the same order. Which calls are nodes: `effects/plan_steps.py`.
Two runs have one plan when their nodes have the same names in the same order and the same edges. A plan holds no value
of a run: what a call was given is an input of the plan, comes from another node, or is the same for everybody.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any
from uuid import UUID

from consolidation.learning.effects.effects import started_kinds
from consolidation.learning.effects.plan_steps import fold_repeats, is_bare_line, steps_of
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import is_thought
from consolidation.learning.runs import values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.privacy import HOLDING_RUNS, personal, safe
from consolidation.learning.runs.run import Run
from memories.lexicon.tool_words import without_server

LEAST_CALLS = 3
LEAST_NODES = 2
MOST_CALLS = 30  # a longer run is a search for a way, not a plan
LEAST_LENGTH = 4  # of a value that is taken to come from a result
LONGEST_ARGUMENT = 64
LONGEST_INTENT = 500
_NO_NAME = re.compile(r"\d{3}|[@*•█…]")
Edge = tuple[int, int, str]  # from node, to node, kind: nodes by their number, from 1
DATA, CONTROL = "data", "control"
ONCE = [1, 1]


@dataclass(frozen=True)
class PlanNode:
    """Calls of one tool in a row: `sources` by argument are the nodes whose results held it, `inputs` by argument
    (name, JSON type). `times`: how many calls succeeded, at least 1; `per`: the arguments of which each of several had
    a value of its own, None where there were not several.
    """

    op: str
    sources: dict[str, list[int]] = field(default_factory=dict)
    inputs: dict[str, tuple[str, str]] = field(default_factory=dict)
    times: int = 1
    per: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RunPlan:
    """The plan of one run. `input_values`: by `node.argument`; None for a value that may not be stored even if
    all runs share it."""

    nodes: tuple[PlanNode, ...]
    edges: tuple[Edge, ...]
    input_values: dict[str, str | bool | None]

    @property
    def sha256(self) -> bytes:
        """The identity of the plan: its node sequence and its edges."""
        return identity([node.op for node in self.nodes], self.edges)

    @property
    def graph(self) -> dict[str, Any]:
        """Nodes and edges as JSON, without any value."""
        nodes = [
            {"op": node.op, "sources": node.sources, "inputs": node.inputs, **_repetition_fields(node)}
            for node in self.nodes
        ]
        return {"nodes": nodes, "edges": self.edges}


def identity(ops: Sequence[str], edges: Sequence[Edge]) -> bytes:
    """The sha256 of a plan's node sequence and edges."""
    return hashlib.sha256(json.dumps([ops, edges], ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()


def _repetition_fields(node: PlanNode) -> dict[str, Any]:
    return {"times": [node.times, node.times], "per": list(node.per)} if node.per is not None else {}


def plan_of(run: Run, rules: ToolRules) -> RunPlan | None:
    """The plan of a run; None when it made too few calls for one, or too many, or calls of one tool alone, or when only
    their order is known."""
    counted_calls = [call for call in run.steps if call.name not in rules.ignored and not is_thought(call.name)]
    if not LEAST_CALLS <= sum(bool(started_kinds(call, rules)) for call in counted_calls) <= MOST_CALLS:
        return None
    plan = _PlanReader(steps_of(replace(run, calls=tuple(counted_calls)), rules), rules).plan()
    tells = plan.edges or any(node.inputs for node in plan.nodes)
    return plan if tells and len(plan.nodes) >= LEAST_NODES else None


class _PlanReader:
    """The calls of a run, read in order, with what their results held."""

    def __init__(self, steps: Sequence[tuple[str, Call]], rules: ToolRules) -> None:
        self.rules = rules
        rows = groupby(steps, key=lambda step: step[0])
        self.nodes = fold_repeats((op, [call for _, call in row]) for op, row in rows)
        self.numbers = {call.position: n for n, (_, row) in enumerate(self.nodes, start=1) for call in row}
        self.node_by_value: dict[str, int] = {}  # value -> the first node whose result held it
        self.texts: list[tuple[int, str]] = []
        self.input_names: dict[tuple[str, str], str] = {}  # (argument, value) -> input
        self.input_counts = Counter[str]()
        self.edges: set[Edge] = set()
        self.input_values: dict[str, str | bool | None] = {}

    def plan(self) -> RunPlan:
        nodes = [self._node(number, op, calls) for number, (op, calls) in enumerate(self.nodes, start=1)]
        return RunPlan(tuple(nodes), tuple(sorted(self.edges)), self.input_values)

    def _node(self, number: int, op: str, calls: Sequence[Call]) -> PlanNode:
        successes = [call for call in calls if not call.failed]  # another attempt is no repetition
        node = PlanNode(op, times=max(1, len(successes)), per=_per(successes))
        values_of: dict[str, list[Any]] = defaultdict(list)  # argument -> its values that come from no other node
        for call in calls:
            for dependency in call.dependencies:
                if self.numbers.get(dependency, number) < number:
                    self.edges.add((self.numbers[dependency], number, CONTROL))
            for argument, value in ({} if is_bare_line(call, self.rules) else call.arguments).items():
                if value is not None and safe_name(argument):
                    self._argument(node, number, argument, value, values_of)
            self._hold(number, call.parsed_result)
        for argument, free_values in values_of.items():
            if argument not in node.sources:
                node.inputs[argument] = (
                    self._input(argument, free_values),
                    values.JSON_TYPES.get(type(free_values[0]), "string"),
                )
                is_constant = len({values.text_of(value) for value in free_values}) == 1
                self.input_values[f"{number}.{argument}"] = (
                    _shareable(argument, free_values[0]) if is_constant else None
                )
        return node

    def _argument(
        self, node: PlanNode, number: int, argument: str, value: Any, values_of: dict[str, list[Any]]
    ) -> None:
        """Add the nodes that a value comes from, or else the value. An earlier call of the same node is no source."""
        origins = {origin for leaf in _texts(value) if (origin := self._source(leaf))}
        if sources := origins - {number}:
            node.sources[argument] = sorted({*node.sources.get(argument, ()), *sources})
            self.edges.update((source, number, DATA) for source in sources)
        elif not origins:
            values_of[argument].append(value)

    def _source(self, leaf: str) -> int | None:
        number = self.node_by_value.get(leaf)
        return number or next((node_number for node_number, text in self.texts if leaf in text), None)

    def _hold(self, number: int, result: Any) -> None:
        if isinstance(result, str):
            self.texts.append((number, result[: values.LONGEST_JSON]))
            return
        for leaf in _texts(result):
            self.node_by_value.setdefault(leaf, number)

    def _input(self, argument: str, free_values: Sequence[Any]) -> str:
        """The name of an input: one for each value, and one for all the values of a repeated node."""
        places = [(argument, values.text_of(value)) for value in free_values]
        if places[0] not in self.input_names:
            self.input_counts[argument] += 1
            number = self.input_counts[argument]
            self.input_names[places[0]] = argument if number == 1 else f"{argument}_{number}"
        for place in places:
            self.input_names.setdefault(place, self.input_names[places[0]])
        return self.input_names[places[0]]


def _per(calls: Sequence[Call]) -> tuple[str, ...] | None:
    """The arguments, no lists and objects, of which each of several calls had another value."""
    if len(calls) < 2:
        return None
    scalar_arguments = [
        {name for name, sent in call.arguments.items() if not isinstance(sent, list | dict)} for call in calls
    ]
    shared_names = set.intersection(*scalar_arguments)
    varied_names = [
        name for name in shared_names if len({values.text_of(call.arguments[name]) for call in calls}) == len(calls)
    ]
    return tuple(sorted(filter(safe_name, varied_names)))


def safe_name(argument: str) -> bool:
    """Whether it looks like an argument's name: the keys of a free map may be ids or secrets."""
    return 0 < len(argument) <= LONGEST_ARGUMENT and argument.isprintable() and not _NO_NAME.search(argument)


def _texts(value: Any) -> Iterator[str]:
    """The strings and numbers inside a value that are long enough to be known again; the keys of maps too."""
    for path, leaf in values.leaves(value):
        scalar_texts = () if isinstance(leaf, bool) else (str(leaf),)
        yield from (text for text in (*path, *scalar_texts) if len(text) >= LEAST_LENGTH)


def _shareable(argument: str, value: Any) -> str | bool | None:
    if isinstance(value, bool):
        return value
    return value if isinstance(value, str) and safe(value) and not personal(argument) else None


def united(graph: dict[str, Any], other: Mapping[str, Any]) -> bool:
    """Add to `graph` the arguments that only the other graph of this plan has, and widen how often its nodes are
    repeated. Return whether anything changed."""
    changed = False
    for node, other_node in zip(graph["nodes"], other["nodes"], strict=True):
        argument_names = node["sources"].keys() | node["inputs"].keys()
        for kind in ("sources", "inputs"):
            if new_arguments := {name: value for name, value in other_node[kind].items() if name not in argument_names}:
                node[kind].update(new_arguments)
                changed = True
        changed = _widened(node, other_node) or changed
    return changed


def _widened(node: dict[str, Any], other_node: Mapping[str, Any]) -> bool:
    """Widen the range of calls of a node and narrow `per` to the arguments that all runs varied; whether it changed."""
    counts, other_counts = node.get("times", ONCE), other_node.get("times", ONCE)
    times = [min(counts[0], other_counts[0]), max(counts[1], other_counts[1])]
    sides = [set(side["per"]) for side in (node, other_node) if "per" in side]
    fields: dict[str, Any] = {"times": times} if times != ONCE else {}
    fields |= {"per": sorted(set.intersection(*sides))} if sides else {}
    changed = any(node.get(name) != value for name, value in fields.items())
    node.update(fields)
    return changed


def payload(graph: Mapping[str, Any], constants: Mapping[str, str | bool]) -> dict[str, Any]:
    """The nodes, edges and inputs of a plan as its memory holds them."""
    nodes, inputs = [], {}
    for number, node in enumerate(graph["nodes"], start=1):
        params: dict[str, Any] = {}
        for argument, sources in node["sources"].items():
            params[argument] = {"from": [f"n{source}" for source in sources]}
        for argument, (name, kind) in node["inputs"].items():
            if (place := f"{number}.{argument}") in constants:
                params[argument] = constants[place]
            else:
                params[argument], inputs[name] = {"input": name}, {"type": kind}
        repetition = {"repeat": _repeat(node)} if node.get("times", ONCE)[1] > 1 else {}
        nodes.append({"id": f"n{number}", "op": node["op"], "params": params, **repetition})
    edges = [{"from": f"n{source}", "to": f"n{to}", "kind": kind} for source, to, kind in graph["edges"]]
    schema = {"type": "object", "properties": inputs} if inputs else {}
    return {"inputs_schema": schema, "outputs_schema": {}, "nodes": nodes, "edges": edges}


def _repeat(node: Mapping[str, Any]) -> dict[str, Any]:
    least, most = node["times"]
    return {"least": least, "most": most, "per": node.get("per", [])}


def intent(graph: Mapping[str, Any]) -> str:
    """The steps in one line, tools of MCP by their own names: `get_order → refund`."""
    line = " → ".join(without_server(node["op"]) for node in graph["nodes"])
    return line if len(line) <= LONGEST_INTENT else line[: LONGEST_INTENT - 1] + "…"


def common(digests_by_run: Iterable[tuple[UUID, Mapping[str, str]]]) -> dict[str, str]:
    """The digests of arguments with one value in all runs, at least 3 of 2 cases; given (case, digests) of each run."""
    digests: dict[str, Counter[str]] = defaultdict(Counter)
    cases: dict[str, set[UUID]] = defaultdict(set)
    for case, run_digests in digests_by_run:
        for place, digest in run_digests.items():
            digests[place][digest] += 1
            cases[place].add(case)
    return {
        place: next(iter(counts))
        for place, counts in digests.items()
        if len(counts) == 1 and counts.total() >= HOLDING_RUNS and len(cases[place]) > 1 and "" not in counts
    }
