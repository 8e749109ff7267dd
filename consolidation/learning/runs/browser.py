"""Calls of a browser's tools as operations: pages that are opened, buttons that are pressed.

    browser_navigate(url=https://a.example/orders/17/refund)     -> `GET a.example/orders/{order}/refund`
    browser_fill_form(fields=[{name: Amount, target: e11, value: 20}])
    browser_click(element=Book refund button, target=e14)        -> `press Book refund`, arguments {Amount: 20}

Read from Playwright MCP, Chrome DevTools MCP and command lines (`browser_lines`). A target such as `e14` is valid for
one snapshot, which gives its role and name. What leads to a button (snapshots, links, fields) is no call of its own. A
click on a switch, box or text counts as a button where the page then shows a message that it did not show before.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from consolidation.learning.runs import browser_lines, browser_pages, operations, values
from consolidation.learning.runs.browser_pages import Element
from consolidation.learning.runs.call import Call

_TOOL = re.compile(r"(?:^|[_.:/-])browser_([a-z_]+)$|chrome[_-]devtools[_.:/-]+([a-z_]+)$")
_ACTIONS = frozenset({
    "click", "close", "console_messages", "fill_form", "find", "handle_dialog", "hover", "navigate", "navigate_back",
    "network_requests", "press_key", "resize", "select_option", "snapshot", "tabs", "take_screenshot", "type",
    "wait_for",
})  # fmt: skip
_DEVTOOLS_ACTIONS = {
    "close_page": "close", "fill": "type", "get_console_message": "console_messages", "list_pages": "tabs",
    "get_network_request": "network_requests", "list_console_messages": "console_messages", "new_page": "navigate",
    "list_network_requests": "network_requests", "navigate_page": "navigate", "resize_page": "resize",
    "select_page": "tabs", "take_snapshot": "snapshot", "type_text": "type",
}  # fmt: skip
_TARGETS, _TEXTS, _FIELDS = ("target", "ref", "uid"), ("text", "value"), ("fields", "elements")
_BUTTON_ROLES, _CLICKABLE_ROLES = frozenset({"button", "menuitem"}), frozenset({"checkbox", "generic", "switch"})
_LOOKING_ACTIONS = frozenset(
    {"console_messages", "find", "hover", "look", "network_requests", "snapshot", "take_screenshot", "wait_for"}
)
_KIND = re.compile(
    r"\s+(?:button|link|tab|menu ?item|checkbox|radio|field|input|text ?box|box|drop ?down|select|combo ?box)$", re.I
)
_LINKS = re.compile(r"\s(?:link|tab|row|cell|heading)$", re.IGNORECASE)
_PASSWORD = re.compile(r"passw|passcode|secret|\botp\b|\bpin\b", re.IGNORECASE)
# Buttons that lead on, and change nothing.
_NAVIGATING_NAMES = frozenset({
    "", "accept", "accept all", "back", "cancel", "close", "expand", "log in", "login", "menu", "more", "next", "ok",
    "previous", "sign in", "abbrechen", "anmelden", "schließen", "weiter", "zurück", "登录", "上一步", "下一步", "返回",
    "关闭", "取消", "更多", "确定",
})  # fmt: skip
_SEARCH_FIELD = re.compile(r"(?:search|find|filter|look|query|go to|jump|q|such\w+)\b|[搜查]", re.IGNORECASE)
_OF_RECORD = re.compile(r"[\d@]")  # in a word that names one record or person
LONGEST_NAME = 60
LONGEST_TEXT = 6_000
MESSAGE_WORDS = 2  # least words of a message


@dataclass
class _Page:
    """The page that the browser shows, while the calls of a run are read in order."""

    url: str = ""
    address: str = ""  # as an operation names it, `a.example/orders/{order}`; '' where a button led here
    elements: dict[str, Element] = field(default_factory=dict)  # by target
    fields: dict[str, Any] = field(default_factory=dict)  # filled in since the last button
    typed_texts: set[str] = field(default_factory=set)  # all values filled in during the run
    presses: dict[str, Call] = field(default_factory=dict)  # by button, until another page is opened
    ticks: dict[str, bool] = field(default_factory=dict)  # boxes and radios, as shown last or clicked since
    first_ticks: dict[str, bool] = field(default_factory=dict)  # as shown first
    messages: frozenset[str] | None = None  # as shown last; None: no snapshot since the last act
    pending_click: Call | None = None  # becomes an act if the page then shows a new message

    def see(self, answer: str) -> bool:
        """Read a snapshot of the page; return whether it shows a message that was not there before."""
        new_elements = dict(browser_pages.elements(answer))
        self.elements.update(new_elements)
        if not new_elements:
            return False
        for element in new_elements.values():
            if element.ticked is not None:
                self.ticks[element.name] = element.ticked
                self.first_ticks.setdefault(element.name, element.ticked)
        before, self.messages = self.messages, frozenset(browser_pages.alerts(answer))
        return before is not None and any(len(line.split()) >= MESSAGE_WORDS for line in self.messages - before)

    def take_pending_click(self) -> Call | None:
        """Return the pending click and forget it, with its fields: they belong to no later form."""
        act, self.pending_click = self.pending_click, None
        for name in act.arguments if act else ():
            self.fields.pop(name, None)
        return act

    def tick(self, element: Element, *, on: bool) -> None:
        """Remember a box; of radios of one group the others are off."""
        radios = self.elements.values() if element.role == "radio" and on else ()
        self.ticks |= {radio.name: False for radio in radios if (radio.role, radio.group) == ("radio", element.group)}
        self.ticks[element.name] = on

    def sent_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields with the present state of boxes; one that is off is left out unless it was on at first."""
        now = {
            name: self.ticks.get(name, value) if isinstance(value, bool) else value for name, value in fields.items()
        }
        return {name: value for name, value in now.items() if value is not False or self.first_ticks.get(name, True)}


