"""What the tools of a browser print of a page: its address, its elements and its texts.

Playwright MCP                                     Chrome DevTools MCP
- Page URL: https://a.example/orders/17            1: Order 17 (https://a.example/orders/17) [selected]
- heading "Order 17" [level=1] [ref=e7]            uid=3_13 heading "Order 17" level="1"
- generic [ref=e8]: Refund booked.                   uid=3_15 "Refund booked."
- button "Release" [ref=e14]                       uid=3_25 button "Release"
await page.getByRole('button', { name: 'Release' }).click();
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from consolidation.learning.runs import values

_STRING = r"\"((?:[^\"\\]|\\.)*)\""
_ELEMENT = re.compile(
    rf"- '?(\w+)(?: {_STRING})?([^\n]*?\[(?:[^\]\n]*, )?ref=(\w+)\][^\n]*)|^ *uid=(\S+) (\w+)(?: {_STRING})?([^\n]*)",
    re.MULTILINE,
)
_TICK = re.compile(r"\bchecked(?:=\"?true\b)?(?![=\w])")
_HELD = re.compile(r"\]: \"?(.+?)\"?'?$")  # - generic [ref=e8] [cursor=pointer]: Archive order
TICKED = frozenset({"checkbox", "radio", "switch"})
_PARTING = frozenset(
    {"button", "checkbox", "combobox", "group", "heading", "radiogroup", "spinbutton", "switch", "textbox"}
)
_RAN = re.compile(r"getByRole\('(\w+)', \{ name: '((?:[^'\\]|\\.)*)'")
_ADDRESS = re.compile(
    r"^- Page URL: (\S+)$|^\d+: .*\((\S+)\) \[selected\]|RootWebArea [^\n]* url=\"(\S+)\"", re.MULTILINE
)
_TITLE = re.compile(r"^- Page Title: (.+)$", re.MULTILINE)
_LINE = re.compile(
    rf"^ *- '?(?!/url)(?:[\w-]+)(?: {_STRING})?[^:\n]*(?::(?: \"?(.*?)\"?)?)?'?$"
    rf"|^ *uid=\S+ (?:\w+ )?{_STRING}(?:[^\n]* value={_STRING})?",
    re.MULTILINE,
)


_ALERT = re.compile(r"^( *)(?:- '?|uid=\S+ )(?:alert|status)\b[^\n]*(?:\n\1 +[^\n]*)*", re.MULTILINE)


class Element(NamedTuple):
    """An element of a page. `role`: '' where nothing tells; `ticked`: of a box as a look showed it; `group`: the same
    of radios of which one is chosen."""

    role: str
    name: str
    ticked: bool | None = None
    group: int = 0


def elements(look: str) -> Iterator[tuple[str, Element]]:
    """Yield (ref, element) of what a look at a page shows. Radios with no other field between them are a group."""
    group = 0
    for role, name, more, ref, uid, uid_role, uid_name, uid_more in _ELEMENT.findall(look):
        kind, state = role or uid_role, more or uid_more
        group += kind in _PARTING
        held = _HELD.search(state) if kind == "generic" and not name else None
        named = plain(name or uid_name or (held[1] if held else ""))
        yield ref or uid, Element(kind, named, bool(_TICK.search(state)) if kind in TICKED else None, group)


def acted_on(answer: str) -> Element | None:
    """Return the element that the code acted on which a tool says that it ran; None where it names none."""
    ran = _RAN.search(answer)
    return Element(ran[1], plain(ran[2])) if ran else None


def address(answer: str) -> str:
    """Return the address of the page that a tool's answer names; '' for none."""
    named = _ADDRESS.findall(answer)
    return next(filter(None, named[-1])) if named else ""


def texts(look: str) -> list[str]:
    """Return the texts of a page: its title, what its elements are called and hold."""
    title = _TITLE.findall(look)[-1:]
    shown = look.partition("```yaml")[2] or look.partition("## Latest page snapshot")[2] or ("" if title else look)
    return [*title, *_lines(shown)]


def alerts(look: str) -> list[str]:
    """Return the texts of what a page marks as a message."""
    return [line for alert in _ALERT.finditer(look) for line in _lines(alert[0])]


def _lines(shown: str) -> list[str]:
    return [plain(text) for line in _LINE.findall(shown) for text in line if text]


def answer(result: Any) -> str:
    """Return what a tool answered as text; MCP wraps it in a list of contents."""
    told = values.parsed(result)
    if isinstance(told, dict):
        told = next((told[key] for key in ("content", "text", "stdout", "output") if told.get(key)), "")
    if isinstance(told, list):
        told = "\n".join(str(part.get("text", "")) for part in told if isinstance(part, dict))
    return told if isinstance(told, str) else ""


def plain(name: str) -> str:
    """Return a name without the marks of its quotation."""
    return re.sub(r"\\(.)", r"\1", name).strip()
