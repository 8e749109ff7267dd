"""Values of effect calls, argument by argument, and every place where each occurred before. No value is kept."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.effects.effects import services_apart
from consolidation.learning.facts.shown_records import (
    ARROW,
    LONGEST_NAME,
    ShownRecords,
    beside_sums,
    given,
    key_of,
    named,
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
    `read`: the tools that had answered; `worked`: the call returned no error; `beside`: of an argument that is a list,
    the other arguments that are, and whether they are as long; `states`: by field, those last shown of the records that
    the values name, and all others that the run showed; `sums`: of numbers of these records, beside which an amount is
    less (-1), equal (0) or more (1); `together`: other arguments, and whether one answer had shown both.
    """

    places: tuple[frozenset[str], ...]
    read: frozenset[str]
    worked: bool
    beside: Mapping[str, bool] = field(default_factory=dict)
    states: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    sums: Mapping[str, int] = field(default_factory=dict)
    together: Mapping[str, bool] = field(default_factory=dict)
    tool: str = ""
    argument: str = ""

    @classmethod
    def of_row(cls, kept: Mapping[str, Any]) -> Self:
        """Build it from the plain JSON values of `kept`."""
        places, read = tuple(map(frozenset, kept["places"])), frozenset(kept["read"])
        counted = {name: kept.get(name, {}) for name in COUNTED}
        return cls(places, read, bool(kept["worked"]), **counted)

    def kept(self) -> dict[str, Any]:
        """Return plain JSON values, without what there is nothing of."""
        counted = {name: dict(getattr(self, name)) for name in COUNTED if getattr(self, name)}
        return {"places": [*map(sorted, self.places)], "read": sorted(self.read), "worked": self.worked, **counted}

    def comes_from(self, source: str) -> bool:
        """Return whether every value had occurred in the source."""
        return all(source in places for places in self.places)

    def misses(self, source: str, other: str) -> bool:
        """Return whether a value had occurred in `other` (NOWHERE: in no place) and not in `source`."""
        return any(
            source not in places and (other in places if other != NOWHERE else not places) for places in self.places
        )


def argument_calls(run: "Run", rules: "ToolRules") -> list[ArgumentCall]:
    """Return every effect call, argument by argument, with values that name one thing: an id, an address, a date.

    Requests and client programs of services in command lines are calls, too.
    """
    run = services_apart(run, rules)
    acting = [call for call in run.steps if _acts(call, rules)]
    wanted = {key for call in acting for _, key in given(call.arguments)}
    if not wanted:
        return []
    known = ShownBefore(run, wanted)
    uses = [used for call in run.steps for used in known.call(call, acts=call in acting)]
    return [replace(used, states=known.records.with_others(used.states)) for used in uses]


def shown_before(run: "Run", call: "Call", rules: "ToolRules") -> "ShownBefore":
    """Return what the run so far has shown of the values of a call that is about to be made."""
    known = ShownBefore(run, {key for _, key in given(call.arguments)})
    known.read(services_apart(run, rules).steps, rules)
    return known


def beside(arguments: Mapping[str, Any], argument: str) -> dict[str, bool]:
    """Return the other arguments that are lists, and whether they are as long; nothing if this one is no list."""
    lists = {name: len(value) for name, value in arguments.items() if isinstance(value, list)}
    own = lists.pop(argument, None)
    return {} if own is None else {name: length == own for name, length in sorted(lists.items())}


def _acts(call: "Call", rules: "ToolRules") -> bool:
    """Return whether a call is an effect with arguments; of command lines only those of services have them."""
    has_arguments = is_of_service(call.name) if call.via else not rules.runs_commands(call.name)
    return has_arguments and rules.is_effect(call.name)


