"""Command lines that drive a browser, as calls of its tools: those of `playwright-cli` and `agent-browser`.

playwright-cli fill e5 20 && playwright-cli click e10   -> type(target=e5, text=20), click(target=e10)
agent-browser find role button click --name "Save"      -> click(role=button, name=Save)
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_PROGRAMS = re.compile(r"(?:^|[\s/])(?:playwright-cli|agent-browser)\s")
_BESIDE = frozenset(
    {"cat", "cd", "echo", "grep", "head", "jq", "sed", "sleep", "tail", "true"}
)  # to read what it shows
_VERBS = {
    "open": "navigate", "goto": "navigate", "navigate": "navigate", "tab-new": "navigate", "click": "click",
    "dblclick": "click", "fill": "type", "type": "type", "select": "select_option", "check": "check",
    "uncheck": "uncheck",
}  # fmt: skip
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_STARTERS = frozenset({"bunx", "npx", "pnpx"})
_REDIRECTED = re.compile(r"\d?>(?:&\d|\s*[\w/.-]+)")
_FOUND_BY = ("role", "label", "text", "placeholder")
LONGEST = 4_000


class BrowserCall(NamedTuple):
    """A call of a browser's tool. `does`: `look` for what changes nothing on the page."""

    does: str
    sent: Mapping[str, Any]


def calls(line: str) -> list[BrowserCall]:
    """Return the calls of a command line that only drives a browser and reads what it shows; none of any other."""
    if not _PROGRAMS.search(line) or len(line) > LONGEST:
        return []
    lexer = shlex.shlex(_REDIRECTED.sub(" ", line).replace("\n", " ; "), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return []
    commands = [command[command[0] in _STARTERS :] or command for command in _commands(words)]
    names = [command[0].rsplit("/", 1)[-1] for command in commands]
    if any(name not in _BESIDE and not _PROGRAMS.match(f"{name} ") for name in names):
        return []
    own = [command[1:] for name, command in zip(names, commands, strict=True) if name not in _BESIDE]
    return [_call([word for word in command if not word.startswith("-s=")]) for command in own]


def _commands(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word in _SEPARATORS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _call(words: Sequence[str]) -> BrowserCall:
    verb, *given = words or [""]
    if verb == "find" and given[:1] and given[0] in _FOUND_BY and len(given) > 2:
        return _by_words(given)
    does, plain = _VERBS.get(verb, "look"), [word for word in given if not word.startswith("--")]
    target = plain[0].removeprefix("@") if plain and does != "look" else ""
    if does == "navigate":
        return BrowserCall(does, {"url": target}) if "://" in target else BrowserCall("look", {})
    if does == "type":
        sent = {"target": target, "text": plain[1]} if len(plain) > 1 else {}
        return BrowserCall(does, {**sent, "submit": "--submit" in given}) if sent else BrowserCall("look", {})
    if does == "select_option":
        return BrowserCall(does, {"target": target, "values": plain[1:]})
    return BrowserCall(does, {"target": target} if target else {})


def _by_words(given: Sequence[str]) -> BrowserCall:
    """Read `role button click --name Save` and `label Amount fill 20`."""
    kind, what, verb, *rest = given
    does = _VERBS.get(verb, "look")
    if kind == "role":
        name = rest[rest.index("--name") + 1] if "--name" in rest[:-1] else ""
        rest = [word for word in rest if word not in ("--name", name)]
        return BrowserCall(does, {"role": what, "name": name, **({"text": rest[0]} if rest and does == "type" else {})})
    return BrowserCall(does, {"name": what, **({"text": rest[0]} if rest and does == "type" else {})})
