"""Records in results: their states, by the values that name them, and sums of their numbers; search keys of values and
paths of arguments and fields as text.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from consolidation.learning.runs.privacy import may_be_person, names_somebody, safe
from consolidation.learning.runs.values import DEEPEST, ITEM, Path, joined_path, leaves

ARROW = " → "
LONGEST_NAME = 200
FIELD = re.compile(r"[A-Za-z_$][A-Za-z_$-]*[1-9]?|[\u3400-\u9fff]+")
_TELLING = re.compile(r"[\d@/]")


def key_of(leaf: Any) -> str:
    """Return the search key of a value; '' for booleans, short numbers, plain words and long texts."""
    if isinstance(leaf, bool):
        return ""
    number = isinstance(leaf, float) and leaf.is_integer()
    key = str(int(leaf) if number else leaf).strip().lower().lstrip("#")
    return key if 3 <= len(key) <= LONGEST_NAME and _TELLING.search(key) and len(key.split()) < 5 else ""


def keyed_values(arguments: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Return the path and the key of each value that has one."""
    return [(path, key) for path, leaf in leaves(arguments) if (key := key_of(leaf))]


def path_text(path: Path, maps: "set[Path] | frozenset[Path]" = frozenset()) -> str:
    """Return a path as text with `*` for keys that are ids or names: `payment_methods.*.id`.

    `maps`: paths of objects whose keys name things.
    """
    field = (n and path[:n] in maps for n in range(len(path)))
    return joined_path(
        tuple(
            key if key == ITEM or (FIELD.fullmatch(key) and not many) else "*"
            for key, many in zip(path, field, strict=True)
        )
    )


LONGEST_STATE = 40
MOST_WORDS = 3
MOST_STATES = 24  # of one record
MOST_SEEN = 8  # in one field: what has more in one run is a name or a text, and no state


class ShownRecords:
    """States of the records that these keys name, as the latest result with such a field showed them.

    A record is the object that holds the key as a value, or that stands under it. Its states are booleans and short
    words without digits, by `field of the key.field`: `order_id.status`. No details of persons. Of its numbers, and of
    those of objects directly in it (`flight_number.prices.economy`), all that were shown count.
    """

    def __init__(self, keys: Set[str]) -> None:
        self._keys = keys
        self._states: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        self._other_keys: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._states_by_field: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[str, dict[str, set[float]]] = defaultdict(lambda: defaultdict(set))

    def add(self, returned: Any) -> None:
        """Add the records in a result."""
        latest: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for record, names in records(returned):
            record_states = [*states(record)] if names else []
            for key, name in names:
                for field, state in record_states:
                    self._states_by_field[f"{name}.{field}"].add(state)
                    if key in self._keys:
                        latest[key][f"{name}.{field}"].add(state)
                if key in self._keys:
                    for field, number in numbers(record):
                        self._numbers[key][f"{name}.{field}"].add(number)
                    self._other_keys[key, name].update([other for other, _ in names if other != key][:1])
        for key, states_by_place in latest.items():
            self._states[key].update(
                {place: frozenset(values_shown) for place, values_shown in states_by_place.items()}
            )

    def forget(self, keys: Iterable[str]) -> None:
        """Drop what was shown of records that a call has changed since."""
        for key in keys:
            self._states.pop(key, None)

    def states(self, key: str) -> Mapping[str, frozenset[str]]:
        """Return the states of the record; without those of a field that holds the key in several records."""
        states_by_place = self._states.get(key, {})
        return {
            place: values_shown
            for place, values_shown in states_by_place.items()
            if len(self._other_keys[key, place.rpartition(".")[0]]) < 2
        }

    def numbers(self, key: str) -> Mapping[str, Set[float]]:
        """Return the numbers of the records with this key."""
        return self._numbers.get(key, {})

    def states_by_field(self) -> dict[str, frozenset[str]]:
        """Return all states that any record showed, by the field's name alone (`status`)."""
        by_field: dict[str, frozenset[str]] = {}
        for place, states in self._states_by_field.items():
            field = place.partition(".")[2]
            by_field[field] = by_field.get(field, frozenset()) | states
        return by_field

    def states_with_others(self, states: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, list[Sequence[str]]]:
        """Return these states, each with the others that its field showed; without fields of more than MOST_SEEN."""
        rows = ((place, record_states, self._states_by_field[place]) for place, (record_states,) in states.items())
        return {
            place: [record_states, sorted(field_states.difference(record_states))]
            for place, record_states, field_states in rows
            if len(field_states) <= MOST_SEEN
        }


