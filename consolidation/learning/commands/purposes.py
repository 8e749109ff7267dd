"""Purpose of a command (tests, lint, build, ...): forms of one purpose can replace each other."""

import re

TESTS = "tests"
LONGEST_FORM = 60
_WORDS = {
    TESTS: "test tests pytest py.test unittest nose nose2 nosetests tox nox runtests runtest trial jest vitest mocha "
    "rspec ctest phpunit karma ava phpspec testthat",
    "lint": "lint flake8 ruff pylint eslint rubocop golangci-lint pycodestyle clippy shellcheck stylelint",
    "types": "mypy pyright tsc pyre typecheck",
    "format": "black isort prettier gofmt fmt format yapf",
    "build": "build make cmake ninja gradle gradlew mvn mvnw compile",
    "packages": "pip npm pnpm yarn conda mamba apt apt-get brew gem bundle composer",
}
_NAMED_BY_TARGET = {"make", "ninja"}  # each project names its targets itself
_TARGETS = {"all": "build", "default": "build", "check": TESTS}
_PURPOSES = {word: purpose for purpose, words in _WORDS.items() for word in words.split()}
ALONE = {TESTS}  # purposes whose starting commands are stated even where none fails
_INTERPRETER = re.compile(r"(?:python|pypy)\d*|py")
_NAMEABLE = re.compile(r"(?:/usr/(?:local/)?bin/|\.(?=venv/))?[A-Za-z_][\w.@+-]*(?:/[\w.@+-]+)*(?: [\w./@+:-]+)*")
_RUNNERS = {"runtests.py", "run_tests.py", "runtest.py", "test.py", "manage.py", "setup.py"}
_CODE = re.compile(r"\.(?:py|js|ts|mjs|rb|pl|php)$")


def purpose(form: str) -> str:
    """Return the purpose by the name of the command and its subcommands; the command itself when it is unknown."""
    words = [word.rsplit("/", 1)[-1] for word in form.split()]
    if len(words) == 1 and _INTERPRETER.fullmatch(words[0]):
        return "python"
    parts = [part for word in words for part in (word, *re.split(r"[._:-]", word))]
    purposes = [_PURPOSES[part] for part in parts if part in _PURPOSES]
    if purposes:
        telling_purposes = [name for name in purposes if name != "packages"] or purposes  # npm test
        if telling_purposes[0] == "build":  # make test, mvn test
            telling_purposes = [name for name in telling_purposes if name != "build"] or telling_purposes
        if words[0] in _NAMED_BY_TARGET and len(words) > 1 and telling_purposes[0] == "build":
            return _TARGETS.get(words[1]) or _PURPOSES.get(words[1]) or " ".join(words[:2])  # make migration
        return "format" if "format" in telling_purposes else telling_purposes[0]  # ruff format
    return words[0] if not _INTERPRETER.fullmatch(words[0]) else words[2 if words[1] == "-m" else 1]


def may_be_named(form: str) -> bool:
    """Return whether a form may be shown: a command of the project or its tools, not an ad hoc script."""
    if not form or len(form) > LONGEST_FORM or not _NAMEABLE.fullmatch(form) or ".." in form:
        return False
    scripts = [word.rsplit("/", 1)[-1] for word in form.split() if _CODE.search(word)]
    return all(name in _RUNNERS for name in scripts)
