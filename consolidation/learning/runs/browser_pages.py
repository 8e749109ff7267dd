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
_CONTENT = re.compile(r"\]: \"?(.+?)\"?'?$")  # - generic [ref=e8] [cursor=pointer]: Archive order
TICKED = frozenset({"checkbox", "radio", "switch"})
_GROUP_ENDS = frozenset(
    {"button", "checkbox", "combobox", "group", "heading", "radiogroup", "spinbutton", "switch", "textbox"}
)
_LOCATOR = re.compile(r"getByRole\('(\w+)', \{ name: '((?:[^'\\]|\\.)*)'")
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
    """An element of a page. `role`: '' for unknown; `ticked`: state of a box in the snapshot, None for other elements;
    `group`: the same number for radios of which one is chosen."""

    role: str
    name: str
    ticked: bool | None = None
    group: int = 0


def elements(look: str) -> Iterator[tuple[str, Element]]:
    """Yield (ref, element) of what a look at a page shows. Radios with no other field between them are a group."""
    group = 0
    for role, name, more, ref, uid, uid_role, uid_name, uid_more in _ELEMENT.findall(look):
        kind, state = role or uid_role, more or uid_more
        group += kind in _GROUP_ENDS
        content = _CONTENT.search(state) if kind == "generic" and not name else None
        label = unescaped(name or uid_name or (content[1] if content else ""))
        yield ref or uid, Element(kind, label, bool(_TICK.search(state)) if kind in TICKED else None, group)


def acted_element(answer: str) -> Element | None:
    """Return the element named in the Playwright code that a tool reports to have run; None where it names none."""
    match = _LOCATOR.search(answer)
    return Element(match[1], unescaped(match[2])) if match else None


def address(answer: str) -> str:
    """Return the address of the page that a tool's answer names; '' for none."""
    matches = _ADDRESS.findall(answer)
    return next(filter(None, matches[-1])) if matches else ""


def texts(look: str) -> list[str]:
    """Return the texts of a page: its title, the names and contents of its elements."""
    title = _TITLE.findall(look)[-1:]
    shown = look.partition("```yaml")[2] or look.partition("## Latest page snapshot")[2] or ("" if title else look)
    return [*title, *_lines(shown)]


def alerts(look: str) -> list[str]:
    """Return the texts of what a page marks as a message."""
    return [line for alert in _ALERT.finditer(look) for line in _lines(alert[0])]


def _lines(shown: str) -> list[str]:
    return [unescaped(text) for line in _LINE.findall(shown) for text in line if text]


def answer(result: Any) -> str:
    """Return a tool's result as text, also from MCP's list of contents; '' for any other form."""
    content = values.parse_json(result)
    if isinstance(content, dict):
        content = next((content[key] for key in ("content", "text", "stdout", "output") if content.get(key)), "")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def unescaped(name: str) -> str:
    """Return a quoted name without its backslashes."""
    return re.sub(r"\\(.)", r"\1", name).strip()
