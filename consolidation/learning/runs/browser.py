"""Calls of a browser's tools by what they do on its pages: pages that are opened, buttons that are pressed.

    browser_navigate(url=https://a.example/orders/17/refund)     -> `GET a.example/orders/{order}/refund`
    browser_fill_form(fields=[{name: Amount, target: e11, value: 20}])
    browser_click(element=Book refund button, target=e14)        -> `press Book refund`, arguments {Amount: 20}

Of Playwright MCP, Chrome DevTools MCP and command lines (`browser_lines`). A target such as `e14` is of one look at one
page, which tells its role and name. What leads to a button (looks, links, fields) is no call of its own. A switch, a
box or a text is pressed like a button where the page shows a message after it that it did not show before.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from consolidation.learning.runs import browser_lines, browser_pages, operations, values
from consolidation.learning.runs.browser_pages import Element
from consolidation.learning.runs.call import Call

_TOOL = re.compile(r"(?:^|[_.:/-])browser_([a-z_]+)$|chrome[_-]devtools[_.:/-]+([a-z_]+)$")
_WAYS = frozenset({
    "click", "close", "console_messages", "fill_form", "find", "handle_dialog", "hover", "navigate", "navigate_back",
    "network_requests", "press_key", "resize", "select_option", "snapshot", "tabs", "take_screenshot", "type",
    "wait_for",
})  # fmt: skip
_OF_DEVTOOLS = {
    "close_page": "close", "fill": "type", "get_console_message": "console_messages", "list_pages": "tabs",
    "get_network_request": "network_requests", "list_console_messages": "console_messages", "new_page": "navigate",
    "list_network_requests": "network_requests", "navigate_page": "navigate", "resize_page": "resize",
    "select_page": "tabs", "take_snapshot": "snapshot", "type_text": "type",
}  # fmt: skip
_TARGETS, _TYPED, _FIELDS = ("target", "ref", "uid"), ("text", "value"), ("fields", "elements")
_PRESSED, _MAY_ACT = frozenset({"button", "menuitem"}), frozenset({"checkbox", "generic", "switch"})
_LOOKS = frozenset(
    {"console_messages", "find", "hover", "look", "network_requests", "snapshot", "take_screenshot", "wait_for"}
)
_KIND = re.compile(
    r"\s+(?:button|link|tab|menu ?item|checkbox|radio|field|input|text ?box|box|drop ?down|select|combo ?box)$", re.I
)
_LINKS = re.compile(r"\s(?:link|tab|row|cell|heading)$", re.IGNORECASE)
_PASSWORD = re.compile(r"passw|passcode|secret|\botp\b|\bpin\b", re.IGNORECASE)
# Buttons that lead on, and change nothing.
_LEADING = frozenset({
    "", "accept", "accept all", "back", "cancel", "close", "expand", "log in", "login", "menu", "more", "next", "ok",
    "previous", "sign in", "abbrechen", "anmelden", "schließen", "weiter", "zurück", "登录", "上一步", "下一步", "返回",
    "关闭", "取消", "更多", "确定",
})  # fmt: skip
_SEARCHED = re.compile(r"(?:search|find|filter|look|query|go to|jump|q|such\w+)\b|[搜查]", re.IGNORECASE)
_OF_ONE = re.compile(r"[\d@]")  # a word of one record or person
LONGEST_NAME = 60
LONGEST_TEXT = 6_000
MESSAGE_WORDS = 2  # least words of a message


@dataclass
class _Page:
    """What is known while the calls of a run are read in order."""

    url: str = ""
    opened: str = ""  # its address as an operation names it; '' where a button led here
    elements: dict[str, Element] = field(default_factory=dict)
    filled: dict[str, Any] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)  # all that was filled in
    sent: dict[str, Call] = field(default_factory=dict)  # by button, until another page is opened
    ticks: dict[str, bool] = field(default_factory=dict)  # boxes and radios, as shown last or clicked since
    ticked_first: dict[str, bool] = field(default_factory=dict)  # as shown first
    told: frozenset[str] | None = None  # its messages; None: nobody has looked since the last act
    clicked: Call | None = None  # an act if the page tells of it

    def see(self, answer: str) -> bool:
        """Read a look at the page; whether it shows a message that was not there before."""
        shown = dict(browser_pages.elements(answer))
        self.elements.update(shown)
        if not shown:
            return False
        for element in shown.values():
            if element.ticked is not None:
                self.ticks[element.name] = element.ticked
                self.ticked_first.setdefault(element.name, element.ticked)
        before, self.told = self.told, frozenset(browser_pages.alerts(answer))
        return before is not None and any(len(line.split()) >= MESSAGE_WORDS for line in self.told - before)

    def acted(self) -> Call | None:
        """Return what was clicked before the page told of it; what it says goes into no form then."""
        act, self.clicked = self.clicked, None
        for name in act.arguments if act else ():
            self.filled.pop(name, None)
        return act

    def tick(self, element: Element, *, on: bool) -> None:
        """Remember a box; of radios of one group the others are off."""
        others = self.elements.values() if element.role == "radio" and on else ()
        self.ticks |= {each.name: False for each in others if (each.role, each.group) == ("radio", element.group)}
        self.ticks[element.name] = on

    def as_sent(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields with boxes as they are; one that is off is told only where it was on at first."""
        now = {
            name: self.ticks.get(name, value) if isinstance(value, bool) else value for name, value in fields.items()
        }
        return {name: value for name, value in now.items() if value is not False or self.ticked_first.get(name, True)}


