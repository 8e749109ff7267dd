"""When a skill is right: field values (`tier: gold`) of the records it acted on that others do not have, called signs.

Records are joined by their id. Values are shown that three runs hold, where they separate more clearly than chance.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.holdings import Fact, Record
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import ITEM, leaves, spelled

LEAST_RUNS = 3
SHARE = 0.8
Z = 1.645
MOST = 3
NEAR = 2  # keys: of an object, and of objects directly inside it


@dataclass(frozen=True)
class OtherValue(Counted):
    """Another value of a condition's field, on which `tool` acted in `cases` cases that ended well."""

    field: str
    value: str
    tool: str
    cases: int


@dataclass(frozen=True)
class Condition(Counted):
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
    set_by_runs = {
        name for run in scope.shown_by for call in run.steps if call.name in tools for name in call.arguments
    }
    all_signs = [sign for tool in tools for sign in _of_tool(scope, tool) if sign.field not in set_by_runs]
    return sorted(all_signs, key=lambda s: (-s.lift, -s.runs, s.tool, s.field, s.value))[:MOST]


def _of_tool(scope: Scope, acting: str) -> list[Condition]:
    own, others, holding = _units(scope, acting)
    by_tool = Counter(tool for facts in own for tool in {fact[0] for fact in facts})
    rest = Counter(tool for facts in others for tool in {fact[0] for fact in facts})
    held, elsewhere = _held(own), _held(others)
    counted = [
        Condition(*fact, n, by_tool[fact[0]], elsewhere[fact], rest[fact[0]], acting, ids=ids_of(holding[fact]))
        for fact, n in held.items()
        if n >= LEAST_RUNS and len({run.thread for run in holding[fact]}) >= 2
    ]
    clear = [
        s
        for s in counted
        if s.runs >= SHARE * s.of and s.of * 2 >= len(own) and s.of_others >= LEAST_RUNS and s.lift > 1
    ]
    values = Counter((sign.tool, sign.field) for sign in clear)
    return _adding([sign for sign in clear if values[sign.tool, sign.field] == 1], own, others)


def _adding(
    found: Sequence[Condition], own: Sequence[frozenset[Fact]], others: Sequence[frozenset[Fact]]
) -> list[Condition]:
    """Keep the condition with the highest lift, and others that still separate among the records that meet it."""
    kept: list[Condition] = []
    for sign in sorted(found, key=lambda s: (-s.lift, -s.runs, s.tool, s.field, s.value)):
        known = {holding.fact for holding in kept}
        mine, rest = ([facts for facts in side if known <= facts] for side in (own, others))
        n, m = _held(mine)[sign.fact], _held(rest)[sign.fact]
        if not kept or (
            len(rest) >= LEAST_RUNS and replace(sign, runs=n, of=len(mine), others=m, of_others=len(rest)).lift > 1
        ):
            kept.append(sign)
    return kept


def _held(units: Iterable[frozenset[Fact]]) -> Counter[Fact]:
    return Counter(fact for facts in units for fact in facts)


def _units(scope: Scope, acting: str) -> tuple[list[frozenset[Fact]], list[frozenset[Fact]], dict[Fact, list[Run]]]:
    """Collect facts by success: (those of records acted on, those of other records, fact -> runs of the pattern)."""
    own: list[frozenset[Fact]] = []
    others: list[frozenset[Fact]] = []
    holding: dict[Fact, list[Run]] = defaultdict(list)
    for run in scope.all:
        if not run.succeeded:
            continue
        known = records(scope, run)
        mine = run.id in scope.ids
        if not acting:
            facts = _facts(known if mine else [r for r in known if r.acted] or known)
            (own if mine else others).append(facts)
        else:
            facts = _facts(r for r in known if acting in r.acted)
            if mine and facts:
                own.append(facts)
            rest = _facts(r for r in known if r.acted and acting not in r.acted) or _facts(
                r for r in known if not r.acted
            )
            if rest and (not mine or not facts or rest != facts):
                others.append(rest - facts if mine else rest)
        for fact in facts if mine else ():
            holding[fact].append(run)
    return own, others, holding