def records(value: Any, under: Any = "", depth: int = 0) -> Iterator[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
    """Yield each object with the keys that name it, and the field that held each: `*` for one that it stands under."""
    if depth >= DEEPEST or not isinstance(value, dict | list):
        return
    if isinstance(value, list):
        for inner in value:
            yield from records(inner, "", depth + 1)
        return
    fields = ((str(name), inner) for name, inner in value.items() if not isinstance(inner, dict | list))
    keys = {key: name for name, inner in fields if FIELD.fullmatch(name) and (key := key_of(inner))}
    if (above := key_of(under)) and above not in keys:
        keys[above] = "*"
    yield value, [*keys.items()]
    for name, inner in value.items():
        yield from records(inner, name, depth + 1)


def states(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, state) of an object's fields that hold a boolean or a few short words; none about persons."""
    for n, (field, value) in enumerate(record.items()):
        if n >= MOST_STATES:
            return
        if not isinstance(value, bool | str) or not FIELD.fullmatch(field) or may_be_person(field):
            continue
        state = str(value).lower() if isinstance(value, bool) else value.strip()
        if (
            len(state) <= LONGEST_STATE
            and len(state.split()) <= MOST_WORDS
            and safe(state)
            and not names_somebody(state)
        ):
            yield field, state


def numbers(record: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield (field, number) of an object and of the objects directly in it."""
    for field, value in [*record.items()][:MOST_STATES]:
        inner = [*value.items()][:MOST_STATES] if isinstance(value, dict) else [("", value)]
        for below, number in inner if FIELD.fullmatch(field) else ():
            if isinstance(number, int | float) and not isinstance(number, bool) and "." not in str(below):
                yield f"{field}.{below}" if below else field, number


TIMES = " × "
SEPARATOR = ": "
CENT = 0.01
MOST_SUMS = 24  # of one argument
MOST_OPTIONS = 64  # values of one sum, where fields of several numbers were shown

Numbers = Callable[[str], Mapping[str, Set[float]]]  # of the records that a key names, by `field of the key.field`


def totals(arguments: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers among the arguments, those in a list together."""
    by_case: dict[str, float] = defaultdict(float)
    for path, leaf in leaves(arguments):
        if isinstance(leaf, int | float) and not isinstance(leaf, bool):
            by_case[path_text(path)] += leaf
    return dict(by_case)


def beside_sums(arguments: Mapping[str, Any], numbers: Numbers) -> dict[str, dict[str, int]]:
    """Return for each argument that names records the sums of their numbers, each also times a quantity (a number, or
    the length of a list), and whether an amount is less (-1), equal (0) or more (1): `amount: price × quantity`.

    Of a field that was shown with several numbers each counts.
    """
    amounts, quantities = totals(arguments), _quantities(arguments)
    by_source: dict[str, dict[str, int]] = defaultdict(dict)
    for argument, field, options in _sums(arguments, numbers) if amounts else ():
        for amount, total in amounts.items():
            by_source[argument][f"{amount}{SEPARATOR}{field}"] = _compared(total, options)
            for name, times in quantities.items():
                if name not in (_root(argument), _root(amount)) and len(by_source[argument]) < MOST_SUMS:
                    products = {times * option for option in options}
                    by_source[argument][f"{amount}{SEPARATOR}{field}{TIMES}{name}"] = _compared(total, products)
    return by_source


def _compared(total: float, options: Set[float]) -> int:
    if any(abs(total - option) < CENT for option in options):
        return 0
    return -1 if total < min(options) else 1


def _sums(arguments: Mapping[str, Any], numbers: Numbers) -> Iterator[tuple[str, str, set[float]]]:
    """Yield argument, field and sums above 0. A lower field is named by an argument's value: `prices.{cabin}`."""
    words = {value: f"{{{name}}}" for name, value in arguments.items() if isinstance(value, str)}
    keys: dict[str, list[str]] = defaultdict(list)
    for path, leaf in leaves(arguments):
        if isinstance(leaf, str) and (key := key_of(leaf)):
            keys[path_text(path)].append(key)
    for argument, argument_keys in keys.items():
        numbers_by_key = [numbers(key) for key in argument_keys]
        for place in sorted(set(numbers_by_key[0]).intersection(*numbers_by_key[1:])):
            _, first, *below = place.split(".")
            options = _added([state[place] for state in numbers_by_key]) if words.keys() >= set(below) else set()
            if options and min(options) > 0:
                yield argument, ".".join([first, *(words[name] for name in below)]), options


def _added(addends: Sequence[Set[float]]) -> set[float]:
    """Return all sums of one number from each set; empty where there are more than MOST_OPTIONS."""
    options = {0.0}
    for values in addends:
        options = {total + number for total in options for number in values}
        if len(options) > MOST_OPTIONS:
            return set()
    return options


def _quantities(arguments: Mapping[str, Any]) -> dict[str, int]:
    lists = {name: len(value) for name, value in arguments.items() if isinstance(value, list) and value}
    integers = {name: value for name, value in arguments.items() if type(value) is int and value > 0}
    return lists | integers


def _root(argument: str) -> str:
    return argument.partition(ITEM)[0].partition(".")[0]
