"""Effect calls, argument by argument: for each value the places where it occurred before. No value is stored."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.effects.effects import with_service_commands
from consolidation.learning.facts.shown_records import (
    ARROW,
    LONGEST_NAME,
    ShownRecords,
    beside_sums,
    key_of,
    keyed_values,
    path_text,
)
from consolidation.learning.runs.values import ITEM, leaves, maps
from memories.values import roles

if TYPE_CHECKING:
    from consolidation.learning.effects.tool_rules import ToolRules
    from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Message, Run

MESSAGE = "(message)"  # what the user said
INSTRUCTIONS = "(instructions)"  # messages of other roles than user and agent
NOWHERE = "(nowhere)"  # nothing had shown the value before
MOST_LEAVES = 3_000  # of a result
MOST_PLACES = 24  # a value that occurs in more places is left out
MOST_VALUES = 12  # of one argument in one call
MOST_CALLS = 8  # of one argument in one run
LONGEST_TEXT = 30_000
MOST_TOGETHER = 8  # arguments of one call
COUNTED = ("beside", "states", "sums", "together")
_TOKEN = re.compile(r"[A-Za-z0-9@][A-Za-z0-9@._+/:-]*")


@dataclass(frozen=True)
class ArgumentCall:
    """One call with the values of one argument; `tool` and `argument` are '' where it was read from a row of these.

    `places`: for each value where it occurred before (`tool → field`, MESSAGE, INSTRUCTIONS), empty for nowhere;
    `answered_tools`: tools that had answered; `worked`: the call returned no error; `beside`: of a list, the other
    arguments that are lists, and whether they are as long; `states`: by field, those last shown of the records that the
    values name, and all others that the run showed; `sums`: of their numbers: whether an amount is less (-1), equal (0)
    or more (1); `together`: other arguments, and whether one answer had shown both.
    """

    places: tuple[frozenset[str], ...]
    answered_tools: frozenset[str]
    worked: bool
    beside: Mapping[str, bool] = field(default_factory=dict)
    states: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    sums: Mapping[str, int] = field(default_factory=dict)
    together: Mapping[str, bool] = field(default_factory=dict)
    tool: str = ""
    argument: str = ""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Build it from the plain JSON values of `to_row`."""
        places, answered_tools = tuple(map(frozenset, row["places"])), frozenset(row["read"])
        counts = {name: row.get(name, {}) for name in COUNTED}
        return cls(places, answered_tools, bool(row["worked"]), **counts)

    def to_row(self) -> dict[str, Any]:
        """Return plain JSON values, without empty mappings."""
        counts = {name: dict(getattr(self, name)) for name in COUNTED if getattr(self, name)}
        return {
            "places": [*map(sorted, self.places)],
            "read": sorted(self.answered_tools),
            "worked": self.worked,
            **counts,
        }

    def comes_from(self, source: str) -> bool:
        """Return whether every value had occurred in the source."""
        return all(source in places for places in self.places)

    def misses(self, source: str, other: str) -> bool:
        """Return whether a value had occurred in `other` (NOWHERE: in no place) and not in `source`."""
        return any(
            source not in places and (other in places if other != NOWHERE else not places) for places in self.places
        )


def argument_calls(run: "Run", rules: "ToolRules") -> list[ArgumentCall]:
    """Return every effect call, one item per argument, with values that name one thing: an id, an address, a date.

    Requests and client programs of services in command lines are calls, too.
    """
    run = with_service_commands(run, rules)
    effect_calls = [call for call in run.steps if _acts(call, rules)]
    keys = {key for call in effect_calls for _, key in keyed_values(call.arguments)}
    if not keys:
        return []
    values = ShownBefore(run, keys)
    items = [item for call in run.steps for item in values.read_call(call, acts=call in effect_calls)]
    return [replace(item, states=values.records.states_with_others(item.states)) for item in items]


