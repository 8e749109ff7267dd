"""Programs that run another program (`sudo`, `timeout`, `uv run`, `docker exec`, `bash -c`): find the inner command."""

import re
from collections.abc import Collection, Sequence

from consolidation.learning.commands.programs import (
    CONTAINERS,
    IN_CONTAINER,
    INSTALLED,
    SHELLS,
    TRANSPARENT,
    VALUED_OPTIONS,
    WRAPPERS,
)

DEEPEST = 3  # bash -c "bash -c ..."
VENV = re.compile(r"(?<![\w./~:-])(?:[\w./~:-]*/)?\.?v?env/(?:bin|Scripts)/(?=[^/]+$)")
_ASSIGNMENT = re.compile(r"(?:[A-Za-z_]\w*\+?|\$[\w:]+)=")
_SKIPPED = re.compile(rf"[-+]|{_ASSIGNMENT.pattern}|[\d.]+[smhd]?$")  # before a subcommand or the inner program
_KEYWORDS = {"do", "then", "else", "elif", "if", "while", "until", "!", "{", "}"}
_NO_COMMAND = {"for", "case", "done", "fi", "esac", "select", "function", "in"}
_PROJECT_FILE = re.compile(r"(?!\.\./)(?:[\w.-]+/)+[\w.-]+|[\w-]+\.(?:sh|bash|zsh)")
_RUNS_LINES = {"command", "shell", "raw"}  # modules of Ansible
_JOINING_SHELLS = {"powershell", "pwsh", "cmd"}  # their script may be several words


def program_name(word: str) -> str:
    """Return a program's name without system paths, versions and what Windows adds; paths of a project stay.

    `/usr/bin/python3.11` -> python, `.venv\\Scripts\\python.exe` -> python, `./bin/test` -> bin/test.
    """
    if re.match(r"[A-Za-z]:[\\/]", word):
        word = re.split(r"[\\/]", word)[-1]
    name = VENV.sub("", re.sub(r"^(?:/(?:[\w.-]+/)*(?:s?bin|shims)/|~/\S*/bin/)", "", word))
    name = re.sub(r"\.(?:exe|cmd|bat)$", "", name.removeprefix("./"), flags=re.IGNORECASE)
    return re.sub(r"^(python|pip|node|ruby|perl|php)[\d.]+$", r"\1", name)


def kind_name(program: str) -> str:
    """Return the name of a program as a kind: `rails` of `bin/rails`."""
    name = program.rsplit("/", 1)[-1]
    return name if name in INSTALLED and program in {f"bin/{name}", f"vendor/bin/{name}"} else program


def without_wrappers(words: Sequence[str]) -> list[str]:
    """Return a command's words without keywords, assignments and wrapper programs; empty for a control structure."""
    rest = _unwrapped(words, WRAPPERS.keys() | CONTAINERS | {"ssh", "ansible"})
    return [] if rest and program_name(rest[0]) in _NO_COMMAND else rest


def without_transparent_wrappers(words: Sequence[str]) -> list[str]:
    """Return a command's words without keywords, assignments and wrappers that keep the environment."""
    return _unwrapped(words, TRANSPARENT)


def _unwrapped(words: Sequence[str], wrappers: Collection[str]) -> list[str]:
    rest = list(words)
    while rest:
        program = program_name(rest[0])
        if program == "command" and rest[1:2] in (["-v"], ["-V"]):  # only asks where it is
            return ["which", *rest[2:]]
        if program in _KEYWORDS or _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif program == "time":
            rest = without_options(rest[1:], program)
        elif program in wrappers and (inner := wrapper_and_inner(rest)[1]):
            rest = inner
        else:
            break
    return rest


