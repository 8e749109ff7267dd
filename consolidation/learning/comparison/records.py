"""Signs that a skill is right: field values (`tier: gold`) of the records it acted on that other records do not have.

Records are joined by their id. A value is shown if three runs hold it and it separates the records beyond chance.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.holdings import Fact, Record
from consolidation.learning.runs.lines import CountedResult, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import ITEM, joined_path, leaves

LEAST_RUNS = 3
SHARE = 0.8
Z = 1.645
MOST = 3
NEAR = 2  # keys: of an object, and of objects directly inside it


@dataclass(frozen=True)
class OtherValue(CountedResult):
    """Another value of a condition's field, on which `tool` acted in `cases` cases that ended well."""

    field: str
    value: str
    tool: str
    cases: int


@dataclass(frozen=True)
class Condition(CountedResult):
    """A condition: a field value that is more likely among the records acted on.

    `runs` of `of` successes acted on a record with such a value (or, without an effect, saw one); of the other records
    `others` of `of_others` have it. `acted`: the tool that acted, '' for none.
    """

    tool: str
    field: str
    value: str
    runs: int
    of: int
    others: int
    of_others: int
    acted: str = ""

    @property
    def fact(self) -> Fact:
        """The condition as (tool, field, value)."""
        return self.tool, self.field, self.value

    @property
    def lift(self) -> float:
        """Lower one-sided 95 % bound of the ratio of the two shares.

        Log method for a risk ratio (Katz et al. 1978) with 0.5 added to the counts and 1 to the totals.
        """
        a, n, b, m = self.runs + 0.5, self.of + 1, self.others + 0.5, self.of_others + 1
        spread = math.sqrt(max(0.0, 1 / a - 1 / n + 1 / b - 1 / m))
        return math.exp(math.log(a / n) - math.log(b / m) - Z * spread)


def signs(scope: Scope) -> list[Condition]:
    """Return up to MOST conditions that separate, highest lift first; a field with two such values is left out."""
    tools = sorted(scope.effects(scope.runs[0])) or [""]
    argument_names = {
        name for run in scope.examples for call in run.steps if call.name in tools for name in call.arguments
    }
    all_signs = [sign for tool in tools for sign in _of_tool(scope, tool) if sign.field not in argument_names]
    return sorted(all_signs, key=lambda s: (-s.lift, -s.runs, s.tool, s.field, s.value))[:MOST]


def _of_tool(scope: Scope, effect: str) -> list[Condition]:
    own_facts, other_facts, runs_by_fact = _facts_by_success(scope, effect)
    by_tool = Counter(tool for facts in own_facts for tool in {fact[0] for fact in facts})
    other_by_tool = Counter(tool for facts in other_facts for tool in {fact[0] for fact in facts})
    own_counts, other_counts = _fact_counts(own_facts), _fact_counts(other_facts)
    conditions = [
        Condition(
            *fact,
            n,
            by_tool[fact[0]],
            other_counts[fact],
            other_by_tool[fact[0]],
            effect,
            ids=ids_of(runs_by_fact[fact]),
        )
        for fact, n in own_counts.items()
        if n >= LEAST_RUNS and len({run.thread for run in runs_by_fact[fact]}) >= 2
    ]
    clear = [
        s
        for s in conditions
        if s.runs >= SHARE * s.of and s.of * 2 >= len(own_facts) and s.of_others >= LEAST_RUNS and s.lift > 1
    ]
    values = Counter((sign.tool, sign.field) for sign in clear)
    return _separating([sign for sign in clear if values[sign.tool, sign.field] == 1], own_facts, other_facts)


def _separating(
    candidates: Sequence[Condition], own_facts: Sequence[frozenset[Fact]], other_facts: Sequence[frozenset[Fact]]
) -> list[Condition]:
    """Keep the condition with the highest lift, and others that still separate among the records that meet it."""
    conditions: list[Condition] = []
    for sign in sorted(candidates, key=lambda s: (-s.lift, -s.runs, s.tool, s.field, s.value)):
        facts_before = {condition.fact for condition in conditions}
        own_rest, other_rest = ([facts for facts in side if facts_before <= facts] for side in (own_facts, other_facts))
        n, m = _fact_counts(own_rest)[sign.fact], _fact_counts(other_rest)[sign.fact]
        if not conditions or (
            len(other_rest) >= LEAST_RUNS
            and replace(sign, runs=n, of=len(own_rest), others=m, of_others=len(other_rest)).lift > 1
        ):
            conditions.append(sign)
    return conditions


def _fact_counts(units: Iterable[frozenset[Fact]]) -> Counter[Fact]:
    return Counter(fact for facts in units for fact in facts)


