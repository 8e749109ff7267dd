"""Values of a call that is about to be made, beside where calls of this tool that worked took theirs from.

Other runs give counts and names of fields, never a value.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.argument_calls import INSTRUCTIONS, MESSAGE, ShownBefore, list_lengths, shown_before
from consolidation.learning.facts.argument_habits import Habits
from consolidation.learning.facts.shown_records import ARROW, SEPARATOR, beside_sums, path_text, totals
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import DEEPEST, ITEM, Path, Scalar
from memories.values.exceptions import within

MOST_NOTES = 6
MOST_VALUES = 200
LONGEST_SHOWN = 60
COMMON = 0.5  # of the cases that worked: a place that held the values of so many is no wrong one
_SPOKEN = re.compile(r"(?!\d+$)[\d\s()+.,/:TZ-]+")  # a date, a time, a telephone number: people say them in other forms

Note = dict[str, str]
Notes = Iterator[Note]


def notes(run: Run, call: Call, habits: Mapping[str, Habits], rules: ToolRules) -> list[Note]:
    """What differs from nearly all calls that worked, at most MOST_NOTES. Empty for a run that has looked nothing up:
    perhaps its calls were left out."""
    if not habits or not any(not step.failed and step.result is not None for step in run.steps):
        return []
    before = shown_before(run, call, rules)
    amounts = _sums(call.arguments, before, habits)
    notes_shown = [*_lengths(call.arguments, habits), *amounts, *_together(call.arguments, before, habits)]
    for n, (pointer, path, value) in enumerate(_values(call.arguments, "/arguments", ())):
        if n >= MOST_VALUES or len(notes_shown) >= MOST_NOTES:
            break
        habits_of_argument = habits.get(path_text(path))
        if habits_of_argument:
            value_notes = [
                _told(path_text(path), value, before, habits_of_argument),
                *_states(value, before, habits_of_argument),
            ]
            notes_shown += [{"pointer": pointer, "note": note} for note in value_notes if note]
    return notes_shown[:MOST_NOTES]


def _told(argument: str, value: Scalar, before: ShownBefore, habits: Habits) -> str:
    """'' where nothing is unusual, or where the user or the instructions named the value."""
    places = before.places(value)
    usual = habits.from_results
    shown_value = f"{code(argument)} {code(str(value)[:LONGEST_SHOWN])}"
    if places is None or places & {MESSAGE, INSTRUCTIONS}:
        return ""
    if not places and habits.are_shown and isinstance(value, str) and not _SPOKEN.fullmatch(value):
        usual_source = f", by {_place(usual[0])}" if usual else ""
        counts = f"{habits.shown} of {habits.of} cases in which this call worked"
        return f"{shown_value} was not shown in this run; in {counts} what it sent had been{usual_source}"
    if not (places and usual) or any(habits.sources.get(place, 0) > COMMON * habits.of for place in places):
        return ""
    counts = f"{habits.sources[usual[0]]} of {habits.of} cases in which this call worked"
    return f"{shown_value} comes from {_place(min(places, key=len))}; in {counts} it came from {_place(usual[0])}"


def _states(value: Scalar, before: ShownBefore, habits: Habits) -> Iterator[str]:
    """States of the record with which nearly no call worked; only states that the run has shown."""
    for place, shown in before.states(value).items():
        state = min(shown)
        if len(shown) == 1 and (note := habits.usual_states(place, state)):
            usual, cases, of = note
            record = f"{code(place.rpartition('.')[2])} of {code(str(value)[:LONGEST_SHOWN])}"
            counts = f"in {cases} of {of} cases in which this call worked it was {' or '.join(map(code, usual))}"
            yield f"{record} was {code(state)}; {counts}"


def _lengths(arguments: Mapping[str, Any], habits: Mapping[str, Habits]) -> Notes:
    """Lists that were equally long in nearly every call that worked, and are not."""
    order = [name for name, value in arguments.items() if isinstance(value, list)]
    noted_pairs = set()
    for argument, argument_habits in sorted(habits.items()):
        name = argument.removesuffix(ITEM)
        even = list_lengths(arguments, name)
        for other in argument_habits.equal_lists():
            first, last = sorted(
                (name, other), key=lambda argument_name: order.index(argument_name) if argument_name in order else -1
            )
            if even.get(other, True) or (first, last) in noted_pairs:
                continue
            noted_pairs.add((first, last))
            cases, of = argument_habits.beside[other]
            sizes = f"{code(first)} has {len(arguments[first])} and {code(last)} {len(arguments[last])}"
            counts = f"{cases} of {of} cases in which this call worked"
            yield {"pointer": within("/arguments", last), "note": f"{sizes}; in {counts} they had equally many"}


def _sums(arguments: Mapping[str, Any], before: ShownBefore, habits: Mapping[str, Habits]) -> Notes:
    """Amounts below a sum of shown numbers that nearly every call that worked reached."""
    for argument, signs in beside_sums(arguments, before.records.numbers).items():
        below = [name for name, sign in signs.items() if sign < 0]
        if argument in habits and (note := habits[argument].missed_sum(below)):
            name, cases, of = note
            amount, _, formula = name.partition(SEPARATOR)
            sizes = (
                f"{code(amount)} is {totals(arguments)[amount]:g} in all, less than {code(formula)} of {code(argument)}"
            )
            counts = f"in {cases} of {of} cases in which this call worked it was not less"
            yield {"pointer": within("/arguments", amount.partition(ITEM)[0]), "note": f"{sizes}; {counts}"}


def _together(arguments: Mapping[str, Any], before: ShownBefore, habits: Mapping[str, Habits]) -> Notes:
    """Values of two arguments that the run has shown, but never both in one answer."""
    for argument, shown_together in before.shown_together(arguments).items():
        for other in [name for name, shown in shown_together.items() if not shown and argument in habits]:
            if habits[argument].shown_together(other):
                cases, of = habits[argument].together[other]
                apart = f"{code(argument)} and {code(other)} were not shown together in this run"
                counts = f"in {cases} of {of} cases in which this call worked they had been"
                yield {"pointer": within("/arguments", argument.partition(ITEM)[0]), "note": f"{apart}; {counts}"}


def _place(place: str) -> str:
    tool, _, path = place.partition(ARROW)
    return f"{code(tool)}{ARROW}{code(path)}" if path.strip("[].*") else code(tool)


def _values(value: Any, pointer: str, path: Path) -> Iterator[tuple[str, Path, Scalar]]:
    """The single values inside, each with the JSON pointer to it."""
    if isinstance(value, str | int | float):
        yield pointer, path, value
    elif len(path) < DEEPEST and isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, within(pointer, key), (*path, str(key)))
    elif len(path) < DEEPEST and isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _values(inner, within(pointer, n), (*path, ITEM))
