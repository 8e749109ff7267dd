"""Chat messages, OpenAI's or Anthropic's form, as the events of an episode: one per message and one per tool call."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memories import strict_json
from memories.exceptions import FieldError, Invalid

LONGEST_TEXT = 100_000
LONGEST_NAME = 512
LARGEST_VALUE = 10 * 1024 * 1024

UNANSWERED_CALL = "unanswered_call"
ORPHAN_RESULT = "orphan_result"
BAD_ARGUMENTS = "bad_arguments"


@dataclass
class EventDraft:
    """An event before it has a place: `at` None means the moment of its episode."""

    kind: str
    role: str = ""
    actor: str = ""
    ref: str = ""
    text: str = ""
    tool: str = ""
    args: Any = None
    result: Any = None
    ok: bool | None = None
    at: datetime | None = None
    flags: list[str] = field(default_factory=list)


class Reader:
    """Reads messages one by one, pairs calls with results, and collects every error."""

    def __init__(self) -> None:
        self.events: list[EventDraft] = []
        self.errors: list[FieldError] = []
        self._open: list[EventDraft] = []

    def read(self, messages: list[Any]) -> list[EventDraft]:
        """The events in order. Invalid names every wrong field of every message."""
        for number, message in enumerate(messages):
            self._message(message, f"/messages/{number}")
        if self.errors:
            raise Invalid(*self.errors)
        for call in self._open:
            call.flags.append(UNANSWERED_CALL)
        return self.events

    def _wrong(self, pointer: str, code: str, detail: str) -> None:
        self.errors.append(FieldError(pointer, code, detail))

    def _message(self, message: Any, pointer: str) -> None:
        if not isinstance(message, dict):
            return self._wrong(pointer, "not_an_object", "must be an object with role and content")
        role = self._text(message, "role", pointer, longest=32)
        if not role:
            return self._wrong(f"{pointer}/role", "required", "is required")
        common = {
            "role": role,
            "actor": self._text(message, "name", pointer, longest=LONGEST_NAME),
            "ref": self._text(message, "ref", pointer, longest=LONGEST_NAME),
            "at": self._instant(message, pointer),
        }
        if role in ("tool", "function"):
            return self._result(message, pointer, common)
        for draft in self._blocks(message.get("content"), f"{pointer}/content", common):
            self.events.append(draft)
        return self._calls(message, pointer, common)

    def _blocks(self, content: Any, pointer: str, common: dict[str, Any]) -> Iterator[EventDraft]:
        """Text as message events; Anthropic's tool_use and tool_result blocks as calls and their results, in order."""
        if content is None or isinstance(content, str):
            content = [{"type": "text", "text": content or ""}]
        if not isinstance(content, list):
            return self._wrong(pointer, "not_content", "must be a text or a list of parts")
        said: list[str] = []
        for number, block in enumerate(content):
            place = f"{pointer}/{number}"
            if isinstance(block, dict) and block.get("type") == "tool_use":
                yield from self._said(said, pointer, common)
                yield self._call(block, block.get("input"), place, common)
            elif isinstance(block, dict) and block.get("type") == "tool_result":
                yield from self._said(said, pointer, common)
                self._answer(block.get("tool_use_id"), block, place, common)
            else:
                said.append(self._part(block, place))
        yield from self._said(said, pointer, common)

    def _said(self, said: list[str], pointer: str, common: dict[str, Any]) -> Iterator[EventDraft]:
        text = "\n".join(part for part in said if part)
        said.clear()
        if len(text) > LONGEST_TEXT:
            return self._wrong(pointer, "too_long", f"is longer than {LONGEST_TEXT:,} characters")
        if text:
            yield EventDraft(kind="message", text=text, **common)
        return None

    def _part(self, block: Any, pointer: str) -> str:
        """The text of one part; what is no text (an image, a file) leaves its kind in brackets."""
        if isinstance(block, str):
            return block
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            self._wrong(pointer, "not_a_part", "must be a text or an object with a type")
            return ""
        text = next((block[key] for key in ("text", "thinking", "refusal") if isinstance(block.get(key), str)), None)
        return text if text is not None else f"[{block['type'][:64]}]"

    def _calls(self, message: dict[str, Any], pointer: str, common: dict[str, Any]) -> None:
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            return self._wrong(f"{pointer}/tool_calls", "not_a_list", "must be a list of calls")
        for number, call in enumerate(calls):
            place = f"{pointer}/tool_calls/{number}"
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                self._wrong(f"{place}/function", "required", "is required")
                continue
            named = {"id": call.get("id"), "name": function.get("name")}
            self.events.append(self._call(named, function.get("arguments"), place, common))
        return None

    def _call(self, named: dict[str, Any], arguments: Any, pointer: str, common: dict[str, Any]) -> EventDraft:
        args, flags = _arguments(arguments)
        draft = EventDraft(
            kind="tool_call",
            role=common["role"],
            actor=common["actor"],
            ref=self._text(named, "id", pointer, longest=LONGEST_NAME) or common["ref"],
            tool=self._text(named, "name", pointer, longest=LONGEST_NAME),
            args=args,
            at=common["at"],
            flags=flags,
        )
        if not draft.tool.strip():
            self._wrong(f"{pointer}/name", "required", "the tool's name is required")
        self._fits(args, f"{pointer}/arguments")
        self._open.append(draft)
        return draft

    def _result(self, message: dict[str, Any], pointer: str, common: dict[str, Any]) -> None:
        self._answer(message.get("tool_call_id"), message, pointer, common)

    def _answer(self, call_id: Any, block: dict[str, Any], pointer: str, common: dict[str, Any]) -> None:
        """A result belongs to the latest unanswered call with its id (without an id: with its tool's name)."""
        name = block.get("name")
        result, failed = self._content_of(block.get("content"), f"{pointer}/content"), block.get("is_error")
        ok = not failed if isinstance(failed, bool) else None
        for call in reversed(self._open):
            if call.ref == call_id if call_id else call.tool == name:
                call.result, call.ok = result, ok
                self._open.remove(call)
                return
        tool = name if isinstance(name, str) else ""
        ref = call_id if isinstance(call_id, str) else ""
        orphan = EventDraft("tool_result", **{**common, "ref": ref[:LONGEST_NAME], "role": "tool"})
        orphan.tool, orphan.result, orphan.ok, orphan.flags = tool[:LONGEST_NAME], result, ok, [ORPHAN_RESULT]
        self.events.append(orphan)

    def _content_of(self, content: Any, pointer: str) -> Any:
        """A result as data where it is a JSON object or list, else as the text it was."""
        if isinstance(content, list):
            parts = [self._part(block, f"{pointer}/{number}") for number, block in enumerate(content)]
            content = "\n".join(parts)
        self._fits(content, pointer)
        return _structured(content) if isinstance(content, str) else content

    def _fits(self, value: Any, pointer: str) -> None:
        size = len(value) if isinstance(value, str) else len(repr(value)) if value is not None else 0
        if size > LARGEST_VALUE:
            self._wrong(pointer, "too_large", "is larger than 10 MiB")

    def _text(self, source: dict[str, Any], name: str, pointer: str, *, longest: int) -> str:
        value = source.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self._wrong(f"{pointer}/{name}", "not_a_text", "must be a text")
            return ""
        if len(value) > longest:
            self._wrong(f"{pointer}/{name}", "too_long", f"is longer than {longest} characters")
        return value

    def _instant(self, message: dict[str, Any], pointer: str) -> datetime | None:
        value = message.get("timestamp")
        if value is None:
            return None
        instant = parse_instant(value)
        if instant is None:
            self._wrong(f"{pointer}/timestamp", "not_an_instant", "must be an RFC 3339 time with its zone")
        return instant


def parse_instant(value: Any) -> datetime | None:
    """An RFC 3339 instant, or None: a time without its zone is no instant."""
    if not isinstance(value, str):
        return None
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        return None
    return instant if instant.tzinfo else None


def _structured(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return strict_json.loads(text)
    except Invalid:
        return text


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
