"""Purpose of a command (tests, lint, build, ...): forms of one purpose can replace each other."""

import re

TESTS = "tests"
LONGEST_FORM = 60
_WORDS = {
    TESTS: "test tests pytest py.test unittest nose nose2 nosetests tox nox runtests runtest trial jest vitest mocha "
    "rspec ctest phpunit karma ava phpspec testthat pest nextest gotestsum",
    "lint": "lint flake8 ruff pylint eslint rubocop golangci-lint pycodestyle clippy shellcheck stylelint phpstan "
    "psalm larastan credo detekt ktlint checkstyle swiftlint staticcheck standardrb vet oxlint "
    "yamllint ansible-lint hadolint actionlint tflint markdownlint",
    "types": "mypy pyright tsc pyre typecheck dialyzer sorbet vue-tsc svelte-check",
    "format": "black isort prettier gofmt fmt format yapf pint php-cs-fixer rustfmt swiftformat scalafmt spotless "
    "shfmt clang-format csharpier dprint",
    "build": "build make cmake ninja gradle gradlew mvn mvnw compile",
    "packages": "pip npm pnpm yarn conda mamba apt apt-get brew gem bundle composer",
}
_BUILD_TOOLS = {"mvn", "mvnw", "gradle", "gradlew"}
_BUILDS = {"assemble", "build", "check", "clean", "compile", "install", "package", "verify"}
_NAMED_BY_TARGET = {"make", "ninja", *_BUILD_TOOLS}  # each project names its targets itself
_TARGETS = {"all": "build", "default": "build", "check": TESTS}
_PURPOSES = {word: purpose for purpose, words in _WORDS.items() for word in words.split()}
ALONE = {TESTS}  # purposes whose starting commands are stated even where none fails
# What tools of one kind do in place of each other: `php artisan migrate` and `sail artisan migrate`.
_VERBS = {"init", "migrate", "generate", "apply", "plan", "validate", "seed", "codegen"}
_OWN_VERBS = {"git", "gh", "hg", "uv", "poetry", "pdm", "cargo", "dotnet"}
_INTERPRETER = re.compile(r"(?:python|pypy)\d*|py")
_NAMEABLE = re.compile(
    r"(?:/usr/(?:local/)?bin/|\.(?=venv/)|\./(?=[\w.-]+(?: |$)))?[A-Za-z_][\w.@+-]*(?:/[\w.@+-]+)*(?: [\w./@+:-]+)*"
)
_RUNNERS = {"runtests.py", "run_tests.py", "runtest.py", "test.py", "manage.py", "setup.py"}
_BOUNDARY = re.compile(r"[._:/-]|(?<=[a-z0-9])(?=[A-Z])")
_CODE = re.compile(r"\.(?:py|js|ts|mjs|rb|pl|php)$")


def split(word: str) -> list[str]:
    """Return the parts of the name of a task in lower case: `spotlessCheck`, `test:unit`."""
    return [part.lower() for part in _BOUNDARY.split(word)]


def is_known(word: str) -> bool:
    """Return whether a word alone tells a purpose."""
    return word in _PURPOSES


def purpose(form: str) -> str:
    """Return the purpose by the name of the command and its subcommands; the command itself when it is unknown."""
    words = [word.rsplit("/", 1)[-1] for word in form.split()]
    if len(words) == 1 and _INTERPRETER.fullmatch(words[0]):
        return "python"
    parts = [part for word in words for part in (word, *(part for part in split(word) if part != "make"))]
    purposes = [_PURPOSES[part] for part in parts if part in _PURPOSES]
    if purposes:
        telling_purposes = [name for name in purposes if name != "packages"] or purposes  # npm test
        if telling_purposes[0] == "build":  # make test, mvn test
            telling_purposes = [name for name in telling_purposes if name != "build"] or telling_purposes
        if words[0] in _NAMED_BY_TARGET and len(words) > 1 and telling_purposes[0] == "build":
            return _of_target(words[0], words[1])
        return "format" if "format" in telling_purposes else telling_purposes[0]  # ruff format
    if len(words) > 1 and words[0] not in _OWN_VERBS and (verb := split(words[-1])[-1]) in _VERBS:
        return verb
    return words[0] if not _INTERPRETER.fullmatch(words[0]) else words[2 if words[1] == "-m" else 1]


def _of_target(program: str, target: str) -> str:
    """Return the purpose of a target or task without a known one: of each build tool its own, as `make migration`."""
    verb = split(target)[-1]
    if program in _BUILD_TOOLS:  # gradle generateProto, gradlew generateProto
        return "build" if _BUILDS & {*split(target)} else target
    return _TARGETS.get(target) or _PURPOSES.get(target) or (verb if verb in _VERBS else f"{program} {target}")


def may_be_named(form: str) -> bool:
    """Return whether a form may be shown: a command of the project or its tools, not an ad hoc script."""
    if not form or len(form) > LONGEST_FORM or not _NAMEABLE.fullmatch(form) or ".." in form:
        return False
    scripts = [word.rsplit("/", 1)[-1] for word in form.split() if _CODE.search(word)]
    return all(name in _RUNNERS for name in scripts)
