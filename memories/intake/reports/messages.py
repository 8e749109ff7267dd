"""Chat messages, OpenAI's or Anthropic's form, as the events of an episode: one per message and one per tool call.

Of OpenAI's Responses API also the items without a role: calls, their outputs, and what is told of the reasoning.
"""

from datetime import datetime
from typing import Any

from memories.intake.reports.drafts import BAD_ARGUMENTS, ORPHAN_RESULT, UNANSWERED_CALL, EventDraft, OpenCalls
from memories.values import roles, strict_json
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import LONGEST_NAME, Faults, as_text
from memories.values.field_types import LONGEST_TEXT

LONGEST_ROLE = 32
MOST_EVENTS = 50_000
CALLS = {"function_call": "arguments", "mcp_call": "arguments", "custom_tool_call": "input"}  # items, and what is sent
OUTPUTS = {"function_call_output", "custom_tool_call_output"}
REASONING = "reasoning"


class Reader:
    """Reads messages one by one, pairs calls with results, and collects every error."""

    def __init__(self) -> None:
        self.events: list[EventDraft] = []
        self.faults = Faults()
        self._open = OpenCalls()

    def read(self, messages: list[Any]) -> list[EventDraft]:
        """The events in order. Invalid names every wrong field of every message."""
        for number, message in enumerate(messages):
            self._open.turn = number
            self._message(message, f"/messages/{number}")
        self.faults.settle()
        for call in self._open:
            call.flags.append(UNANSWERED_CALL)
        return self.events

    def _add(self, draft: EventDraft) -> None:
        if len(self.events) == MOST_EVENTS:
            raise Invalid(FieldError("/messages", "too_long", f"hold more than {MOST_EVENTS:,} events"))
        self.events.append(draft)

    def _message(self, message: Any, pointer: str) -> None:
        if not isinstance(message, dict):
            return self.faults.add(pointer, "not_an_object", "must be an object with role and content")
        if "role" not in message and _is_item(message.get("type")):
            return self._item(message, pointer)
        role = self.faults.text(message, "role", pointer, longest=LONGEST_ROLE)
        if role is None:
            return None
        if not role.strip():
            return self.faults.add(f"{pointer}/role", "required", "is required")
        common = {
            "role": role,
            "actor": self.faults.text(message, "name", pointer) or "",
            "ref": self.faults.identifier(message, "ref", pointer),
            "at": self.faults.instant(message, "timestamp", pointer),
        }
        if roles.of(role) == roles.TOOL:
            return self._answer(message.get("tool_call_id"), message, pointer, common)
        content = message.get("content")
        self._content(message.get("refusal") if content in (None, "") else content, f"{pointer}/content", common)
        return self._calls(message, pointer, common)

    def _item(self, item: dict[str, Any], pointer: str) -> None:
        """An item without a role; a call of a tool of OpenAI's own (web_search_call) leaves its kind in brackets."""
        kind, ref, error = item["type"], item.get("call_id") or item.get("id"), item.get("error")
        at = self.faults.instant(item, "timestamp", pointer)
        common = {"role": roles.ASSISTANT, "actor": "", "ref": "", "at": at}
        if kind == REASONING:
            return self._content(item.get("summary"), f"{pointer}/summary", common)
        if kind in CALLS:
            name = "call_id" if item.get("call_id") else "id"
            self._call(item, CALLS[kind], pointer, common, ref=self.faults.identifier(item, name, pointer))
        elif kind not in OUTPUTS:
            return self._content([item], pointer, common)
        if kind in OUTPUTS or item.get("output") is not None or error is not None:  # an `mcp_call` holds its own
            is_error = None if error is None else True
            output = item.get("output") if error is None else error
            self._answer(ref, {"content": output, "is_error": is_error}, pointer, common, "output")
        return None

    def _content(self, content: Any, pointer: str, common: dict[str, Any]) -> None:
        """Text as message events; Anthropic's tool_use and tool_result blocks as calls and their results, in order."""
        parts = content if isinstance(content, list) else [] if content is None else [content]
        if content is not None and not isinstance(content, list | str):
            return self.faults.add(pointer, "not_content", "must be a text or a list of parts")
        texts: list[str] = []
        for number, part in enumerate(parts):
            place = f"{pointer}/{number}"
            kind = part.get("type") if isinstance(part, dict) else None
            if kind not in ("tool_use", "tool_result"):
                texts.append(self._part(part, place))
                continue
            self._add_message(texts, pointer, common)
            if kind == "tool_use":
                ref = self.faults.identifier(part, "id", place)
                self._call(part, "input", place, common, ref=ref)
            else:
                self._answer(part.get("tool_use_id"), part, place, common)
        return self._add_message(texts, pointer, common)

    def _add_message(self, texts: list[str], pointer: str, common: dict[str, Any]) -> None:
        text = "\n".join(text for text in texts if text)
        texts.clear()
        if len(text) > LONGEST_TEXT and roles.of(common["role"]) == roles.ASSISTANT:
            text = cut(text)
        if len(text) > LONGEST_TEXT:
            self.faults.add(pointer, "too_long", f"is longer than {LONGEST_TEXT:,} characters")
        elif text:
            self._add(EventDraft(kind="message", text=text, **common))

    def _part(self, part: Any, pointer: str) -> str:
        """The text of one part; what is no text (an image, a file) leaves its kind in brackets."""
        if isinstance(part, str):
            return part
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            self.faults.add(pointer, "not_a_part", "must be a text or an object with a type")
            return ""
        value = part.get("text")
        if isinstance(value, dict):  # of OpenAI's assistants: {value, annotations}
            value = value.get("value")
        if not isinstance(value, str | None):
            self.faults.add(f"{pointer}/text", "not_text", "must be a text")
        text = next(
            (text for text in (value, part.get("thinking"), part.get("refusal")) if isinstance(text, str)), None
        )
        return text if text is not None else f"[{part['type'][:64]}]"

    def _calls(self, message: dict[str, Any], pointer: str, common: dict[str, Any]) -> None:
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            return self.faults.add(f"{pointer}/tool_calls", "not_a_list", "must be a list of calls")
        for number, call in enumerate(calls):
            self._function(call, f"{pointer}/tool_calls/{number}", "function", common)
        if message.get("function_call"):  # how OpenAI wrote its only call before there were several
            self._function(message, pointer, "function_call", common)
        return None

    def _function(self, holder: Any, pointer: str, name: str, common: dict[str, Any]) -> None:
        function = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(function, dict):
            ref = self.faults.identifier(holder, "id", pointer)
            self._call(function, "arguments", f"{pointer}/{name}", common, ref=ref)
        else:
            self.faults.add(f"{pointer}/{name}", "required", "is required")

    def _call(self, function: dict[str, Any], field: str, pointer: str, common: dict[str, Any], *, ref: str) -> None:
        """`function` holds the tool's name, and its arguments in `field`."""
        tool = self.faults.text(function, "name", pointer)
        if tool is not None and not tool.strip():
            self.faults.add(f"{pointer}/name", "required", "is required")
        args, flags = _arguments(function.get(field))
        self.faults.fits(args, f"{pointer}/{field}")
        call = EventDraft(
            "tool_call", **{**common, "ref": ref or common["ref"]}, tool=tool or "", args=args, flags=flags
        )
        self._add(call)
        self._open.add(call)

    def _answer(
        self, call_id: Any, block: dict[str, Any], pointer: str, common: dict[str, Any], field: str = "content"
    ) -> None:
        """A result belongs to an unanswered call with its id (without an id: of its tool), see `OpenCalls.take`."""
        ref, tool = (value if isinstance(value, str) else "" for value in (as_text(call_id), block.get("name")))
        result, is_error = self._result(block.get("content"), f"{pointer}/{field}"), block.get("is_error")
        ok = not is_error if isinstance(is_error, bool) else None
        if call := self._open.take(ref=ref, tool=tool):
            call.result, call.ok, call.latency_ms = result, ok, _latency(call.at, common["at"])
            return
        orphan = EventDraft("tool_result", **{**common, "role": "tool", "ref": (ref or common["ref"])[:LONGEST_NAME]})
        orphan.tool, orphan.result, orphan.ok, orphan.flags = tool[:LONGEST_NAME], result, ok, [ORPHAN_RESULT]
        self._add(orphan)

    def _result(self, content: Any, pointer: str) -> Any:
        """A result as data where it is a JSON object or list, else as the text it was."""
        if isinstance(content, list):
            parts = [self._part(part, f"{pointer}/{number}") for number, part in enumerate(content)]
            content = "\n".join(parts)
        self.faults.fits(content, pointer)
        data = strict_json.object_of(content, ("{", "["))
        return cut(data) if isinstance(data, str) else data


def _is_item(kind: object) -> bool:
    return isinstance(kind, str) and (kind in OUTPUTS or kind == REASONING or kind.endswith("_call"))


def _latency(call_at: datetime | None, result_at: datetime | None) -> float | None:
    """Milliseconds between a call and its result; None where not both messages say when they were."""
    if call_at is None or result_at is None or result_at < call_at:
        return None
    return (result_at - call_at).total_seconds() * 1000


def cut(text: str) -> str:
    """A text of a tool or an agent, cut to LONGEST_TEXT with a mark: its length is no reason to refuse a run."""
    if len(text) <= LONGEST_TEXT:
        return text
    mark = f"\n[cut: {len(text):,} characters]"
    return text[: LONGEST_TEXT - len(mark)] + mark


def _arguments(arguments: Any) -> tuple[Any, list[str]]:
    """Arguments as data; a text that is no JSON is kept as it is, and flagged."""
    if arguments is None or arguments == "":
        return {}, []
    if not isinstance(arguments, str):
        return arguments, []
    try:
        return strict_json.loads(arguments), []
    except Invalid:
        return arguments, [BAD_ARGUMENTS]
