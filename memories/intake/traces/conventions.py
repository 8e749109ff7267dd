"""What a span says of an agent's run: messages in OpenAI's form, and a tool call. Pure.

Two conventions are read: GenAI of OpenTelemetry (`gen_ai.*` attributes, or the events of its first editions, or the
numbered attributes of OpenLLMetry), and OpenInference (`openinference.span.kind`, `llm.*`, `tool.*`, `input.value`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memories.intake.traces.otlp import Span
from memories.values import strict_json
from memories.values.exceptions import Invalid
from memories.values.text import as_text

Json = dict[str, Any]
Messages = list[Json]
TOOL_KINDS = {"TOOL", "RETRIEVER"}
RUN_KINDS = {"AGENT", "CHAIN"}
DETAILS = "gen_ai.client.inference.operation.details"  # the event that carries the messages where the span does not
NUMBERED = re.compile(r"(gen_ai|llm)\.(prompt|completion|input_messages|output_messages)\.([0-9]{1,6})\.(.+)")
CALL_FIELD = re.compile(r"(?:message\.)?tool_calls\.([0-9]{1,6})\.(?:tool_call\.)?(?:function\.)?(name|arguments|id)")
ESCAPE = re.compile(  # of JSON; a NUL character and half of a pair are not kept
    r"(?P<kept>\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\(?!u0000|u[dD][89a-fA-F]).)|\\u....", re.DOTALL
)
CONTENT_FIELD = re.compile(r"message\.contents\.([0-9]{1,6})\.message_content\.text")


@dataclass
class ToolCall:
    """A call of a span of its own. `id`: the model's id of the call, or ''."""

    tool: str
    id: str
    args: Any
    result: Any


@dataclass
class SpanContent:
    """`request` and `reply`: of a whole run, where nothing tells its messages."""

    inputs: Messages
    outputs: Messages
    call: ToolCall | None = None
    request: str = ""
    reply: str = ""


def read(span: Span) -> SpanContent | None:
    """The content of a span; None where it belongs to no run of an agent."""
    attributes = span.attributes
    kind = str(attributes.get("openinference.span.kind") or "").upper()
    operation = str(attributes.get("gen_ai.operation.name") or "")
    if operation == "execute_tool" or kind in TOOL_KINDS:
        return SpanContent([], [], call=_tool_call(span, kind))
    inputs, outputs = _messages(span)
    if inputs or outputs:
        return SpanContent(inputs, outputs)
    if kind in RUN_KINDS or operation == "invoke_agent":
        return SpanContent(
            [], [], request=_text(attributes.get("input.value")), reply=_text(attributes.get("output.value"))
        )
    return SpanContent([], []) if kind or operation else None


def _tool_call(span: Span, kind: str) -> ToolCall:
    attributes = span.attributes
    name = attributes.get("gen_ai.tool.name") or attributes.get("tool.name") or span.name or kind.lower()
    id = attributes.get("gen_ai.tool.call.id") or attributes.get("tool_call.id") or ""
    args = attributes.get(
        "gen_ai.tool.call.arguments", attributes.get("input.value", attributes.get("tool.parameters"))
    )
    result = attributes.get("gen_ai.tool.call.result", attributes.get("output.value"))
    if kind == "RETRIEVER" and isinstance(args, str):
        args = {"query": args}
    answer_id, result = _answer(result)
    if result is None and span.failed:
        result = span.message or attributes.get("error.type")
    return ToolCall(str(name), str(id or answer_id), args, result)


def _answer(result: Any) -> tuple[str, Any]:
    """The id of the call, or '', and its result: LangChain traces the whole message that answers it."""
    message = _json_or_value(result)
    body = message.get("data", message.get("kwargs")) if isinstance(message, dict) else None
    if not isinstance(body, dict) or "content" not in body or not body.get("tool_call_id"):
        return "", result
    return str(body["tool_call_id"]), body["content"]


def _messages(span: Span) -> tuple[Messages, Messages]:
    merged = span.attributes
    for name, attributes in span.events:
        merged = {**attributes, **merged} if name == DETAILS else merged
    inputs = [*_system(merged.get("gen_ai.system_instructions")), *_parts_messages(merged.get("gen_ai.input.messages"))]
    outputs = _parts_messages(merged.get("gen_ai.output.messages"))
    if not inputs and not outputs:
        inputs, outputs = _of_events(span)
    if not inputs and not outputs:
        inputs, outputs = _of_numbered(merged)
    return inputs, outputs


