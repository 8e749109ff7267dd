"""Command kinds of a command line: `pytest`, `git commit`, `sed -i`, `cat >`.

A kind is a program with its subcommand, without paths, values and options, except the option or redirection that makes
a reading program write. A `curl` that asks a service elsewhere is its request (`POST a.example/users`, `requests`), a
client of a database its statement (`UPDATE orders`), or `sh sqlite3` for queries. Whether a kind is read-only can be
told from its name alone.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from consolidation.learning.commands import git, programs, purposes, requests, resources
from consolidation.learning.commands.programs import GOALS, NEUTRAL, OF_FILES, PYTHON, SHELLS, SUBCOMMANDS
from consolidation.learning.commands.request_code import command_words_with_requests
from consolidation.learning.commands.shell import LONGEST_LINE
from consolidation.learning.commands.wrappers import (
    DEEPEST,
    ansible_module,
    inner_command,
    kind_name,
    program_name,
    script_file,
    shell_script,
    without_options,
    without_wrappers,
)
from consolidation.learning.runs import operations
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.tool_words import SHOWING
from memories.lexicon.tool_words import SUBCOMMANDS as VERBS

_SUBCOMMAND = re.compile(r"[a-z][A-Za-z0-9:_-]*")
_DOTTED = re.compile(r"[a-z]\w*(?:\.\w+)*")  # ecto.gen.migration of mix
_PROGRAM = re.compile(r"(?:(?:vendor/)?bin/)?[a-z][a-z0-9_-]*")
_STATEMENT_OPTION = re.compile(r"-c(?=\S)|-e(?=\S)|--(?:command|execute)=")
_SHOWS = re.compile(
    r"\.(?:schema|tables|indexes|databases|fullschema|dump)\b|\\(?:d\S*|l)(?:\s|$)"
)  # of clients of databases
_DRY_RUN = re.compile(r"--dry-run(?:=(?!none$)\S+)?")
_GROUP = re.compile(r"-[a-zA-Z]+")  # of short options


@lru_cache(maxsize=20_000)
def kinds(line: str, depth: int = 0) -> tuple[str, ...]:
    """Return the kinds of a command line in order, each once; empty when it cannot be parsed.

    Preparing commands (`cd`, `export`, ...) count only where nothing else is run, all of them as `cd`.
    """
    try:
        kinds_with_neutral = [
            kind
            for words, target in command_words_with_requests(line[:LONGEST_LINE])
            for kind in kinds_of(words, target, depth)
        ]
    except ValueError:  # an open quote, say
        return ()
    telling_kinds = [kind for kind in kinds_with_neutral if kind not in NEUTRAL]
    return tuple(dict.fromkeys(telling_kinds)) or (("cd",) if kinds_with_neutral else ())


def reads(kind: str) -> bool:
    """Return whether every command of this kind is read-only."""
    return kind == "cd" or programs.reads(kind) or requests.reads(kind)


def kinds_of(words: Sequence[str], target: str, depth: int) -> Iterator[str]:
    """Yield the kinds of one command given as words. `target`: the file into which its output goes, or ''."""
    words = without_wrappers(words)
    if not words:
        return
    program = program_name(words[0])
    if program in SHELLS and depth < DEEPEST and (line := shell_script(words)):
        yield from kinds(line, depth + 1)
        return
    if script := script_file(words):
        words, program = script, program_name(script[0])
    if program in {"find", "fd", "xargs"}:
        inner = inner_command(program, words) if depth < DEEPEST else []
        yield from kinds_of(inner, target, depth + 1) if inner else ()
        if program == "xargs" and inner:
            return
    kind = kind_of(program, words[1:])
    if target and requests.reads(kind):
        kind = program
    yield f"{kind} >" if target and reads(kind) else kind


def kind_of(program: str, arguments: Sequence[str]) -> str:
    """Return the kind of a program called with these arguments."""
    program = kind_name(program)
    if program in PYTHON:
        return python_kind(arguments)
    if _asks_for_help(program, arguments):
        return f"{program} --version"
    if operation := _operation(program, arguments):
        return operation
    if program in programs.WRITING_OPTIONS and _has_writing_option(program, arguments):
        return f"{program} {programs.WRITING_OPTIONS[program][0]}"
    if program == "php":
        return php_kind(arguments)
    kind = (
        f"sh {program}" if program in programs.ALSO_TOOLS else " ".join([program, *_action_words(program, arguments)])
    )
    return _with_listing(kind, arguments)


def _operation(program: str, arguments: Sequence[str]) -> str:
    if (curl_words := requests.curl_words([program, *arguments])) is not None:
        return request.name if (request := requests.operation_of(curl_words)) else ""
    if program == "git":
        return git.kind_of(arguments)
    if program == "ansible":
        return _with_listing(f"ansible {ansible_module(arguments)[0]}", arguments)
    return _statement(program, arguments) if program in programs.DATABASE_CLIENTS else ""


def _statement(program: str, arguments: Sequence[str]) -> str:
    """Return what a client of a database does by the statements among its arguments; '' where these are none."""
    texts = [_STATEMENT_OPTION.sub("", word) for word in arguments]
    names = [name for text in texts if " " in text.strip() and (name := operations.name_of(text))]
    if change := next((name for name in names if not name.startswith("SELECT")), ""):
        return change
    return f"sh {program}" if names or any(map(_SHOWS.match, texts)) else ""


def _action_words(program: str, arguments: Sequence[str]) -> Sequence[str]:
    """Return the words of the arguments that name the action: subcommands, or a resource and its verb."""
    if program == "service":  # service nginx restart
        return arguments[1:2]
    if program in SUBCOMMANDS or _acts(program, arguments):
        return _subcommands(program, arguments)
    return arguments[:2] if resources.begin_with_resource(arguments) and _may_have_subcommands(program) else ()


def _acts(program: str, arguments: Sequence[str]) -> bool:
    """Return whether the first argument of a program in no list is a subcommand: `dbt build`, `sqlc generate`.

    Not of a program whose name alone tells its purpose: there it is what to work on (`pytest tests`).
    """
    verb = next(iter(arguments), "")
    return (verb in OF_TOOLS | VERBS | SHOWING or purposes.is_known(verb)) and _may_have_subcommands(program)


def _may_have_subcommands(program: str) -> bool:
    is_other = program in OF_FILES | NEUTRAL or programs.reads(program) or purposes.is_known(program.rsplit("/", 1)[-1])
    return bool(_PROGRAM.fullmatch(program)) and not is_other


def php_kind(arguments: Sequence[str]) -> str:
    """Return the tool of a project that PHP runs: `artisan migrate`, `vendor/bin/phpunit`; `php` for other code."""
    rest = without_options(arguments, "php")
    script = rest[0].removeprefix("./") if rest else ""
    is_project_tool = script == "artisan" or ("bin/" in script and "." not in script)
    return kind_of(script, rest[1:]) if is_project_tool else "php"


def _has_writing_option(program: str, arguments: Sequence[str]) -> bool:
    words = requests.without_query(arguments) if program == "curl" else arguments
    return any(_writes(program, word) for word in words)


def _asks_for_help(program: str, arguments: Sequence[str]) -> bool:
    """Return whether a program only shows its version or its help, also that of a subcommand."""
    if not arguments or set(arguments) <= {"--version", "--help", "-h"}:
        return bool(arguments)
    return not programs.reads(program) and ("--help" in arguments or arguments[-1] == "--version")


def _with_listing(kind: str, arguments: Sequence[str]) -> str:
    option = _listing_option({kind, kind.split(maxsplit=1)[0]}, arguments)
    return f"{kind} {option}" if option else kind


def _listing_option(names: Collection[str], arguments: Sequence[str]) -> str:
    """Return the option that makes a program list its work instead of doing it: `pytest --collect-only`; '' for none.

    Short options behind `--` are ignored: they may be another program's, with other meanings.
    """
    options = {option for name in names for option in programs.LISTING_OPTIONS.get(name, ())}
    own_words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    listing_options = [word.partition("=")[0] for word in own_words if _DRY_RUN.fullmatch(word)]
    listing_options += [
        word for word in (*own_words, *(word for word in arguments if word.startswith("--"))) if word in options
    ]
    if programs.GROUPING & {*names}:
        listing_options += [
            option for option in options for word in own_words if _GROUP.fullmatch(word) and option[1:] in word
        ]
    return programs.LONG.get(listing_options[0], listing_options[0]) if listing_options else ""


def _writes(program: str, word: str) -> bool:
    """Return whether an option makes the program write: -i, -i.bak, -ni, --in-place=.bak.

    A short option may stand in a group or carry its value.
    """
    for option in programs.WRITING_OPTIONS[program]:
        if word == option or (option.startswith("--") and word.startswith(option + "=")):
            return True
        short = len(option) == 2 and program in {"sed", "perl"}
        if short and re.fullmatch(rf"-[nEerslzp]*{option[1]}\S*", word) and not word.startswith("--"):
            return True
    return False


def python_kind(arguments: Sequence[str]) -> str:
    """Return the module or tool that Python runs; `python` for an ad hoc script or code on the command line."""
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] not in {"-m", "-c", "-"}:
        if rest[0] in {"--version", "-V", "--help", "-h"}:
            return "python --version"
        rest = rest[2 if rest[0] in {"-W", "-X"} else 1 :]
    if len(rest) > 1 and rest[0] == "-m":
        return kind_of(program_name(rest[1]), rest[2:])
    if rest and not rest[0].startswith("-"):
        script = rest[0].removeprefix("./")
        name = script.rsplit("/", 1)[-1]
        if name in {"manage.py", "setup.py"}:
            return kind_of(name, rest[1:])
        if "/" in script and (not name.endswith(".py") or name in programs.RUNNERS):
            return kind_of(script if not script.startswith("/") else name, rest[1:])
    return "python"


def _subcommands(program: str, arguments: Sequence[str]) -> list[str]:
    """Return the subcommands after the program's own options, with `--list` where the rest only asks for a list."""
    rest = without_options(arguments, program)
    if program in GOALS:
        rest = _goal(rest, program)
    form = _DOTTED if program == "mix" else _SUBCOMMAND
    if not rest or not form.fullmatch(rest[0]):
        return []
    subcommands = [programs.SHORT.get(f"{program} {rest[0]}", rest[0])]
    name, rest = f"{program} {subcommands[0]}", rest[1:]
    if name in programs.LISTING and _asks_for_list(rest):
        return [*subcommands, "--list"]
    while name in programs.DEEPER or (program in programs.TWO_LEVELS and len(subcommands) == 1):
        deeper = without_options(rest, name)
        may_be_value = program in programs.TWO_LEVELS and deeper != rest  # of an option: `az login --username anna`
        if not deeper or may_be_value or not _SUBCOMMAND.fullmatch(deeper[0]):
            break
        subcommands.append(deeper[0])
        name, rest = f"{name} {deeper[0]}", deeper[1:]
    return subcommands


def _goal(words: Sequence[str], program: str) -> list[str]:
    """Return the first task other than `clean`, without its Gradle module: `test` of `clean :app:test`; '' for none."""
    goals = [word for word in words if not word.startswith("-")]
    goal = next((goal for goal in goals if goal != "clean"), "clean" if goals else "")
    return [goal.rsplit(":", 1)[-1] if "gradle" in program else goal]


def _asks_for_list(words: Sequence[str]) -> bool:
    """Return whether there are only options (or `list`), none of which deletes or moves something."""
    plain = all(word.startswith("-") for word in words if word != "list")
    return plain and not set(words) & {"-d", "-D", "-m", "-M", "--delete", "--move"}