def wrapper_and_inner(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return (wrapper, words of the inner command): `uv run`, [pytest, -q]; no words where nothing is wrapped.

    A service of `docker compose` is part of the wrapper, the name of a container is not: `docker exec <container>`.
    """
    program = program_name(words[0]) if words else ""
    if program in CONTAINERS:
        return _in_container(program, words)
    name, rest = program, without_options(words[1:], program)
    if program == "ansible":
        module, line = ansible_module(words[1:])
        return "ansible <hosts>", ["sh", "-c", line] if module in _RUNS_LINES and line else []
    if program == "ssh":  # what follows the host is a line of a shell there
        return "ssh <host>", ["sh", "-c", " ".join(rest[1:])] if rest[1:] else []
    if between := WRAPPERS.get(program):
        length = next((n for n in (1, 2) if " ".join(rest[:n]) in between), 0)
        if not length:
            return name, []
        name, rest = " ".join([program, *rest[:length]]), without_options(rest[length:], program)
    return name, rest if program in WRAPPERS else []


def ansible_module(arguments: Sequence[str]) -> tuple[str, str]:
    """Return (module without its collection, its arguments) that `ansible web1 -m service -a "name=nginx"` calls."""
    options = dict(zip(arguments, [*arguments[1:], ""], strict=True))
    module = options.get("-m", options.get("--module-name", "command")).rsplit(".", 1)[-1]
    return module, options.get("-a", options.get("--args", ""))


def _in_container(program: str, words: Sequence[str]) -> tuple[str, list[str]]:
    name, rest = program, without_options(words[1:], program)
    if rest[:1] == ["compose"]:
        name = f"{program} compose"
        rest = without_options(rest[1:], name)
    elif rest[:1] == ["container"]:
        name, rest = f"{program} container", rest[1:]
    name = " ".join([name, *rest[:1]])
    if name not in IN_CONTAINER or len(rest) < 2:
        return name, []
    container, *inner = without_options(rest[1:], name) or [""]
    inner = inner[inner.index("--") + 1 :] if "--" in inner and program == "kubectl" else inner
    if inner and inner[0].startswith("-"):  # options of what the image starts by itself
        return name, []
    return f"{name} {container if 'compose' in name else '<container>'}", inner


def without_options(words: Sequence[str], program: str) -> list[str]:
    """Return the words after options with their values, assignments and numbers, up to `--`.

    `program`: the key of VALUED_OPTIONS, with the subcommand where that has options of its own.
    """
    rest = list(words)
    options_with_value = VALUED_OPTIONS.get(program, ())
    while rest and (rest[0] in options_with_value or _SKIPPED.match(rest[0])):
        if rest[0] == "--":
            return rest[1:]
        rest = rest[2 if rest[0] in options_with_value else 1 :]
    return rest


def shell_script(words: Sequence[str]) -> str:
    """Return the script that `bash -c`, `sh -lc`, `powershell -Command` or `cmd /c` is given; '' for none."""
    joins = program_name(words[0]) in _JOINING_SHELLS if words else False
    option = re.compile(r"-c|-command|/c", re.IGNORECASE) if joins else re.compile(r"-[a-z]*c")
    options = [n for n, word in enumerate(words[:-1]) if option.fullmatch(word)]
    if not options:
        return ""
    return " ".join(words[options[0] + 1 :]) if joins else words[options[0] + 1]


def script_file(words: Sequence[str]) -> list[str]:
    """Return the script of the project that a shell is given as a file, with its arguments: `bash scripts/check.sh`."""
    rest = words[1:] if words and program_name(words[0]) in SHELLS and not shell_script(words) else []
    rest = rest[next((n for n, word in enumerate(rest) if not word.startswith("-")), len(rest)) :]
    return list(rest) if rest and _PROJECT_FILE.fullmatch(rest[0]) else []


def inner_command(program: str, words: Sequence[str]) -> list[str]:
    """Return the command that `xargs` or `find -exec` runs."""
    if program == "xargs":
        rest = list(words[1:])
        while rest and rest[0].startswith("-"):
            rest = rest[2 if rest[0] in {"-n", "-I", "-P", "-L", "-d"} else 1 :]
        return rest
    at = next((n for n, word in enumerate(words) if word in {"-exec", "-execdir", "-ok", "-x"}), len(words))
    return [word for word in words[at + 1 :] if word not in {"{}", "+", ";", "\\;"}]
