"""Commands of client programs that name a kind of thing and what is done with it: `shopctl refunds create --payment P`.

Their names and arguments say what those of a tool say: `create_refund(payment)`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from consolidation.learning.commands import programs
from consolidation.learning.runs.operations import singular
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.tool_names import READING, SHOWING, SUBCOMMANDS

LEAST_USES = 2
MOST_OPTIONS = 8
_VERBS = OF_TOOLS | SUBCOMMANDS | SHOWING
_WORD = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_LITERAL = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{0,30}|-[A-Za-z]")
_SECRET = re.compile(r"pass|secret|token|key|pin\b|auth|cred", re.IGNORECASE)  # options whose values are not told
_OF_SEVERAL = frozenset({"find", "list", "search"})
_TO_PEOPLE = frozenset({"reply", "respond"})


def begin_with_resource(arguments: Sequence[str]) -> bool:
    """Return whether a program's arguments begin with a kind of thing and a verb; a thing that is a verb, too
    (`order`, `migrate`), is one."""
    if len(arguments) < 2 or not all(map(_WORD.fullmatch, arguments[:2])) or arguments[0] in _VERBS:
        return False
    return arguments[1].split("-")[0] in _VERBS | READING


def is_of_resource(kind: str) -> bool:
    """Return whether a command kind is of such a program; those of known programs (`gh pr create`) are not."""
    program, _, rest = kind.partition(" ")
    is_known = program in programs.SUBCOMMANDS or kind.rpartition(" ")[0] in programs.DEEPER
    return rest.count(" ") == 1 and not is_known and begin_with_resource(rest.split())


def tool_name(kind: str) -> str:
    """Return a tool name that says the same, `set_order_address` of `shopctl orders set-address`; '' for others."""
    if not is_of_resource(kind):
        return ""
    _, things, done = kind.split()
    verb, *rest = done.split("-")
    thing = things if verb in _OF_SEVERAL else singular(things)
    return "_".join([verb, *(["to"] if verb in _TO_PEOPLE else []), thing.replace("-", "_"), *rest])


def arguments(called: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, dict[str, Any]]:
    """Return kind -> the arguments of its last command by name, of (kind, form, words) of the commands of a line."""
    given: dict[str, dict[str, Any]] = {}
    for kind, _, words in called:
        if is_of_resource(kind):
            pairs = list(_pairs(words, kind))
            thing = {singular(kind.split()[1]): value for option, value in reversed(pairs) if not option}
            given[kind] = {**thing, **{_name(option): value or True for option, value in pairs if option}}
    return given


def usual_call(form: str, uses: Sequence[Sequence[str]], may_name: Callable[[str], bool]) -> str:
    """Return how a command is called, from the words of one use in each run: `shopctl orders hold {order}`.

    An option that only some runs gave stands in brackets, a value that all gave is told where `may_name` allows it.
    '' for less than LEAST_USES.
    """
    if len(uses) < LEAST_USES:
        return ""
    thing = singular(form.split()[-2])
    given = [list(_pairs(words, form)) for words in uses]
    plain = Counter(len([value for option, value in each if not option]) for each in given).most_common(1)[0][0]
    options = Counter(option for each in given for option in {option for option, _ in each if option})
    parts = [f"{{{thing}}}", *["{name}"] * (plain - 1)] if plain else []
    for option in list(dict.fromkeys(option for each in given for option, _ in each if option))[:MOST_OPTIONS]:
        values = {value for each in given for name, value in each if name == option}
        part = option if values == {""} else f"{option} {_value(option, values, may_name)}"
        parts.append(part if options[option] == len(uses) else f"[{part}]")
    return " ".join([form, *parts])


def _value(option: str, values: set[str], may_name: Callable[[str], bool]) -> str:
    value = min(values)
    return value if len(values) == 1 and may_tell(option, value, may_name) else f"{{{_name(option)}}}"


def may_tell(option: str, value: str, may_name: Callable[[str], bool]) -> bool:
    """Return whether a value that all runs gave may be told: a plain word that is no secret."""
    return bool(_LITERAL.fullmatch(value)) and not _SECRET.search(option) and may_name(value)


def _name(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _pairs(words: Sequence[str], form: str) -> Iterator[tuple[str, str]]:
    """Yield (option, value) of what follows the verb of a command; ('', value) for an argument without an option.

    A short option before the first argument is a flag.
    """
    action = form.split()[-2:]
    rest = next((list(words[n:]) for n in range(2, len(words) + 1) if [*words[n - 2 : n]] == action), [])
    is_named = False
    while rest:
        word = rest.pop(0)
        option, _, value = word.partition("=")
        if _OPTION.fullmatch(option):
            takes_next = not value and rest and not rest[0].startswith("-") and (is_named or option.startswith("--"))
            yield option, value or (rest.pop(0) if takes_next else "")
        elif not word.startswith("-"):
            is_named = True
            yield "", word
