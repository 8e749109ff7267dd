"""Command lines that drive a browser, as calls of its tools: those of `playwright-cli` and `agent-browser`.

playwright-cli fill e5 20 && playwright-cli click e10   -> type(target=e5, text=20), click(target=e10)
agent-browser find role button click --name "Save"      -> click(role=button, name=Save)
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_PROGRAMS = re.compile(r"(?:^|[\s/])(?:playwright-cli|agent-browser)\s")
_READERS = frozenset(
    {"cat", "cd", "echo", "grep", "head", "jq", "sed", "sleep", "tail", "true"}
)  # to read what it shows
_VERBS = {
    "open": "navigate", "goto": "navigate", "navigate": "navigate", "tab-new": "navigate", "click": "click",
    "dblclick": "click", "fill": "type", "type": "type", "select": "select_option", "check": "check",
    "uncheck": "uncheck",
}  # fmt: skip
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_STARTERS = frozenset({"bunx", "npx", "pnpx"})
_REDIRECTION = re.compile(r"\d?>(?:&\d|\s*[\w/.-]+)")
_LOCATORS = ("role", "label", "text", "placeholder")
LONGEST = 4_000


class BrowserCall(NamedTuple):
    """A call of a browser's tool. `action`: as Playwright names it, `look` for one that changes nothing on the page."""

    action: str
    arguments: Mapping[str, Any]


def calls(line: str) -> list[BrowserCall]:
    """Return the calls of a command line of browser programs and readers of their output; [] for any other line."""
    if not _PROGRAMS.search(line) or len(line) > LONGEST:
        return []
    lexer = shlex.shlex(_REDIRECTION.sub(" ", line).replace("\n", " ; "), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return []
    commands = [command[command[0] in _STARTERS :] or command for command in _commands(words)]
    names = [command[0].rsplit("/", 1)[-1] for command in commands]
    if any(name not in _READERS and not _PROGRAMS.match(f"{name} ") for name in names):
        return []
    browser_commands = [command[1:] for name, command in zip(names, commands, strict=True) if name not in _READERS]
    return [_call([word for word in command if not word.startswith("-s=")]) for command in browser_commands]


def _commands(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word in _SEPARATORS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _call(words: Sequence[str]) -> BrowserCall:
    verb, *arguments = words or [""]
    if verb == "find" and arguments[:1] and arguments[0] in _LOCATORS and len(arguments) > 2:
        return _by_words(arguments)
    action, positional = _VERBS.get(verb, "look"), [word for word in arguments if not word.startswith("--")]
    target = positional[0].removeprefix("@") if positional and action != "look" else ""
    if action == "navigate":
        return BrowserCall(action, {"url": target}) if "://" in target else BrowserCall("look", {})
    if action == "type":
        fields = {"target": target, "text": positional[1]} if len(positional) > 1 else {}
        return BrowserCall(action, {**fields, "submit": "--submit" in arguments}) if fields else BrowserCall("look", {})
    if action == "select_option":
        return BrowserCall(action, {"target": target, "values": positional[1:]})
    return BrowserCall(action, {"target": target} if target else {})


def _by_words(arguments: Sequence[str]) -> BrowserCall:
    """Read `role button click --name Save` and `label Amount fill 20`."""
    kind, value, verb, *rest = arguments
    action = _VERBS.get(verb, "look")
    if kind == "role":
        name = rest[rest.index("--name") + 1] if "--name" in rest[:-1] else ""
        rest = [word for word in rest if word not in ("--name", name)]
        return BrowserCall(
            action, {"role": value, "name": name, **({"text": rest[0]} if rest and action == "type" else {})}
        )
    return BrowserCall(action, {"name": value, **({"text": rest[0]} if rest and action == "type" else {})})