class _Step(NamedTuple):
    """A call of a browser's tool, alone or one of a command line. `does`: as Playwright names it; `answer`: of a line
    that of its last one alone."""

    does: str
    sent: Mapping[str, Any]
    answer: str = ""
    of_line: bool = False

    @property
    def address(self) -> str:
        """The address of the page that came."""
        opened = str(self.sent.get("url") or "") if self.of_line and self.does == "navigate" else ""
        return browser_pages.address(self.answer) or opened


def by_pages(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those of a browser as pages that were opened and buttons that were pressed.

    The result of each is the page that came then. A form that is sent again, mostly as it was, was refused the time
    before, where no other page was opened in between, or the form of the same record.
    """
    steps = [(call, _steps(call)) for call in calls]
    if not any(step.address for _, of_call in steps for step in of_call):
        return [call for call, _ in steps]  # of no browser, or of one whose answers tell nothing of its pages
    reading = _Reading()
    for call, of_call in steps:
        if not of_call:
            reading.calls.append(call)
        for step in of_call if not call.failed else ():
            reading.read(call, step)
    return reading.calls


class _Reading:
    """The calls of a run as far as they are read. `shown_by` and `pressed`: the places of the act to which what the
    browser shows belongs, and of the last button; `form`: the address at which it was pressed."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._page, self._known = _Page(), list[str]()
        self._shown_by, self._pressed, self._form = -1, -1, ""

    def read(self, call: Call, step: _Step) -> None:
        """Add what a step of a call does, and what the browser shows then to the act that led there."""
        form = self._page.url
        if step.does not in _LOOKS:
            self._page.clicked = None
        act = _act(call, step, self._page)
        if self._page.see(step.answer) and act is None:
            act = self._page.acted()
        if act is not None:
            if act.button:
                self._was_refused(act, form)
            self._known = self._shown().splitlines()
            self.calls.append(act)
            self._shown_by = len(self.calls) - 1
            if act.button:
                self._pressed, self._form = self._shown_by, form
        if self._shown_by >= 0:
            shown = _shown(self.calls[self._shown_by], step.answer, self._known, self._page.typed)
            self.calls[self._shown_by] = shown

    def _shown(self) -> str:
        return str(self.calls[self._shown_by].result or "") if self._shown_by >= 0 else ""

    def _was_refused(self, act: Call, form: str) -> None:
        """Mark the last press of the same button as one that failed, where this one repeats it."""
        last = self.calls[self._pressed] if self._pressed >= 0 else None
        is_same_form = form == self._form and operations.ONE in act.page
        is_again = last and last.button == act.button and (self._pressed == self._shown_by or is_same_form)
        if last and is_again and _repeats(act.arguments, last.arguments):
            self.calls[self._pressed] = replace(last, ok=False, result=last.says)


def _repeats(fields: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Return whether at least half of a form is as it was: two notes that are added one after the other are two."""
    same = [name for name, value in before.items() if fields.get(name, value is True) == value]  # a tick may be lost
    return bool(same) and len(same) * 2 >= len(before)


def _steps(call: Call) -> list[_Step]:
    """Return what a call does in a browser; none for any other call."""
    match = _TOOL.search(call.called)
    does = match[1] or _OF_DEVTOOLS.get(match[2], match[2]) if match else ""
    if does in _WAYS:
        return [_Step(does, call.sent, browser_pages.answer(call.result))]
    steps = [_Step(*each, of_line=True) for each in browser_lines.calls(call.command_line)]
    return [*steps[:-1], steps[-1]._replace(answer=browser_pages.answer(call.result))] if steps else []


def _act(call: Call, step: _Step, page: _Page) -> Call | None:
    """Return the page that a step opens or the button that it presses; None for what only leads there."""
    element = _element(step.sent, page, step.answer)
    page.filled.update((name, value) for name, value in _filled(step, element, page) if not _PASSWORD.search(name))
    page.typed.update(map(str, page.filled.values()))
    button, url = _button(step, element), step.address
    if button:
        before = page.sent.get(button)
        fields = page.as_sent({**(before.arguments if before else {}), **page.filled})
        on = page.opened or (before.page if before else "")
        page.sent[button] = replace(call, args=fields, result=None, button=button, page=on)
        page.opened, page.url, page.filled, page.told = "", url or page.url, {}, None
        return page.sent[button]
    if not url or url == page.url:
        if step.does in ("click", "check", "uncheck") and element.role in _MAY_ACT and (name := _name(element)):
            fields = {element.name: page.ticks[element.name]} if element.name in page.ticks else {}
            page.clicked = replace(call, args=fields, result=None, button=name, page=page.opened)
        return None
    act = replace(call, args={"method": "GET", "url": url}, result=None)
    page.url, page.opened, page.filled, page.sent = url, act.name.partition(" ")[2], {}, {}
    page.ticks, page.ticked_first, page.told = {}, {}, None
    return replace(act, page=page.opened)


def _element(arguments: Mapping[str, Any], page: _Page, answer: str) -> Element:
    """Return what a call is for: as the last look showed it, as the code says, else in the agent's words."""
    target = next((str(arguments[key]) for key in _TARGETS if arguments.get(key)), "")
    words = str(arguments.get("name") or arguments.get("element") or "").strip()
    if told := page.elements.get(target) or browser_pages.acted_on(answer):
        return told if told.name or told.role != "generic" else told._replace(name=_KIND.sub("", words))
    if arguments.get("role"):
        return Element(str(arguments["role"]), words)
    return Element("link" if _LINKS.search(words) else "", _KIND.sub("", words))


def _filled(step: _Step, element: Element, page: _Page) -> list[tuple[str, Any]]:
    """Return (field, value) of what a step fills in."""
    does, sent = step.does, step.sent
    if does == "fill_form":
        fields: Any = next((values.parsed(sent[key]) for key in _FIELDS if key in sent), [])
        objects = [each for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []
        given = [_field(_element(each, page, ""), each, page) for each in objects]
    elif does == "select_option":
        chosen = sent.get("values")
        given = [(element.name, chosen[0] if isinstance(chosen, list) and len(chosen) == 1 else chosen)]
    elif does in ("check", "uncheck") or (does == "click" and element.role in browser_pages.TICKED):
        is_off = does == "uncheck" or (does == "click" and element.role != "radio" and page.ticks.get(element.name))
        page.tick(element, on=not is_off)
        given = [(element.name, not is_off)]
    else:
        given = [(element.name, sent[key]) for key in _TYPED if key in sent and does == "type"]
    return [(name, value) for name, value in given if name]


def _field(element: Element, sent: Mapping[str, Any], page: _Page) -> tuple[str, Any]:
    """Return (field, value) of one field of a form: of a box whether it is on."""
    value = sent.get("value")
    if {element.role, str(sent.get("type"))} & browser_pages.TICKED and str(value).lower() in ("true", "false"):
        value = str(value).lower() == "true"
        page.tick(element, on=value)
    return element.name, value


def _name(element: Element) -> str:
    """Return the name of what is pressed, without what differs from one record to the next."""
    name = " ".join(word for word in element.name.split() if not _OF_ONE.search(word))[:LONGEST_NAME]
    return "" if name.lower() in _LEADING else name


def _button(step: _Step, element: Element) -> str:
    """Return the name of the button that a step presses; '' for none, and for a field that is searched in."""
    is_sent = step.does == "type" and (step.sent.get("submit") or step.sent.get("submitKey") == "Enter")
    if not is_sent and (step.does != "click" or element.role not in {*_PRESSED, ""}):
        return ""
    name = _name(element)
    return "" if is_sent and _SEARCHED.match(name) else name


def _shown(act: Call, answer: str, known: Sequence[str], typed: Collection[str]) -> Call:
    """Add what the browser shows to the act that led there, without what the agent filled in."""
    texts = [line for line in browser_pages.texts(answer) if line not in typed]
    lines = list(dict.fromkeys([*str(act.result or "").splitlines(), *texts]))
    new = [line for line in lines if line not in known and len(line.split()) >= MESSAGE_WORDS]
    said = "\n".join(browser_pages.alerts(answer)) or act.says or "\n".join(new)
    return replace(act, result="\n".join(lines)[:LONGEST_TEXT], says=said if act.button else "")
