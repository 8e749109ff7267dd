"""Calls of a browser's tools (Playwright MCP) by what they do on its pages: pages that are opened, buttons pressed.

    browser_navigate(url=https://a.example/orders/17/refund)     -> `GET a.example/orders/{order}/refund`
    browser_fill_form(fields=[{name: Amount, target: e11, value: 20}])
    browser_click(element=Book refund button, target=e14)  -> `press Book refund`, arguments {Amount: 20}

A target such as `e14` is of one look at one page; its role and name are in that look, `- button "Save" [ref=e14]`, and
in the code that the tool says it ran. What leads to a button (looks, links, fields) is no call of its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from consolidation.learning.runs import values

if TYPE_CHECKING:
    from consolidation.learning.runs.run import Call

_TOOL = re.compile(r"(?:^|[_.:/-])browser_([a-z_]+)$")
_WAYS = frozenset({
    "click", "close", "console_messages", "fill_form", "find", "handle_dialog", "hover", "navigate", "navigate_back",
    "network_requests", "press_key", "resize", "select_option", "snapshot", "tabs", "take_screenshot", "type",
    "wait_for",
})  # fmt: skip
_PRESSED, _CHECKED = frozenset({"button", "menuitem"}), frozenset({"checkbox", "radio", "switch"})
_SEEN = re.compile(r"- '?(\w+)(?: \"((?:[^\"\\]|\\.)*)\")?[^\n]*?\[ref=(\w+)\]")
_RAN = re.compile(r"getByRole\('(\w+)', \{ name: '((?:[^'\\]|\\.)*)'")
_URL = re.compile(r"^- Page URL: (\S+)$", re.MULTILINE)
_TITLE = re.compile(r"^- Page Title: (.+)$", re.MULTILINE)
_LINE = re.compile(
    r"^ *- '?(?!/url)(?:[\w-]+)(?: \"((?:[^\"\\]|\\.)*)\")?[^:\n]*(?::(?: \"?(.*?)\"?)?)?'?$", re.MULTILINE
)
_KIND = re.compile(
    r"\s+(?:button|link|tab|menu ?item|checkbox|radio|field|input|text ?box|box|drop ?down|select|combo ?box)$", re.I
)
_LINKS = re.compile(r"\s(?:link|tab|row|cell|heading)$", re.IGNORECASE)
_PASSWORD = re.compile(r"passw|passcode|secret|\botp\b|\bpin\b", re.IGNORECASE)
# Buttons that lead on, and change nothing.
_LEADING = frozenset({
    "", "accept", "accept all", "back", "close", "expand", "log in", "login", "menu", "more", "next", "ok", "previous",
    "sign in",
})  # fmt: skip
_SEARCHED = re.compile(r"(?:search|find|filter|look|query|go to|jump|q)\b", re.IGNORECASE)
LONGEST_NAME = 60
LONGEST_TEXT = 6_000
MESSAGE_WORDS = 2  # least words of a message, which a form shows that was refused


class _Element(NamedTuple):
    role: str  # '' where neither a look nor the code tells
    name: str


@dataclass
class _Page:
    """What is known while the calls of a run are read in order."""

    url: str = ""
    opened: str = ""  # its address as an operation names it; '' where a button led here
    elements: dict[str, _Element] = field(default_factory=dict)
    filled: dict[str, Any] = field(default_factory=dict)
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)  # by button, until another page is opened


def is_way(tool: str) -> bool:
    """Return whether this is a tool of a browser by which an agent looks, fills in or presses."""
    return (match := _TOOL.search(tool)) is not None and match[1] in _WAYS


def by_pages(calls: Iterable["Call"]) -> list["Call"]:
    """Return the calls in order, those of a browser as pages that were opened and buttons that were pressed.

    The result of each is the page that came then. A button that is pressed again before another page is opened was
    refused the time before.
    """
    read: list[Call] = []
    page = _Page()
    last = -1  # the act to which what the browser shows belongs
    for call in calls:
        if not is_way(call.called):
            read.append(call)
            continue
        act = None if call.failed else _act(call, page)
        if act is not None:
            if act.button and last >= 0 and read[last].button == act.button:
                read[last] = _refused(read[last], read[:last])
            read.append(act)
            last = len(read) - 1
        if last >= 0 and not call.failed:
            read[last] = _shown(read[last], _text(call))
    return read


def _act(call: "Call", page: _Page) -> "Call | None":
    """Return the page that a call opens or the button that it presses; None for what only leads there."""
    text, arguments = _text(call), call.sent
    element = _element(arguments, page, text)
    page.elements.update({ref: _Element(role, _plain(name)) for role, name, ref in _SEEN.findall(text)})
    _fill(call, element, page)
    button = _button(call, element)
    if button:
        fields = {**page.sent.get(button, {}), **page.filled}
        page.sent[button], page.filled = fields, {}
        on, page.opened = page.opened, ""
        page.url = _url(text) or page.url
        return replace(call, args=fields, result=None, button=button, page=on)
    url = _url(text)
    if url and url != page.url:
        page.url, page.filled, page.sent = url, {}, {}
        act = replace(call, args={"method": "GET", "url": url}, result=None)
        page.opened = act.name.partition(" ")[2]
        return act
    return None


def _element(arguments: Mapping[str, Any], page: _Page, text: str) -> _Element:
    """Return what a call is for: as the last look showed it, as the code says, else in the agent's words."""
    target = str(arguments.get("target") or arguments.get("ref") or "")
    if target in page.elements:
        return page.elements[target]
    if ran := _RAN.search(text):
        return _Element(ran[1], _plain(ran[2]))
    words = str(arguments.get("name") or arguments.get("element") or "").strip()
    return _Element("link" if _LINKS.search(words) else "", _KIND.sub("", words))