def shown_before(run: "Run", call: "Call", rules: "ToolRules") -> "ShownBefore":
    """Return what the run so far has shown of the values of a call that is about to be made."""
    values = ShownBefore(run, {key for _, key in keyed_values(call.arguments)})
    values.read(with_service_commands(run, rules).steps, rules)
    return values


def list_lengths(arguments: Mapping[str, Any], argument: str) -> dict[str, bool]:
    """Return the other arguments that are lists, and whether they are as long; nothing if this one is no list."""
    lists = {name: len(value) for name, value in arguments.items() if isinstance(value, list)}
    length = lists.pop(argument, None)
    return {} if length is None else {name: other_length == length for name, other_length in sorted(lists.items())}


def _acts(call: "Call", rules: "ToolRules") -> bool:
    """Return whether a call is an effect with arguments; of command lines only those of services have them."""
    has_arguments = is_of_service(call.name) if call.via else not rules.runs_commands(call.name)
    return has_arguments and rules.is_effect(call.name)


class ShownBefore:
    """Where the values of effect calls occurred, and of which records, up to a point of the run."""

    def __init__(self, run: "Run", keys: set[str]) -> None:
        self._keys = keys
        self._phrases = [key for key in keys if not _TOKEN.fullmatch(key)]
        messages = [message for message in run.messages if message.role != roles.ASSISTANT and message.text]
        self._messages_ahead = sorted(messages, key=lambda message: -message.position)
        self._places: dict[str, set[str]] = defaultdict(set)
        self._answered_tools: set[str] = set()
        self._sent_keys: set[str] = set()
        self._is_cut = False
        self._keys_by_answer: list[set[str]] = []
        self.records = ShownRecords(keys)

    def read(self, calls: "Iterable[Call]", rules: "ToolRules") -> None:
        """Read these calls and all messages."""
        for call in calls:
            if not call.failed:
                self._read_result(call, acts=_acts(call, rules))
        for message in self._messages_ahead:
            self._read_message(message)

    def places(self, value: Any) -> frozenset[str] | None:
        """Return where a value occurred; None where that is unknown: it has no key, has too many places, or occurred
        nowhere although an earlier call worked with it or a text was cut."""
        key = key_of(value)
        places = self._places.get(key, set())
        is_unknown = not places and (self._is_cut or key in self._sent_keys)
        return None if not key or is_unknown or len(places) > MOST_PLACES else frozenset(places)

    def states(self, value: Any) -> Mapping[str, frozenset[str]]:
        """Return the states of the record that a value names, as they were last shown."""
        return self.records.states(key_of(value))

    def shown_together(self, arguments: Mapping[str, Any]) -> dict[str, dict[str, bool]]:
        """Return for each argument and each later one whether one answer had shown both; lists of one length are
        compared item by item. Values that no answer showed, or that a message named, are left out."""
        keys_by_argument: dict[str, list[str]] = defaultdict(list)
        for path, key in keyed_values(arguments):
            keys_by_argument[path_text(path)].append(key)
        sources = {MESSAGE, INSTRUCTIONS}
        result_keys = {key for answer in self._keys_by_answer for key in answer if not self._places[key] & sources}
        shown_keys = {name: keys for name, keys in keys_by_argument.items() if result_keys.issuperset(keys)}
        by_argument: dict[str, dict[str, bool]] = defaultdict(dict)
        for name, other in combinations([*shown_keys][:MOST_TOGETHER], 2):
            pairs = _pairs(name, shown_keys[name], other, shown_keys[other])
            if pairs:
                by_argument[name][other] = all(any(pair <= answer for answer in self._keys_by_answer) for pair in pairs)
        return by_argument

    def read_call(self, call: "Call", *, acts: bool) -> Iterator[ArgumentCall]:
        """Read the messages before the call, yield its arguments if it is an effect, then read its result."""
        while self._messages_ahead and self._messages_ahead[-1].position < call.position:
            self._read_message(self._messages_ahead.pop())
        if acts and len(call.name) <= LONGEST_NAME:
            yield from self._argument_calls(call)
        if not call.failed:
            self._read_result(call, acts=acts)

    def _argument_calls(self, call: "Call") -> Iterator[ArgumentCall]:
        by_argument: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        states: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path, key in keyed_values(call.arguments):
            for place, record_states in self.records.states(key).items():
                states[path_text(path)][place] |= record_states
            places = self._places.get(key, set())
            if len(places) <= MOST_PLACES and (places or not self._is_cut):
                by_argument[path_text(path)].add(tuple(sorted(places)))
        sums = beside_sums(call.arguments, self.records.numbers)
        together_with = self.shown_together(call.arguments)
        for argument, place_sets in by_argument.items():
            if len(place_sets) <= MOST_VALUES and len(argument) <= LONGEST_NAME:
                yield ArgumentCall(
                    places=tuple(map(frozenset, sorted(place_sets))),
                    answered_tools=frozenset(self._answered_tools),
                    worked=not call.failed,
                    beside=list_lengths(call.arguments, argument.removesuffix(ITEM)),
                    states={place: [sorted(record_states)] for place, record_states in states[argument].items()},
                    sums=sums.get(argument, {}),
                    together=together_with.get(argument, {}),
                    tool=call.name,
                    argument=argument,
                )

    def _read_message(self, message: "Message") -> None:
        place = MESSAGE if message.role == roles.USER else INSTRUCTIONS
        self._is_cut |= len(message.text) > LONGEST_TEXT
        self._add_places(message.text, place)

    def _read_result(self, call: "Call", *, acts: bool) -> None:
        """Add the places of a result's values; one that repeats an argument of the call is no source of it. An effect
        replaces the known states of the records that it names by what it returned."""
        given_keys = {key for _, key in keyed_values(call.arguments)}
        self.records.forget(given_keys if acts else ())
        self.records.add(call.parsed_result)
        result_leaves = leaves(call.parsed_result, MOST_LEAVES)
        self._is_cut |= len(result_leaves) >= MOST_LEAVES or (call.result is None and call.ok is not False)
        self._answered_tools.add(call.name)
        self._sent_keys |= given_keys & self._keys
        map_paths = maps(result_leaves)
        shown_keys = set() if acts else given_keys & self._keys
        self._keys_by_answer.append(shown_keys)
        for path, leaf in result_leaves:
            place = f"{call.name}{ARROW}{path_text(path, map_paths)}" if path else call.name
            if isinstance(leaf, str) and " " in leaf:
                shown_keys |= self._add_places(leaf, place, without=given_keys)
            elif (key := key_of(leaf)) in self._keys:
                shown_keys.add(key)
                self._places[key].update([place] if key not in given_keys else ())

    def _add_places(self, text: str, place: str, without: "set[str] | frozenset[str]" = frozenset()) -> set[str]:
        lower_text = text[:LONGEST_TEXT].lower()
        words = {word.strip(".:-/") for word in _TOKEN.findall(lower_text)}
        keys = (words & self._keys) | {key for key in self._phrases if key in lower_text}
        for key in keys - without:
            self._places[key].add(place)
        return keys


def _pairs(name: str, keys: Sequence[str], other: str, other_keys: Sequence[str]) -> list[set[str]]:
    """Return which values belong together: of two lists item by item, otherwise every combination."""
    if ITEM in name and ITEM in other:
        return [{a, b} for a, b in zip(keys, other_keys, strict=False)] if len(keys) == len(other_keys) else []
    return [{a, b} for a in keys for b in other_keys]


def json_values(calls: list[ArgumentCall]) -> list[dict[str, Any]]:
    """Return the calls of one argument as plain JSON values, equal ones once, at most MOST_CALLS."""
    rows = [call.to_row() for call in calls]
    return [row for n, row in enumerate(rows) if row not in rows[:n]][:MOST_CALLS]
