"""Rules about calls of one tool: conditions under which it is not to be called, and the calls that break them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.argument_calls import shown_before
from consolidation.learning.facts.shown_records import ShownRecords, keyed_values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import Language

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
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        return cls(row["of"], row["field"], row["test"], tuple(row["values"]))

    def to_row(self) -> dict[str, Any]:
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
        values, several = [code(value) for value in self.values], len(self.values) > 1
        if language == "zh":
            name = f"{'记录的' if self.of == 'record' else '参数'} {code(self.field)}"
            verb = {"is": "为", "is_not": "既不为" if several else "不为", "above": "大于", "below": "小于"}[self.test]
            return f"{name} {verb} {(' 也不为 ' if self.test == 'is_not' else ' 或 ').join(values)}"
        name = f"{code(self.field)} of the record" if self.of == "record" else f"the argument {code(self.field)}"
        verb = {"is": "", "is_not": " neither" if several else " not", "above": " above", "below": " below"}[self.test]
        return f"{name} is{verb} {(' nor ' if self.test == 'is_not' else ' or ').join(values)}"


@dataclass(frozen=True)
class CallRule:
    """The tool is not to be called when all conditions hold."""

    tool: str
    conditions: tuple[Condition, ...]

    def in_words(self, language: Language) -> str:
        """The rule as a sentence without its full stop."""
        parts = [condition.in_words(language) for condition in self.conditions]
        if language == "zh":
            return f"当{'，且'.join(parts)} 时，不要调用 {code(self.tool)}"
        return f"Do not call {code(self.tool)} when {' and '.join(parts)}"

    @property
    def tests(self) -> list[tuple[Of, str, Test]]:
        """(of, field, test) of its conditions, without the values."""
        return [(condition.of, condition.field, condition.test) for condition in self.conditions]

    @property
    def argument(self) -> str:
        """The first argument that it tests; '' for none."""
        return next((condition.field for condition in self.conditions if condition.of == "argument"), "")


def broken(rules: Sequence[CallRule], run: Run, call: Call, tools: ToolRules) -> list[CallRule]:
    """Return the rules that a call breaks, by its arguments and what the run has shown before it; by the whole run if
    the call is no step of it. A state that is unknown, or differs between records, breaks no rule."""
    return [rule for rule, breaks in verdicts(rules, run, call, tools).items() if breaks]


def verdicts(rules: Sequence[CallRule], run: Run, call: Call, tools: ToolRules) -> dict[CallRule, bool | None]:
    """Return for each rule about the tool whether the call breaks it; None: a value that the rule tests is unknown."""
    steps_before = next((n for n, step in enumerate(run.steps) if step is call), len(run.steps))
    records = _NamedRecords(replace(run, calls=run.steps[:steps_before], messages=()), call, tools)
    return {rule: _breaks(rule, call, records) for rule in rules if rule.tool == call.name}


def _breaks(rule: CallRule, call: Call, records: "_NamedRecords") -> bool | None:
    results: list[bool] = []
    for condition in sorted(rule.conditions, key=lambda test: test.of):  # arguments first: they need no records
        values = _sent(call, condition.field) if condition.of == "argument" else records.states(condition.field)
        if len(values) == 1:
            results.append(condition.accepts(min(values)))
        if False in results:
            return False
    return True if len(results) == len(rule.conditions) else None


class _NamedRecords:
    """The records that the arguments of a call name, as a run has shown them."""

    def __init__(self, run: Run, call: Call, tools: ToolRules) -> None:
        self._run, self._call, self._tools = run, call, tools
        self._keys = {key for _, key in keyed_values(call.arguments)}

    @cached_property
    def _records(self) -> ShownRecords:
        return shown_before(self._run, self._call, self._tools).records

    @cached_property
    def _answers(self) -> ShownRecords:
        """The results of calls that sent one of the keys: they need not repeat it."""
        answers = ShownRecords(set())
        for step in self._run.steps:
            if not step.failed and self._keys.intersection(key for _, key in keyed_values(step.arguments)):
                answers.add(step.parsed_result)
        return answers

    def states(self, field: str) -> frozenset[str]:
        """The states of this field, as last shown beside one of the keys, else in all answers to calls with a key."""
        shown = [self._records.states(key) for key in self._keys]
        beside_key = [
            field_states for state in shown for place, field_states in state.items() if place.partition(".")[2] == field
        ]
        states_shown = frozenset().union(*beside_key) or self._answers.states_by_field().get(field, frozenset())
        return frozenset(map(str.casefold, states_shown))


def _sent(call: Call, name: str) -> set[str]:
    """The value of an argument as text, the length of a list; empty for a missing or structured value."""
    value = call.arguments.get(name)
    if isinstance(value, bool):
        return {str(value).lower()}
    if isinstance(value, list):
        return {str(len(value))}
    return {str(value).strip().casefold()} if isinstance(value, str | int | float) and str(value).strip() else set()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