def _fill(call: "Call", element: _Element, page: _Page) -> None:
    """Note what a call fills in."""
    given: list[tuple[str, Any]] = []
    if "text" in call.sent and _does(call) == "type":
        given = [(element.name, call.sent["text"])]
    elif _does(call) == "select_option":
        chosen = call.sent.get("values")
        given = [(element.name, chosen[0] if isinstance(chosen, list) and len(chosen) == 1 else chosen)]
    elif _does(call) == "click" and element.role in _CHECKED:
        given = [(element.name, True)]
    elif _does(call) == "fill_form" and isinstance(fields := values.parsed(call.sent.get("fields")), list):
        objects = [each for each in fields if isinstance(each, dict)]
        given = [(_element(each, page, "").name, each.get("value")) for each in objects]
    page.filled.update((name, value) for name, value in given if name and not _PASSWORD.search(name))


def _button(call: "Call", element: _Element) -> str:
    """Return the name of the button that a call presses, without what differs from one record to the next."""
    does = _does(call)
    is_sent = does == "type" and call.sent.get("submit")
    if not is_sent and (does != "click" or element.role not in {*_PRESSED, ""}):
        return ""
    name = " ".join(word for word in element.name.split() if not any(map(str.isdigit, word)))[:LONGEST_NAME]
    return "" if name.lower() in _LEADING or (is_sent and _SEARCHED.match(name)) else name


def _does(call: "Call") -> str:
    match = _TOOL.search(call.called)
    return match[1] if match else ""


def _refused(act: "Call", before: Sequence["Call"]) -> "Call":
    """Return the act as one that failed, with the lines that only its page shows: what the form says is wrong."""
    known = {line for call in before if isinstance(call.result, str) for line in call.result.splitlines()}
    known |= {str(value) for value in act.arguments.values()}
    lines = [line for line in str(act.result or "").splitlines() if len(line.split()) >= MESSAGE_WORDS]
    return replace(act, ok=False, result="\n".join(line for line in lines if line not in known))


def _shown(act: "Call", text: str) -> "Call":
    """Add what the browser shows to the act that led there."""
    lines = [*str(act.result or "").splitlines(), *_texts(text)]
    return replace(act, result="\n".join(dict.fromkeys(lines))[:LONGEST_TEXT])


def _texts(look: str) -> list[str]:
    """Return the texts of a page: its title, what its elements are called and hold."""
    title = _TITLE.findall(look)[-1:]
    pairs = _LINE.findall(look.partition("```yaml")[2] or ("" if title else look))
    return [*title, *(_plain(text) for pair in pairs for text in pair if text)]


def _url(text: str) -> str:
    urls = _URL.findall(text)
    return urls[-1] if urls else ""


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name).strip()


def _text(call: "Call") -> str:
    """Return what a tool answered as text; MCP wraps it in a list of contents."""
    answer = values.parsed(call.result)
    if isinstance(answer, dict):
        answer = answer.get("content", answer.get("text", ""))
    if isinstance(answer, list):
        answer = "\n".join(str(part.get("text", "")) for part in answer if isinstance(part, dict))
    return answer if isinstance(answer, str) else ""
