"""Commands that name a resource and an action, as tools do: `shopctl refunds create --payment P` of a client program is
`create_refund(payment)`, `bin/queue retry mail` of a project's own script is `retry_queue(queue)`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from consolidation.learning.commands import programs, purposes
from consolidation.learning.runs.operations import singular
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.tool_words import READING, SHOWING, SUBCOMMANDS

LEAST_USES = 2
MOST_OPTIONS = 8
_VERBS = OF_TOOLS | SUBCOMMANDS | SHOWING
_WORD = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_LITERAL = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{0,30}|-[A-Za-z]")
_SECRET = re.compile(r"pass|secret|token|key|pin\b|auth|cred", re.IGNORECASE)  # options whose values are not told
_SEARCH_VERBS = frozenset({"find", "list", "search"})
_TO_PEOPLE = frozenset({"reply", "respond"})
_OWN_SCRIPT = re.compile(r"(?:[\w.-]+/)+([a-z]{2,}(?:-[a-z]+)*)")
# Scripts that run any task of a project, and what is done in development: neither names a thing of a service.
_ANY_TASK = frozenset(
    {"dev", "run", "task", "tasks", "make", "manage", "do", "x", "cli", "tool", "tools", "main", "app"}
)
_OF_DEVELOPMENT = re.compile(
    r"run|exec|execute|init|setup|bootstrap|install|uninstall|generate|gen|regenerate|codegen|migrate|create-migration"
    r"|seed|build|compile|test|lint|fmt|format|fix|vet|tidy|plan|apply|validate|synth|preview|deploy|bump|up|down|watch|serve"
)


def begin_with_resource(arguments: Sequence[str]) -> bool:
    """Return whether a program's arguments begin with a resource and a verb; a first word that is a known verb, too
    (`order`, `migrate`), is no resource."""
    if len(arguments) < 2 or not all(map(_WORD.fullmatch, arguments[:2])) or arguments[0] in _VERBS:
        return False
    return arguments[1].split("-")[0] in _VERBS | READING


def is_of_resource(kind: str) -> bool:
    """Return whether a command kind names a resource and an action; those of known programs (`gh pr create`) do not."""
    program, _, rest = kind.partition(" ")
    is_known = program in programs.SUBCOMMANDS or kind.rpartition(" ")[0] in programs.DEEPER
    if rest.count(" ") == 1:
        return not is_known and begin_with_resource(rest.split())
    return bool(_thing_of_script(program)) and rest in _VERBS and not _OF_DEVELOPMENT.fullmatch(rest)


def _thing_of_script(program: str) -> str:
    """Return the kind of thing that a script of the project is named after: `queue` of `bin/queue`; '' for a verb."""
    match = _OWN_SCRIPT.fullmatch(program)
    thing = match[1] if match else ""
    is_task = thing in _ANY_TASK | programs.INSTALLED or _OF_DEVELOPMENT.fullmatch(thing) or purposes.is_known(thing)
    return "" if is_task or program in programs.SUBCOMMANDS else thing


def _action(kind: str) -> tuple[str, str, list[str]]:
    """Return (resource, action, the words of the command up to both)."""
    program, *rest = kind.split()
    return (rest[0], rest[1], rest) if len(rest) == 2 else (_thing_of_script(program), rest[0], rest)


def tool_name(kind: str) -> str:
    """Return a tool name that says the same, `set_order_address` of `shopctl orders set-address`; '' for others."""
    if not is_of_resource(kind):
        return ""
    things, action, _ = _action(kind)
    verb, *rest = action.split("-")
    thing = things if verb in _SEARCH_VERBS else singular(things)
    return "_".join([verb, *(["to"] if verb in _TO_PEOPLE else []), thing.replace("-", "_"), *rest])


def arguments(commands: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, dict[str, Any]]:
    """Return kind -> the arguments of its last command by name, of (kind, form, words) of the commands of a line."""
    arguments_by_kind: dict[str, dict[str, Any]] = {}
    for kind, _, words in commands:
        if is_of_resource(kind):
            pairs = list(_pairs(words, kind))
            thing = {singular(_action(kind)[0]): value for option, value in reversed(pairs) if not option}
            arguments_by_kind[kind] = {**thing, **{_name(option): value or True for option, value in pairs if option}}
    return arguments_by_kind


def usual_call(kind: str, form: str, uses: Sequence[Sequence[str]], may_name: Callable[[str], bool]) -> str:
    """Return how a command is called, from the words of one use in each run: `shopctl orders hold {order}`.

    An option that only some runs gave stands in brackets, a value that all gave is told where `may_name` allows it.
    '' for less than LEAST_USES.
    """
    if len(uses) < LEAST_USES:
        return ""
    pairs_by_use = [list(_pairs(words, kind)) for words in uses]
    options = Counter(option for pairs in pairs_by_use for option in {option for option, _ in pairs if option})
    parts = _usual_arguments(
        [[value for option, value in pairs if not option] for pairs in pairs_by_use], kind, may_name
    )
    for option in list(dict.fromkeys(option for pairs in pairs_by_use for option, _ in pairs if option))[:MOST_OPTIONS]:
        values = {value for pairs in pairs_by_use for name, value in pairs if name == option}
        part = option if values == {""} else f"{option} {_value(option, values, may_name)}"
        parts.append(part if options[option] == len(uses) else f"[{part}]")
    return " ".join([form, *parts])


def _usual_arguments(
    arguments_by_use: Sequence[Sequence[str]], kind: str, may_name: Callable[[str], bool]
) -> list[str]:
    """Return the arguments without options, as many as most uses have: the word that all gave, or a placeholder."""
    usual = Counter(map(len, arguments_by_use)).most_common(1)[0][0]
    columns = [{use[n] for use in arguments_by_use if n < len(use)} for n in range(usual)]
    names = [f"{{{singular(_action(kind)[0])}}}", *["{name}"] * usual]
    return [
        min(column) if len(column) == 1 and may_tell("", min(column), may_name) else name
        for column, name in zip(columns, names, strict=False)
    ]


def _value(option: str, values: set[str], may_name: Callable[[str], bool]) -> str:
    value = min(values)
    return value if len(values) == 1 and may_tell(option, value, may_name) else f"{{{_name(option)}}}"


def may_tell(option: str, value: str, may_name: Callable[[str], bool]) -> bool:
    """Return whether a value that all runs gave may be told: a plain word that is no secret."""
    return bool(_LITERAL.fullmatch(value)) and not _SECRET.search(option) and may_name(value)


def _name(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _pairs(words: Sequence[str], kind: str) -> Iterator[tuple[str, str]]:
    """Yield (option, value) of what follows the verb of a command; ('', value) for an argument without an option.

    A short option before the first argument is a flag.
    """
    action = _action(kind)[2]
    ends = (n for n in range(1 + len(action), len(words) + 1) if [*words[n - len(action) : n]] == action)
    rest = list(words[end:]) if (end := next(ends, 0)) else []
    has_argument = False
    while rest:
        word = rest.pop(0)
        option, _, value = word.partition("=")
        if _OPTION.fullmatch(option):
            takes_next = (
                not value and rest and not rest[0].startswith("-") and (has_argument or option.startswith("--"))
            )
            yield option, value or (rest.pop(0) if takes_next else "")
        elif not word.startswith("-"):
            has_argument = True
            yield "", word
