"""Rules about calls of one tool: conditions under which it is not to be called, and the calls that break them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.argument_calls import shown_before
from consolidation.learning.facts.argument_paths import given
from consolidation.learning.facts.findings import Language
from consolidation.learning.facts.shown_records import ShownRecords
from consolidation.learning.runs.run import Call, Run

Of = Literal["argument", "record"]
Test = Literal["is", "is_not", "above", "below"]
COMPARING = ("above", "below")


@dataclass(frozen=True)
class Condition:
    """A test of an argument of the call, or of a field of the record that its arguments name.

    `values`: lower case, one of which it is; of `above` and `below` a single number. A list has its length.
    """

    of: Of
    field: str
    test: Test
    values: tuple[str, ...]

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        return cls(kept["of"], kept["field"], kept["test"], tuple(kept["values"]))

    def kept(self) -> dict[str, Any]:
        return {"of": self.of, "field": self.field, "test": self.test, "values": list(self.values)}

    def accepts(self, value: str) -> bool:
        """Whether it holds for a value."""
        if self.test in COMPARING:
            number, bound = _number(value), _number(self.values[0])
            if number is None or bound is None:
                return False
            return number > bound if self.test == "above" else number < bound
        return (value in self.values) == (self.test == "is")

    def in_words(self, language: Language) -> str:
        said, several = [code(value) for value in self.values], len(self.values) > 1
        if language == "zh":
            name = f"{'记录的' if self.of == 'record' else '参数'} {code(self.field)}"
            verb = {"is": "为", "is_not": "既不为" if several else "不为", "above": "大于", "below": "小于"}[self.test]
            return f"{name} {verb} {(' 也不为 ' if self.test == 'is_not' else ' 或 ').join(said)}"
        name = f"{code(self.field)} of the record" if self.of == "record" else f"the argument {code(self.field)}"
        verb = {"is": "is", "is_not": "is neither" if several else "is not", "above": "is above", "below": "is below"}
        return f"{name} {verb[self.test]} {(' nor ' if self.test == 'is_not' else ' or ').join(said)}"


@dataclass(frozen=True)
class CallRule:
    """The tool is not to be called when all conditions hold."""

    tool: str
    conditions: tuple[Condition, ...]

    def in_words(self, language: Language) -> str:
        """The rule as a sentence without its stop."""
        parts = [condition.in_words(language) for condition in self.conditions]
        if language == "zh":
            return f"当{'，且'.join(parts)} 时，不要调用 {code(self.tool)}"
        return f"Do not call {code(self.tool)} when {' and '.join(parts)}"

    @property
    def argument(self) -> str:
        """The first argument that it tests; '' for none."""
        return next((one.field for one in self.conditions if one.of == "argument"), "")


def broken(rules: Sequence[CallRule], run: Run, call: Call, tools: ToolRules) -> list[CallRule]:
    """Return the rules that a call breaks, by what it sends and what the run has shown before it; of one that is no
    step of the run, by all of it. What is not known, or differs between records, breaks nothing."""
    meant = [rule for rule in rules if rule.tool == call.name and _holds(rule, "argument", call.arguments, None)]
    if not meant:
        return []
    before = next((n for n, step in enumerate(run.steps) if step is call), len(run.steps))
    records = shown_before(replace(run, calls=run.steps[:before], messages=()), call, tools).records
    return [rule for rule in meant if _holds(rule, "record", call.arguments, records)]


def _holds(rule: CallRule, of: Of, arguments: Mapping[str, Any], records: ShownRecords | None) -> bool:
    """Whether all its conditions on arguments, or on records, hold."""
    for condition in rule.conditions:
        if condition.of != of:
            continue
        sent = _sent(arguments.get(condition.field))
        known = sent if records is None else _of_record(condition.field, arguments, records)
        if len(known) != 1 or not condition.accepts(min(known)):
            return False
    return True


def _sent(value: Any) -> set[str]:
    """The value of an argument as text, of a list its length; empty for what has none."""
    if isinstance(value, bool):
        return {str(value).lower()}
    if isinstance(value, list):
        return {str(len(value))}
    return {str(value).strip().casefold()} if isinstance(value, str | int | float) and str(value).strip() else set()


def _of_record(field: str, arguments: Mapping[str, Any], records: ShownRecords) -> frozenset[str]:
    """The states of this field in the records that the arguments name, else in all that the run has shown."""
    named: frozenset[str] = frozenset()
    for _, key in given(arguments):
        shown = records.states(key)
        named = named.union(*(states for place, states in shown.items() if place.partition(".")[2] == field))
    return frozenset(map(str.casefold, named or records.seen().get(field, frozenset())))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