class _Step(NamedTuple):
    """A call of a browser's tool, by itself or within a command line.

    `action`: as Playwright names it; `answer`: a command line's belongs to its last step, the others have ''.
    """

    action: str
    arguments: Mapping[str, Any]
    answer: str = ""
    of_line: bool = False

    @property
    def address(self) -> str:
        """The address of the page that the step led to; '' where the answer names none."""
        requested_url = str(self.arguments.get("url") or "") if self.of_line and self.action == "navigate" else ""
        return browser_pages.address(self.answer) or requested_url


def by_pages(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those of a browser as pages that were opened and buttons that were pressed.

    The result of each is the text of the page that followed. A press counts as failed where the same form is sent again
    with mostly the same fields, and no other page, or the form of the same record, was opened in between.
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
    """The calls of a run read so far.

    `_act_index`: of the act that led to the page shown; `_press_index`: of the last button; -1 for none. `_form_url`:
    the address at which that button was pressed.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._page, self._known_lines = _Page(), list[str]()
        self._act_index, self._press_index, self._form_url = -1, -1, ""

    def read(self, call: Call, step: _Step) -> None:
        """Add the act of a step, if any, and the page's text to the act that led there."""
        form = self._page.url
        if step.action not in _LOOKING_ACTIONS:
            self._page.pending_click = None
        act = _act(call, step, self._page)
        if self._page.see(step.answer) and act is None:
            act = self._page.take_pending_click()
        if act is not None:
            if act.button:
                self._mark_refused_press(act, form)
            self._known_lines = self._act_text().splitlines()
            self.calls.append(act)
            self._act_index = len(self.calls) - 1
            if act.button:
                self._press_index, self._form_url = self._act_index, form
        if self._act_index >= 0:
            shown = _with_page_text(self.calls[self._act_index], step.answer, self._known_lines, self._page.typed_texts)
            self.calls[self._act_index] = shown

    def _act_text(self) -> str:
        return str(self.calls[self._act_index].result or "") if self._act_index >= 0 else ""

    def _mark_refused_press(self, act: Call, form: str) -> None:
        """Mark the last press of the same button as one that failed, where this one repeats it."""
        last = self.calls[self._press_index] if self._press_index >= 0 else None
        is_same_form = form == self._form_url and operations.ID_START in act.page
        is_again = last and last.button == act.button and (self._press_index == self._act_index or is_same_form)
        if last and is_again and _repeats(act.arguments, last.arguments):
            self.calls[self._press_index] = replace(last, ok=False, result=last.page_message)


def _repeats(fields: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Return whether at least half of a form is as it was: two notes that are added one after the other are two."""
    same = [name for name, value in before.items() if fields.get(name, value is True) == value]  # a tick may be lost
    return bool(same) and len(same) * 2 >= len(before)


def _steps(call: Call) -> list[_Step]:
    """Return the browser steps of a call; [] for a call of another tool."""
    match = _TOOL.search(call.tool_name)
    action = match[1] or _DEVTOOLS_ACTIONS.get(match[2], match[2]) if match else ""
    if action in _ACTIONS:
        return [_Step(action, call.recorded_arguments, browser_pages.answer(call.result))]
    steps = [_Step(*browser_call, of_line=True) for browser_call in browser_lines.calls(call.command_line)]
    return [*steps[:-1], steps[-1]._replace(answer=browser_pages.answer(call.result))] if steps else []


def _act(call: Call, step: _Step, page: _Page) -> Call | None:
    """Return the call of the page that a step opens or the button that it presses; None for any other step."""
    element = _element(step.arguments, page, step.answer)
    page.fields.update(
        (name, value) for name, value in _field_values(step, element, page) if not _PASSWORD.search(name)
    )
    page.typed_texts.update(map(str, page.fields.values()))
    button, url = _button(step, element), step.address
    if button:
        last_press = page.presses.get(button)
        fields = page.sent_fields({**(last_press.arguments if last_press else {}), **page.fields})
        address = page.address or (last_press.page if last_press else "")
        page.presses[button] = replace(call, args=fields, result=None, button=button, page=address)
        page.address, page.url, page.fields, page.messages = "", url or page.url, {}, None
        return page.presses[button]
    if not url or url == page.url:
        if (
            step.action in ("click", "check", "uncheck")
            and element.role in _CLICKABLE_ROLES
            and (name := _name(element))
        ):
            fields = {element.name: page.ticks[element.name]} if element.name in page.ticks else {}
            page.pending_click = replace(call, args=fields, result=None, button=name, page=page.address)
        return None
    act = replace(call, args={"method": "GET", "url": url}, result=None)
    page.url, page.address, page.fields, page.presses = url, act.name.partition(" ")[2], {}, {}
    page.ticks, page.first_ticks, page.messages = {}, {}, None
    return replace(act, page=page.address)


def _element(arguments: Mapping[str, Any], page: _Page, answer: str) -> Element:
    """Return the element that a step is for: of the last snapshot, of the code that ran, else as the agent tells it."""
    target = next((str(arguments[key]) for key in _TARGETS if arguments.get(key)), "")
    description = str(arguments.get("name") or arguments.get("element") or "").strip()
    if element := page.elements.get(target) or browser_pages.acted_element(answer):
        return (
            element if element.name or element.role != "generic" else element._replace(name=_KIND.sub("", description))
        )
    if arguments.get("role"):
        return Element(str(arguments["role"]), description)
    return Element("link" if _LINKS.search(description) else "", _KIND.sub("", description))


def _field_values(step: _Step, element: Element, page: _Page) -> list[tuple[str, Any]]:
    """Return (field, value) of what a step fills in."""
    action, arguments = step.action, step.arguments
    if action == "fill_form":
        entries: Any = next((values.parse_json(arguments[key]) for key in _FIELDS if key in arguments), [])
        forms = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        pairs = [_field(_element(entry, page, ""), entry, page) for entry in forms]
    elif action == "select_option":
        options = arguments.get("values")
        pairs = [(element.name, options[0] if isinstance(options, list) and len(options) == 1 else options)]
    elif action in ("check", "uncheck") or (action == "click" and element.role in browser_pages.TICKED):
        is_off = action == "uncheck" or (action == "click" and element.role != "radio" and page.ticks.get(element.name))
        page.tick(element, on=not is_off)
        pairs = [(element.name, not is_off)]
    else:
        pairs = [(element.name, arguments[key]) for key in _TEXTS if key in arguments and action == "type"]
    return [(name, value) for name, value in pairs if name]


def _field(element: Element, arguments: Mapping[str, Any], page: _Page) -> tuple[str, Any]:
    """Return (field, value) of one field of a form: of a box whether it is on."""
    value = arguments.get("value")
    if {element.role, str(arguments.get("type"))} & browser_pages.TICKED and str(value).lower() in ("true", "false"):
        value = str(value).lower() == "true"
        page.tick(element, on=value)
    return element.name, value


def _name(element: Element) -> str:
    """Return the name of a button without words with digits or @; '' for one that only navigates."""
    name = " ".join(word for word in element.name.split() if not _OF_RECORD.search(word))[:LONGEST_NAME]
    return "" if name.lower() in _NAVIGATING_NAMES else name


def _button(step: _Step, element: Element) -> str:
    """Return the name of the button that a step presses; '' for none, and for a search field that is submitted."""
    submits = step.action == "type" and (step.arguments.get("submit") or step.arguments.get("submitKey") == "Enter")
    if not submits and (step.action != "click" or element.role not in {*_BUTTON_ROLES, ""}):
        return ""
    name = _name(element)
    return "" if submits and _SEARCH_FIELD.match(name) else name


def _with_page_text(act: Call, answer: str, known_lines: Sequence[str], typed_texts: Collection[str]) -> Call:
    """Add the text of the page to the act that led there, without the values that the agent filled in."""
    texts = [line for line in browser_pages.texts(answer) if line not in typed_texts]
    lines = list(dict.fromkeys([*str(act.result or "").splitlines(), *texts]))
    new = [line for line in lines if line not in known_lines and len(line.split()) >= MESSAGE_WORDS]
    message = "\n".join(browser_pages.alerts(answer)) or act.page_message or "\n".join(new)
    return replace(act, result="\n".join(lines)[:LONGEST_TEXT], page_message=message if act.button else "")
