"""Amounts of a call beside sums of shown numbers, perhaps times a quantity: prices of the flights × passengers."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from consolidation.learning.facts.argument_paths import key_of, named
from consolidation.learning.runs.values import ITEM, leaves

TIMES = " × "
BESIDE = ": "
CENT = 0.01
MOST_SUMS = 24  # of one argument
MOST_OPTIONS = 64  # values of one sum, where fields of several numbers were shown

Numbers = Callable[[str], Mapping[str, Set[float]]]  # of the records that a key names, by `field of the key.field`


def totals(arguments: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers among the arguments, those in a list together."""
    by_case: dict[str, float] = defaultdict(float)
    for path, leaf in leaves(arguments):
        if isinstance(leaf, int | float) and not isinstance(leaf, bool):
            by_case[named(path)] += leaf
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
            by_source[argument][f"{amount}{BESIDE}{field}"] = _compared(total, options)
            for name, times in quantities.items():
                if name not in (_root(argument), _root(amount)) and len(by_source[argument]) < MOST_SUMS:
                    several = {times * option for option in options}
                    by_source[argument][f"{amount}{BESIDE}{field}{TIMES}{name}"] = _compared(total, several)
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
            keys[named(path)].append(key)
    for argument, each in keys.items():
        shown = [numbers(key) for key in each]
        for place in sorted(set(shown[0]).intersection(*shown[1:])):
            _, first, *below = place.split(".")
            options = _added([state[place] for state in shown]) if words.keys() >= set(below) else set()
            if options and min(options) > 0:
                yield argument, ".".join([first, *(words[name] for name in below)]), options


def _added(each: Sequence[Set[float]]) -> set[float]:
    """Return what one number of each adds up to; nothing if that may be too much."""
    options = {0.0}
    for values in each:
        options = {total + number for total in options for number in values}
        if len(options) > MOST_OPTIONS:
            return set()
    return options


def _quantities(arguments: Mapping[str, Any]) -> dict[str, int]:
    lists = {name: len(value) for name, value in arguments.items() if isinstance(value, list) and value}
    whole = {name: value for name, value in arguments.items() if type(value) is int and value > 0}
    return lists | whole


def _root(argument: str) -> str:
    return argument.partition(ITEM)[0].partition(".")[0]
