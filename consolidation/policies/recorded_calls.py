"""The finished runs of a scope: which tools they call with which arguments, what records show, which rules they break.

Without values of persons, and no value that is not a choice among few.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.facts.call_rules import CallRule, verdicts
from consolidation.learning.facts.shown_records import MOST_SEEN, ShownRecords, states
from consolidation.learning.runs.run import Run
from consolidation.models import RunProfile
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode

MOST_RUNS = 300  # the latest
NUMBER, LIST, TEXT = "number", "list", "text"
MOST_TOOLS, MOST_ARGUMENTS, MOST_FIELDS = 60, 20, 60
LEAST_CASES = 3  # that hold a word before the model is told of it
Cases = dict[tuple[str, ...], set[str]]
Fields = Mapping[str, Sequence[str]]  # field -> the few values that it has


@dataclass(frozen=True)
class Counts:
    """Cases that called the tool of a rule and show what the rule needs: all, and those that broke it by whether they
    ended well."""

    calling: int
    well: int
    ill: int


@dataclass(frozen=True)
class RecordedCalls:
    runs: Sequence[Run]
    rules: ToolRules

    @classmethod
    def of(cls, scope: str, level: int) -> "RecordedCalls":
        """Of the latest runs of the scope up to a level."""
        rows = RunProfile.objects.filter(scope=scope, sensitivity__lte=level).order_by("-at", "pk")
        ids = list(rows.values_list("pk", flat=True)[:MOST_RUNS])
        return cls(recorded.runs(ids), tool_rules(Episode.objects.filter(pk__in=ids).only("pk", "environment")))

    @cached_property
    def arguments(self) -> dict[str, dict[str, set[str]]]:
        """By tool and argument the kinds of its values, and those that are short words of several cases."""
        kinds: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        words: Cases = defaultdict(set)
        for run in self.runs:
            for call in run.steps:
                if self.rules.runs_commands(call.name):
                    continue
                for name, value in call.arguments.items():
                    kinds[call.name][name].add(_kind(value))
                for name, word in states(call.arguments):
                    words[call.name, name, word.casefold()].add(run.thread)
        for tool, name, word in _common(words):
            kinds[tool][name].add(word)
        return kinds

    @cached_property
    def fields(self) -> Fields:
        """Of records, those that hold one of few words, each in several cases."""
        words: Cases = defaultdict(set)
        for run in self.runs:
            records = ShownRecords(set())
            for call in run.steps:
                records.add(None if call.failed else call.parsed_result)
            for field, shown in records.states_by_field().items():
                for word in shown:
                    words[field, word.casefold()].add(run.thread)
        words_of_fields: dict[str, list[str]] = defaultdict(list)
        for field, word in _common(words):
            words_of_fields[field].append(word)
        return {field: shown for field, shown in words_of_fields.items() if len(shown) <= MOST_SEEN}

    def described(self) -> str:
        """The tools with their arguments, and the fields of records, as the model reads them."""
        lines = []
        for tool, arguments in sorted(self.arguments.items())[:MOST_TOOLS]:
            listed = ", ".join(f"{name} ({_values(held)})" for name, held in sorted(arguments.items())[:MOST_ARGUMENTS])
            lines.append(f"- {tool}: {listed or '-'}")
        fields = [f"- {field}: {' | '.join(shown)}" for field, shown in list(self.fields.items())[:MOST_FIELDS]]
        return "\n".join(["TOOLS", *lines, "", "FIELDS OF RECORDS", *fields])

    def counts(self, rule: CallRule) -> Counts:
        """By cases; of calls that the tool refused none broke it."""
        calling, well, ill = set[str](), set[str](), set[str]()
        for run in self.runs:
            calls = [call for call in run.steps if call.name == rule.tool and not call.failed]
            breaks = [verdicts([rule], run, call, self.rules)[rule] for call in calls]
            calling.update([run.thread] if breaks.count(None) < len(breaks) else [])
            (well if run.succeeded else ill).update([run.thread] if True in breaks else [])
        return Counts(len(calling), len(well), len(ill))


def _common(words: Cases) -> list[tuple[str, ...]]:
    """Those of several cases: a word of one may name a person or a thing."""
    return sorted(word for word, cases in words.items() if len(cases) >= LEAST_CASES)


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return LIST
    return NUMBER if isinstance(value, int | float) and not isinstance(value, bool) else TEXT


def _values(held: set[str]) -> str:
    """The few words that an argument has, else its kind."""
    words = sorted(held - {NUMBER, LIST, TEXT})
    return " | ".join(words) if 0 < len(words) <= MOST_SEEN else " or ".join(sorted(held - set(words)))