class ShownBefore:
    """Where the values of effect calls occurred, and of which records, up to a point of the run."""

    def __init__(self, run: "Run", wanted: set[str]) -> None:
        self._wanted = wanted
        self._several = [key for key in wanted if not _TOKEN.fullmatch(key)]
        messages = [message for message in run.messages if message.speaker != roles.ASSISTANT and message.text]
        self._coming = sorted(messages, key=lambda message: -message.position)
        self._places: dict[str, set[str]] = defaultdict(set)
        self._read: set[str] = set()
        self._sent: set[str] = set()
        self._cut = False
        self._answers: list[set[str]] = []
        self.records = ShownRecords(wanted)

    def read(self, calls: "Iterable[Call]", rules: "ToolRules") -> None:
        """Read these calls and all messages."""
        for call in calls:
            if not call.failed:
                self._see(call, acts=_acts(call, rules))
        for message in self._coming:
            self._hear(message)

    def places(self, value: Any) -> frozenset[str] | None:
        """Return where a value occurred; None: nothing can be said, as of a value that occurred nowhere, if an earlier
        call worked with it or a text was cut."""
        key = key_of(value)
        places = self._places.get(key, set())
        untold = not places and (self._cut or key in self._sent)
        return None if not key or untold or len(places) > MOST_PLACES else frozenset(places)

    def states(self, value: Any) -> Mapping[str, frozenset[str]]:
        """Return the states of the record that a value names, as they were last shown."""
        return self.records.states(key_of(value))

    def together(self, arguments: Mapping[str, Any]) -> dict[str, dict[str, bool]]:
        """Return of each argument and each later one, whether one answer had shown both; those of lists that are as
        long, one by one. Nothing of values that were not shown at all, or that somebody named."""
        keys: dict[str, list[str]] = defaultdict(list)
        for path, key in given(arguments):
            keys[named(path)].append(key)
        sources = {MESSAGE, INSTRUCTIONS}
        known = {key for answer in self._answers for key in answer if not self._places[key] & sources}
        shown = {name: each for name, each in keys.items() if known.issuperset(each)}
        by_argument: dict[str, dict[str, bool]] = defaultdict(dict)
        for one, other in combinations([*shown][:MOST_TOGETHER], 2):
            pairs = _pairs(one, shown[one], other, shown[other])
            if pairs:
                by_argument[one][other] = all(any(pair <= answer for answer in self._answers) for pair in pairs)
        return by_argument

    def call(self, call: "Call", *, acts: bool) -> Iterator[ArgumentCall]:
        """Read the messages before the call, yield its arguments if it acts, then read its result."""
        while self._coming and self._coming[-1].position < call.position:
            self._hear(self._coming.pop())
        if acts and len(call.name) <= LONGEST_NAME:
            yield from self._use(call)
        if not call.failed:
            self._see(call, acts=acts)

    def _use(self, call: "Call") -> Iterator[ArgumentCall]:
        by_argument: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        states: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path, key in given(call.arguments):
            for place, shown_at in self.records.states(key).items():
                states[named(path)][place] |= shown_at
            places = self._places.get(key, set())
            if len(places) <= MOST_PLACES and (places or not self._cut):
                by_argument[named(path)].add(tuple(sorted(places)))
        amounts = beside_sums(call.arguments, self.records.numbers)
        together = self.together(call.arguments)
        for argument, values_seen in by_argument.items():
            if len(values_seen) <= MOST_VALUES and len(argument) <= LONGEST_NAME:
                yield ArgumentCall(
                    places=tuple(map(frozenset, sorted(values_seen))),
                    read=frozenset(self._read),
                    worked=not call.failed,
                    beside=beside(call.arguments, argument.removesuffix(ITEM)),
                    states={place: [sorted(shown_at)] for place, shown_at in states[argument].items()},
                    sums=amounts.get(argument, {}),
                    together=together.get(argument, {}),
                    tool=call.name,
                    argument=argument,
                )

    def _hear(self, message: "Message") -> None:
        place = MESSAGE if message.speaker == roles.USER else INSTRUCTIONS
        self._cut |= len(message.text) > LONGEST_TEXT
        self._find(message.text, place)

    def _see(self, call: "Call", *, acts: bool) -> None:
        """Add the places of a result's values; one that repeats an argument of the call is no source of it. What is
        known of the records that a call changed is what it returned of them."""
        given_keys = {key for _, key in given(call.arguments)}
        self.records.forget(given_keys if acts else ())
        self.records.see(call.returned)
        returned = leaves(call.returned, MOST_LEAVES)
        self._cut |= len(returned) >= MOST_LEAVES or (call.result is None and call.ok is not False)
        self._read.add(call.name)
        self._sent |= given_keys & self._wanted
        many = maps(returned)
        shown = set() if acts else given_keys & self._wanted
        self._answers.append(shown)
        for path, leaf in returned:
            place = f"{call.name}{ARROW}{named(path, many)}" if path else call.name
            if isinstance(leaf, str) and " " in leaf:
                shown |= self._find(leaf, place, without=given_keys)
            elif (key := key_of(leaf)) in self._wanted:
                shown.add(key)
                self._places[key].update([place] if key not in given_keys else ())

    def _find(self, text: str, place: str, without: "set[str] | frozenset[str]" = frozenset()) -> set[str]:
        low = text[:LONGEST_TEXT].lower()
        words = {word.strip(".:-/") for word in _TOKEN.findall(low)}
        keys = (words & self._wanted) | {key for key in self._several if key in low}
        for key in keys - without:
            self._places[key].add(place)
        return keys


def _pairs(one: str, keys: Sequence[str], other: str, others: Sequence[str]) -> list[set[str]]:
    """Return which values belong together: of two lists one by one, of anything else each with each."""
    if ITEM in one and ITEM in other:
        return [{a, b} for a, b in zip(keys, others, strict=False)] if len(keys) == len(others) else []
    return [{a, b} for a in keys for b in others]


def kept(calls: list[ArgumentCall]) -> list[dict[str, Any]]:
    """Return the calls of one argument as plain JSON values, equal ones once, at most MOST_CALLS."""
    kept_calls = [call.kept() for call in calls]
    return [one for n, one in enumerate(kept_calls) if one not in kept_calls[:n]][:MOST_CALLS]