def _facts(records: Iterable[Record]) -> frozenset[Fact]:
    return frozenset(fact for record in records for fact in record.facts)


def other_value(scope: Scope, signs: Sequence[Condition]) -> OtherValue | None:
    """Return for the first of these conditions that has one the other value of its field in most cases, with the other
    effect that acts most on it; None: no other value in LEAST_RUNS cases."""
    acted = [sign for sign in signs if sign.acted]
    return next((other for sign in acted if (other := _other_value(scope, sign, acted))), None)


def _other_value(scope: Scope, sign: Condition, acted: Sequence[Condition]) -> OtherValue | None:
    mine = {other.value for other in acted if (other.tool, other.field) == (sign.tool, sign.field)}
    by_value: dict[str, list[tuple[Run, str]]] = defaultdict(list)
    for run in scope.all:
        for record in records(scope, run) if run.succeeded and run.id not in scope.ids else ():
            for tool, name, value in record.facts:
                if (tool, name) == (sign.tool, sign.field) and value not in mine:
                    by_value[value].extend((run, acting) for acting in record.acted)
    clear = {value: seen for value, seen in by_value.items() if len({run.thread for run, _ in seen}) >= LEAST_RUNS}
    if not clear:
        return None
    value = max(clear, key=lambda v: (len(clear[v]), v))
    acting = Counter(tool for _, tool in clear[value] if tool not in scope.effects(scope.runs[0]))
    if not acting:
        return None
    most = min(acting, key=lambda tool: (-acting[tool], tool))
    runs = [run for run, tool in clear[value] if tool == most]
    return OtherValue(sign.field, value, most, len({run.thread for run in runs}), ids=ids_of(runs))


def records(scope: Scope, run: Run) -> list[Record]:
    """Return the records that the run looked up by id, with the tools that later acted on them; cached in the scope."""
    if run.id not in scope.looked_up:
        scope.looked_up[run.id] = _looked_up(scope, run)
    return scope.looked_up[run.id]


def _looked_up(scope: Scope, run: Run) -> list[Record]:
    known: dict[str, Record] = {}
    records_seen: list[Record] = []
    for call in run.steps:
        if scope.changes(call.name):
            for leaf in {str(leaf) for _, leaf in leaves(call.arguments) if is_id(leaf)} & known.keys():
                known[leaf].tried.add(call.name)
                known[leaf].acted.update([] if call.failed else [call.name])
        elif call.failed:
            continue
        elif isinstance(call.returned, dict) and (name := _id_of(call)):
            record = Record(call.name, frozenset((call.name, *fact) for fact in told(scope, call)))
            if name not in known:
                records_seen.append(record)
                known[name] = record
            elif not known[name].acted:
                known[name].facts = record.facts
    return records_seen


def _id_of(call: Call) -> str:
    """Return the id by which a record was looked up: one that the result repeats, else the only one; or ''."""
    held = {str(leaf) for leaf in call.returned.values() if isinstance(leaf, str | int)}
    asked = [str(leaf) for leaf in call.arguments.values() if is_id(leaf)]
    return next((leaf for leaf in asked if leaf in held), asked[0] if len(asked) == 1 else "")


def is_id(leaf: object) -> bool:
    """Return whether a value may be an id: a text or number with a digit in its first 80 characters."""
    return isinstance(leaf, str | int) and not isinstance(leaf, bool) and any(map(str.isdigit, str(leaf)[:80]))


def told(scope: Scope, call: Call) -> Iterator[tuple[str, str]]:
    """Yield (field, value) of a call's result, as far as it may be shown."""
    for path, leaf in leaves(call.returned):
        is_near = 0 < len(path) <= NEAR and ITEM not in path and isinstance(leaf, str | bool)
        if is_near and scope.may_show(call.name, "result", path, leaf):
            yield spelled(scope.shown(path)), str(leaf).lower() if isinstance(leaf, bool) else str(leaf)
