"""The shape in which a command is usually called: `bin/test <path>`, without values of any run."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from uuid import UUID

from consolidation.learning.commands.forms import called
from consolidation.learning.commands.shell import LONGEST_LINE, command_words
from consolidation.learning.commands.wrappers import program_name, stripped

LEAST_CALLS, LEAST_CASES = 3, 2
MOST_PARTS = 5
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z0-9-]{0,23})(=.*)?", re.DOTALL)
_PATH = re.compile(r"/|\.[A-Za-z]{1,4}(?:::|$)")


def usual_shape(form: str, calls: Iterable[tuple[UUID, str]]) -> str:
    """Return the shape of more than half of the calls, given as (case, command line); '' when there is none such."""
    cases: dict[str, set[UUID]] = {}
    counted: Counter[str] = Counter()
    for case, line in calls:
        shape = _shape(form, line)
        if shape:
            counted[shape] += 1
            cases.setdefault(shape, set()).add(case)
    shape, number = next(iter(counted.most_common(1)), ("", 0))
    enough = number >= LEAST_CALLS and 2 * number > counted.total() and len(cases[shape]) >= LEAST_CASES
    return shape if enough and shape != form else ""


def _shape(form: str, line: str) -> str:
    """Return the form with its options and a sign for each argument; '' where the line does not call it so."""
    try:
        commands = [stripped(words) for words, _ in command_words(line[:LONGEST_LINE])]
    except ValueError:  # an open quote, say
        return ""
    *_, last = form.split()
    for words in commands:
        ends = [n for n, word in enumerate(words) if program_name(word) == last or word == last]
        if ends and form in {name for _, name in called(" ".join(words[: ends[0] + 1]))}:
            parts = [part for part, _ in groupby(_parts(words[ends[0] + 1 :]))]
            return " ".join([form, *parts]) if len(parts) <= MOST_PARTS else ""
    return ""


def _parts(arguments: list[str]) -> Iterator[str]:
    for word in arguments:
        option = _OPTION.fullmatch(word)
        if option:
            yield f"{option[1]}=<value>" if option[2] else option[1]
        else:
            yield "<path>" if _PATH.search(word) else "<name>"
