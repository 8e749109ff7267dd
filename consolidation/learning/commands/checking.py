"""Which commands check what was done before them: tests, a build, a linter, the state of what was deployed.

A command that also changes something, or only prepares, is no check: `make deploy`, `npm run lint:fix`, `cmake ..`.
"""

import re
from collections.abc import Sequence

from consolidation.learning.commands import commands, programs, purposes
from consolidation.learning.commands.programs import GOALS
from consolidation.learning.commands.shell import heredocs
from consolidation.learning.commands.wrappers import VENV, program_name

_PURPOSES = frozenset({purposes.TESTS, "lint", "types", "build"})
_TASKS = frozenset({"make", "just", "task", "rake", "inv", "invoke", "poe", "turbo", "nx"})
_SCRIPTS = ("npm run", "pnpm run", "yarn run", "bun run", *_TASKS)
_OTHER_WORK = re.compile(
    r"deploy\w*|publish|release|install|uninstall|clean|push|upload|start|serve|server|dev|run|watch|fix|write|update|"
    r"upgrade|up|down|migrate|seed|login|init|py_compile|apply|generate|format"
)
_TARGETS = re.compile(
    r"all|check\w*|verify|validate|ci|cibuild|tests?|compile|assemble|probes?|health(?:check|z)?|smoke(?:tests?)?|selftest"
    r"|doctor"
)
_OF_BUILDS = re.compile(rf"package|install|{_TARGETS.pattern}")  # goals of Maven, tasks of Gradle
_ASKING = frozenset({"check", "validate", "verify", "plan", "preview", "synth"})  # subcommands
INTERPRETERS = frozenset({"python", "node", "deno", "bun", "ruby", "perl", "php", *programs.SHELLS})
_WITH_ENDING = re.compile(r"\.(?:py|[cm]?[jt]s|rb|pl|php|sh|bash|ps1)$")
_SCRIPT = re.compile(r"(?!/|~|\.\./|node_modules/|vendor/)(?:[\w.-]+/)*[\w.-]+")
_CODE = frozenset({"-m", "-c", "-e", "-p", "--eval"})  # an interpreter is given a module or code
_BESIDE = re.compile(r"all|run|dev|main|code|pr|pre|push|commit|quick|fast|full|local|style|unit|integration|e2e")
# In code that an interpreter is given: what may change something outside of it, or stands for what is piped into it.
_CHANGING_CODE = re.compile(
    r"stdin|write|\bopen\([^)]*,|dump\(|unlink|remove|rename|rmtree|mkdir|copy|move|touch|chmod|save|commit|create|delete|"
    r"insert|update|execute|system|process|popen|spawn|exec|call_command|migrate|post\(|put\(|patch\(|to_\w+\(|\bfs\b",
    re.IGNORECASE,
)
_ALWAYS = (
    "bats", "bandit", "clang-tidy", "gcc", "g++", "cc", "c++", "clang", "clang++", "kubeconform", "javac", "rustc",
    "webpack", "esbuild", "rollup", "pre-commit run", "kubectl rollout status",
    "kubectl wait", "systemctl is-active", "coverage run", "papermill", "terraform apply", "tofu apply", "dbt run",
    "flutter analyze", "dart analyze", "named-checkconf", "docker compose config", "docker-compose config",
    "ansible-playbook",  # its recap says how every task ended
)  # fmt: skip
# A kind -> an option or subcommand that it needs to be a check; None: it needs none.
_FORMATTING = re.compile(
    r"--?check(?:-only|-formatted)?|-c|--list-different|--diff|--verify-no-changes|--test|--lint|--set-exit-if-changed"
)
_WAITING = re.compile(r"--wait(?:=\S+)?|--atomic")
_CHECKS: dict[str, re.Pattern[str] | None] = {
    **dict.fromkeys(_ALWAYS, None),
    **dict.fromkeys(["manage.py makemigrations", "manage.py migrate"], re.compile("--check")),
    **dict.fromkeys(["docker compose up", "docker-compose up"], re.compile("--wait")),
    **dict.fromkeys(["helm upgrade", "helm install"], _WAITING),
    "node": re.compile("--test"),
    "vite": re.compile("build"),
    "next": re.compile("build"),
    "biome": re.compile("lint|check|ci"),
    "nginx": re.compile("-t|-T"),
    "apachectl": re.compile("-t|configtest"),
    "apache2ctl": re.compile("-t|configtest"),
    "cmake": re.compile("--build"),
    "haproxy": re.compile("-c"),
    "sshd": re.compile("-t"),
    "visudo": re.compile(r"-c\w*"),
    "jupyter": re.compile("--execute"),
}
_DEPLOYING = (
    "ansible-playbook", "docker compose up", "docker-compose up", "helm upgrade", "helm install", "terraform apply",
    "tofu apply", "dbt run", "dbt build",
)  # fmt: skip
STATES = (  # that change by themselves, so that the last answer holds
    "kubectl rollout status",
    "kubectl wait",
    "systemctl is-active",
)
_REWRITING = re.compile(r"--fix\S*|--write|-w|-a|-A|--auto-?correct\S*|--apply\S*")