def _json_or_value(value: Any) -> Any:
    """The list or object that an attribute holds as JSON text, without the characters that cannot be stored, as an
    exporter cannot be asked to mend them; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return strict_json.loads(ESCAPE.sub(lambda escape: escape["kept"] or "", value))
    except Invalid:
        return value


def _system(value: Any) -> Messages:
    text = _text_of_parts(_json_or_value(value))
    return [{"role": "system", "content": text}] if text else []


def _parts_messages(value: Any) -> Messages:
    """Messages of the GenAI conventions: `[{"role", "parts": [{"type": "text", "content"}, ...]}]`."""
    parts = _json_or_value(value)
    messages: Messages = []
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            messages += _of_parts(str(part.get("role") or "user"), part)
    return messages


def _of_parts(role: str, message: Json) -> Iterator[Json]:
    parts = message.get("parts")
    parts = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    for part in parts:
        if part.get("type") == "tool_call_response":
            result = part.get("response", part.get("result"))
            yield {"role": "tool", "tool_call_id": str(part.get("id") or ""), "content": as_content(result)}
    calls = [
        _call(part.get("id"), part.get("name"), part.get("arguments"))
        for part in parts
        if part.get("type") == "tool_call"
    ]
    text = _text_of_parts(parts) or _text(message.get("content"))
    if text or calls:
        yield {"role": role, "content": text or None, **({"tool_calls": calls} if calls else {})}


def _call(id: Any, name: Any, arguments: Any) -> Json:
    return {"id": str(id or ""), "function": {"name": str(name or "unknown"), "arguments": arguments}}


def _text_of_parts(parts: Any) -> str:
    if not isinstance(parts, list):
        return parts if isinstance(parts, str) else ""
    texts = (part.get("content") for part in parts if isinstance(part, dict) and part.get("type") in ("text", None))
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _of_events(span: Span) -> tuple[Messages, Messages]:
    """`gen_ai.user.message`, `gen_ai.tool.message`, `gen_ai.choice` and the like: an event a message."""
    inputs: Messages = []
    outputs: Messages = []
    for name, attributes in span.events:
        if name == "gen_ai.choice":
            message = _json_or_value(attributes.get("message")) if "message" in attributes else attributes
            outputs += _of_body("assistant", message if isinstance(message, dict) else {"content": message})
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            inputs += _of_body(name.split(".")[1], attributes)
    return inputs, outputs


def _of_body(role: str, body: Json) -> Messages:
    calls = _json_or_value(body.get("tool_calls"))
    calls = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    if role == "tool":
        return [{"role": "tool", "tool_call_id": str(body.get("id") or ""), "content": as_content(body.get("content"))}]
    tool_calls = [
        _call(call.get("id"), (call.get("function") or {}).get("name"), (call.get("function") or {}).get("arguments"))
        for call in calls
        if isinstance(call.get("function"), dict)
    ]
    text = _text(body.get("content"))
    return (
        [{"role": role, "content": text or None, **({"tool_calls": tool_calls} if tool_calls else {})}]
        if text or tool_calls
        else []
    )


def _of_numbered(attributes: Json) -> tuple[Messages, Messages]:
    """`llm.input_messages.0.message.content` of OpenInference, `gen_ai.prompt.0.content` of OpenLLMetry."""
    by_number: dict[bool, dict[int, Json]] = {True: {}, False: {}}
    for name, value in attributes.items():
        if match := NUMBERED.fullmatch(name):
            is_input = match[2] in ("prompt", "input_messages")
            by_number[is_input].setdefault(int(match[3]), {})[match[4]] = value
    inputs = [message for _, fields in sorted(by_number[True].items()) for message in _of_fields("user", fields)]
    outputs = [message for _, fields in sorted(by_number[False].items()) for message in _of_fields("assistant", fields)]
    return inputs, outputs


def _of_fields(role: str, fields: Json) -> Messages:
    plain = {name.removeprefix("message."): value for name, value in fields.items()}
    role = str(plain.get("role") or role)
    texts = sorted(
        (int(match[1]), str(value)) for name, value in fields.items() if (match := CONTENT_FIELD.fullmatch(name))
    )
    text = _text(plain.get("content")) or "\n".join(text for _, text in texts)
    if role in ("tool", "function"):
        id = plain.get("tool_call_id") or ""
        return [{"role": "tool", "tool_call_id": str(id), "name": str(plain.get("name") or ""), "content": text}]
    calls: dict[int, Json] = {}
    for name, value in fields.items():
        if match := CALL_FIELD.fullmatch(name):
            calls.setdefault(int(match[1]), {})[match[2]] = value
    tool_calls = [_call(call.get("id"), call.get("name"), call.get("arguments")) for _, call in sorted(calls.items())]
    return (
        [{"role": role, "content": text or None, **({"tool_calls": tool_calls} if tool_calls else {})}]
        if text or tool_calls
        else []
    )


def as_content(value: Any) -> Any:
    return None if value is None else as_text(value)


def _text(value: Any) -> str:
    """The text that a value is, or that its only field is; other data as JSON."""
    data = _json_or_value(value)
    if isinstance(data, dict) and len(data) == 1:
        [data] = data.values()
    if data is None or data == "":
        return ""
    return as_text(data)