def _facts_by_success(
    scope: Scope, effect: str
) -> tuple[list[frozenset[Fact]], list[frozenset[Fact]], dict[Fact, list[Run]]]:
    """Collect facts by success: (those of records acted on, those of other records, fact -> runs of the pattern)."""
    own_facts: list[frozenset[Fact]] = []
    other_facts: list[frozenset[Fact]] = []
    runs_by_fact: dict[Fact, list[Run]] = defaultdict(list)
    for run in scope.all:
        if not run.succeeded:
            continue
        run_records = records(scope, run)
        is_own = run.id in scope.ids
        if not effect:
            facts = _facts(run_records if is_own else [r for r in run_records if r.changing_tools] or run_records)
            (own_facts if is_own else other_facts).append(facts)
        else:
            facts = _facts(r for r in run_records if effect in r.changing_tools)
            if is_own and facts:
                own_facts.append(facts)
            rest_facts = _facts(
                r for r in run_records if r.changing_tools and effect not in r.changing_tools
            ) or _facts(r for r in run_records if not r.changing_tools)
            if rest_facts and (not is_own or not facts or rest_facts != facts):
                other_facts.append(rest_facts - facts if is_own else rest_facts)
        for fact in facts if is_own else ():
            runs_by_fact[fact].append(run)
    return own_facts, other_facts, runs_by_fact


def _facts(records: Iterable[Record]) -> frozenset[Fact]:
    return frozenset(fact for record in records for fact in record.facts)


def other_value(scope: Scope, signs: Sequence[Condition]) -> OtherValue | None:
    """Return the most frequent other value of a condition's field, for the first condition with one, and the effect
    that acts on it most often; None: no other value in LEAST_RUNS cases."""
    effect_signs = [sign for sign in signs if sign.acted]
    return next((other for sign in effect_signs if (other := _other_value(scope, sign, effect_signs))), None)


def _other_value(scope: Scope, sign: Condition, effect_signs: Sequence[Condition]) -> OtherValue | None:
    own_values = {other.value for other in effect_signs if (other.tool, other.field) == (sign.tool, sign.field)}
    by_value: dict[str, list[tuple[Run, str]]] = defaultdict(list)
    for run in scope.all:
        for record in records(scope, run) if run.succeeded and run.id not in scope.ids else ():
            for tool, name, value in record.facts:
                if (tool, name) == (sign.tool, sign.field) and value not in own_values:
                    by_value[value].extend((run, effects) for effects in record.changing_tools)
    frequent = {
        value: pairs for value, pairs in by_value.items() if len({run.thread for run, _ in pairs}) >= LEAST_RUNS
    }
    if not frequent:
        return None
    value = max(frequent, key=lambda v: (len(frequent[v]), v))
    effects = Counter(tool for _, tool in frequent[value] if tool not in scope.effects(scope.runs[0]))
    if not effects:
        return None
    tool_of_most = min(effects, key=lambda tool: (-effects[tool], tool))
    runs = [run for run, tool in frequent[value] if tool == tool_of_most]
    return OtherValue(sign.field, value, tool_of_most, len({run.thread for run in runs}), ids=ids_of(runs))


def records(scope: Scope, run: Run) -> list[Record]:
    """Return the records that the run looked up by id, with the tools that later acted on them; cached in the scope."""
    if run.id not in scope.records_by_run:
        scope.records_by_run[run.id] = _lookup_records(scope, run)
    return scope.records_by_run[run.id]


def _lookup_records(scope: Scope, run: Run) -> list[Record]:
    by_id: dict[str, Record] = {}
    all_records: list[Record] = []
    for call in run.steps:
        if scope.changes(call.name):
            for leaf in {str(leaf) for _, leaf in leaves(call.arguments) if is_id(leaf)} & by_id.keys():
                by_id[leaf].called_tools.add(call.name)
                by_id[leaf].changing_tools.update([] if call.failed else [call.name])
        elif call.failed:
            continue
        elif isinstance(call.parsed_result, dict) and (name := _id_of(call)):
            record = Record(call.name, frozenset((call.name, *fact) for fact in result_fields(scope, call)))
            if name not in by_id:
                all_records.append(record)
                by_id[name] = record
            elif not by_id[name].changing_tools:
                by_id[name].facts = record.facts
    return all_records


def _id_of(call: Call) -> str:
    """Return the id by which a record was looked up: one that the result repeats, else the only one; or ''."""
    result_values = {str(leaf) for leaf in call.parsed_result.values() if isinstance(leaf, str | int)}
    sent_ids = [str(leaf) for leaf in call.arguments.values() if is_id(leaf)]
    return next((leaf for leaf in sent_ids if leaf in result_values), sent_ids[0] if len(sent_ids) == 1 else "")


def is_id(leaf: object) -> bool:
    """Return whether a value may be an id: a text or number with a digit in its first 80 characters."""
    return isinstance(leaf, str | int) and not isinstance(leaf, bool) and any(map(str.isdigit, str(leaf)[:80]))


def result_fields(scope: Scope, call: Call) -> Iterator[tuple[str, str]]:
    """Yield (field, value) of a call's result, as far as it may be shown."""
    for path, leaf in leaves(call.parsed_result):
        is_near = 0 < len(path) <= NEAR and ITEM not in path and isinstance(leaf, str | bool)
        if is_near and scope.may_show(call.name, "result", path, leaf):
            yield joined_path(scope.shown(path)), str(leaf).lower() if isinstance(leaf, bool) else str(leaf)