def is_check(kind: str, form: str, words: Sequence[str]) -> bool:
    """Return whether a command, as `forms.commands_in` gives it, checks something and changes nothing itself."""
    reads = commands.reads(kind) and kind not in programs.PREVIEWS
    if reads or kind.endswith(" >") or not kind:
        return False
    if kind in _CHECKS:
        option = _CHECKS[kind]
        return option is None or any(option.fullmatch(word) for word in words[1:])
    if kind.split(maxsplit=1)[0] in GOALS:
        return _checks_of_build(words[1:])
    if runs_named_check(words):
        return True
    purpose = purposes.purpose(form) if form else ""
    if purpose == "format":
        return any(_FORMATTING.fullmatch(word) for word in words[1:])
    asks = kind.rsplit(maxsplit=1)[-1] in _ASKING and " " in kind and not kind.startswith(("git ", *_SCRIPTS))
    return (purpose in _PURPOSES or asks or kind.startswith(_SCRIPTS)) and not _does_other_work(kind, words)


def _checks_of_build(words: Sequence[str]) -> bool:
    """Return whether goals of a build tool check something, and none deploys: `:app:testDebug`, `spotless:check`."""
    parts = {part for word in words if not word.startswith("-") for part in purposes.split(word)}
    checks = any(_OF_BUILDS.fullmatch(part) or purposes.is_known(part) for part in parts - {"spotless"})
    return checks and not any(_OTHER_WORK.fullmatch(part) for part in parts - {"clean", "install"})


def runs_named_check(words: Sequence[str]) -> bool:
    """Return whether a script of the project is run that checks by its name, or by the task that it is given.

    `bin/verify`, `bash run-checks.sh`, `ci/run`, `./dev check`; not `bin/verify-email`, `./deploy.sh test`.
    """
    path, task = script(words)
    names = [[part for part in purposes.split(name) if part] for name in _WITH_ENDING.sub("", path.lower()).split("/")]
    parts = names[-1] if not all(map(_BESIDE.fullmatch, names[-1])) else [part for name in names[-2:] for part in name]
    telling = [part for part in parts if not _BESIDE.fullmatch(part)]
    if telling and all(map(_checks_by_name, telling)):
        return True
    is_own_script = bool(task) and "/" in words[0]
    return is_own_script and _checks_by_name(task) and not any(_OTHER_WORK.fullmatch(part) for part in telling)


def script(words: Sequence[str]) -> tuple[str, str]:
    """Return (path, first argument) of the project's script that a command runs, by itself or by an interpreter."""
    is_own = ("/" in words[0] and not VENV.match(words[0])) or bool(_WITH_ENDING.search(words[0]))
    if program_name(words[0]) in INTERPRETERS:
        is_own, words = not _CODE & {*words}, [word for word in words[1:] if not word.startswith("-")]
    path = words[0].removeprefix("./") if is_own and words else ""
    return (path, words[1] if len(words) > 1 else "") if _SCRIPT.fullmatch(path) else ("", "")


def script_name(words: Sequence[str]) -> str:
    """Return the file's name of the project's script that a command runs; '' for none."""
    return script(words)[0].rsplit("/", 1)[-1]


def changes_too(kind: str, words: Sequence[str]) -> bool:
    """Return whether a check first changes something: a linter that fixes its findings, a deployment that waits."""
    if kind in _DEPLOYING:
        return True
    lints = purposes.purpose(kind) in {"lint", "format"} or kind.startswith("biome")
    return lints and any(_REWRITING.fullmatch(word) for word in words[1:])


def only_looks(words: Sequence[str], line: str) -> bool:
    """Return whether an interpreter is given code, in its words or as a here-document of the line, that only looks.

    `python -c "from shop import cart; print(cart.total([3]))"`.
    """
    if program_name(words[0]) not in INTERPRETERS - programs.SHELLS:
        return False
    inline_code = next((words[n + 1] for n, word in enumerate(words[:-1]) if word in _CODE - {"-m"}), "")
    files = [word for word in words[1:] if not word.startswith("-")]
    code = inline_code or ("\n".join(heredocs(line)) if not files else "")
    return bool(code.strip()) and not changes_in_code(code)


def changes_in_code(code: str) -> bool:
    """Return whether code has a word of what changes something outside of it."""
    return bool(_CHANGING_CODE.search(code))


def takes_back(kind: str, words: Sequence[str]) -> bool:
    """Return whether a git command undoes all changes of the work tree or a commit: not `git checkout file`."""
    if kind in {"git checkout", "git restore"}:
        return "." in words
    return kind in {"git stash", "git revert"} or (kind == "git reset" and "--hard" in words)


def _does_other_work(kind: str, words: Sequence[str]) -> bool:
    """Return whether the name of a task says that it does more than check: `make install`, `npm run build:deploy`."""
    program, *task = kind.split()
    if program in {"cargo", "dune"} or not task:
        name_parts = purposes.split(program)
        return kind in {"cmake", "py_compile", "compileall"} or any(map(_OTHER_WORK.fullmatch, name_parts))
    parts = [part for word in task for part in purposes.split(word)]
    if any(_OTHER_WORK.fullmatch(part) for part in parts if part != "run"):
        return True
    return kind.startswith(_SCRIPTS) and not any(map(_checks_by_name, parts))


def _checks_by_name(part: str) -> bool:
    return bool(_TARGETS.fullmatch(part)) or purposes.purpose(part) in _PURPOSES
