"""The protocols in which coding agents speak with a language model: how to read a request, how to word an answer.

Written from what the agents of `package.json` send. Each protocol answers with one tool call or one text a turn, as one
JSON document or as the events of a stream.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]
Event = tuple[str, Json | str]  # name (or ""), data
LAST_WORDS = "All done."
USAGE_OF_CHAT = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes. `custom`: its arguments are one text (Codex' apply_patch)."""

    tool: str
    args: Any
    custom: bool = False
    namespace: str = ""


class Spoken(Protocol):
    """`step`: how many calls the conversation holds so far, of all its turns."""

    def matches(self, path: str) -> bool: ...
    def tools(self, body: Json) -> list[str]: ...
    def step(self, body: Json) -> int: ...
    def answer(self, body: Json, call: Call | None, number: int) -> Json: ...
    def events(self, body: Json, call: Call | None, number: int) -> Iterable[Event]: ...
    def streams(self, path: str, body: Json) -> bool: ...


class Messages:
    """Anthropic's messages."""

    def matches(self, path: str) -> bool:
        return path.endswith("/messages")

    def streams(self, _path: str, body: Json) -> bool:
        return bool(body.get("stream"))

    def tools(self, body: Json) -> list[str]:
        return [tool.get("name", "") for tool in body.get("tools", [])]

    def step(self, body: Json) -> int:
        contents = (message["content"] for message in body["messages"])
        return sum(part["type"] == "tool_use" for content in contents if isinstance(content, list) for part in content)

    def _block(self, call: Call | None, number: int) -> Json:
        if call is None:
            return {"type": "text", "text": LAST_WORDS}
        return {"type": "tool_use", "id": f"toolu_{number}", "name": call.tool, "input": call.args}

    def answer(self, body: Json, call: Call | None, number: int) -> Json:
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [self._block(call, number)],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def events(self, body: Json, call: Call | None, number: int) -> Iterable[Event]:
        whole = self.answer(body, call, number)
        block = whole["content"][0]
        if call:
            begun, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(call.args)}
        else:
            begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": LAST_WORDS}
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        told: list[Json] = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": begun},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
        return [(event["type"], event) for event in told]


class Responses:
    """OpenAI's responses."""

    CALLS = ("function_call", "custom_tool_call", "local_shell_call")

    def matches(self, path: str) -> bool:
        return path.endswith("/responses")

    def streams(self, _path: str, body: Json) -> bool:
        return bool(body.get("stream"))

    def tools(self, body: Json) -> list[str]:
        """Those of a namespace too."""
        every = [one for tool in body.get("tools", []) for one in (tool, *(tool.get("tools") or []))]
        return [tool.get("name", tool.get("type", "")) for tool in every]

    def step(self, body: Json) -> int:
        return sum(item.get("type") in self.CALLS for item in body["input"] if isinstance(item, dict))

    def answer(self, body: Json, call: Call | None, number: int) -> Json:
        counted = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {
            "id": f"resp_{number}",
            "object": "response",
            "model": body.get("model"),
            "status": "completed",
            "output": [self._item(call, number)],
            "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, **counted},
        }

    def _item(self, call: Call | None, number: int) -> Json:
        if call is None:
            text = {"type": "output_text", "text": LAST_WORDS, "annotations": []}
            return _message(f"msg_{number}", [text])
        named = {"call_id": f"call_{number}", "name": call.tool, "status": "completed"}
        if call.custom:
            return {"type": "custom_tool_call", "id": f"ctc_{number}", "input": call.args, **named}
        space = {"namespace": call.namespace} if call.namespace else {}
        args = json.dumps(call.args)
        return {"type": "function_call", "id": f"fc_{number}", "arguments": args, **named, **space}

    def events(self, body: Json, call: Call | None, number: int) -> Iterable[Event]:
        whole = self.answer(body, call, number)
        item = {"output_index": 0, "item": whole["output"][0]}
        told: list[Json] = [
            {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", **item},
            {"type": "response.output_item.done", **item},
            {"type": "response.completed", "response": whole},
        ]
        return [(event["type"], event) for event in told]


def _message(id: str, content: list[Json]) -> Json:
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": content}


class Chat:
    """OpenAI's chat completions."""

    def matches(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def streams(self, _path: str, body: Json) -> bool:
        return bool(body.get("stream"))

    def tools(self, body: Json) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools") or []]

    def step(self, body: Json) -> int:
        return sum(len(message.get("tool_calls") or []) for message in body["messages"])

    def _said(self, call: Call | None, number: int) -> Json:
        if call is None:
            return {"role": "assistant", "content": LAST_WORDS}
        function = {"name": call.tool, "arguments": json.dumps(call.args)}
        made = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [made]}

    def answer(self, body: Json, call: Call | None, number: int) -> Json:
        choice = {"index": 0, "message": self._said(call, number), "finish_reason": "tool_calls" if call else "stop"}
        return {**self._head(body, number, "chat.completion"), "choices": [choice], "usage": USAGE_OF_CHAT}

    def events(self, body: Json, call: Call | None, number: int) -> Iterable[Event]:
        head = self._head(body, number, "chat.completion.chunk")
        delta = {"index": 0, "delta": self._said(call, number), "finish_reason": None}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}
        return [("", {**head, "choices": [delta]}), ("", {**head, "choices": [end], "usage": USAGE_OF_CHAT}),
                ("", "[DONE]")]  # fmt: skip

    def _head(self, body: Json, number: int, kind: str) -> Json:
        return {"id": f"c{number}", "object": kind, "created": 1_700_000_000, "model": body.get("model")}


class Gemini:
    """Google's generateContent."""

    def matches(self, path: str) -> bool:
        return "generateContent" in path or "streamGenerateContent" in path

    def streams(self, path: str, _body: Json) -> bool:
        return "streamGenerateContent" in path

    def tools(self, body: Json) -> list[str]:
        return [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]

    def step(self, body: Json) -> int:
        return sum("functionCall" in part for content in body["contents"] for part in content.get("parts", []))

    def answer(self, body: Json, call: Call | None, number: int) -> Json:
        part: Json = {"text": self._text(body)}
        if call:
            part = {"functionCall": {"id": f"call_{number}", "name": call.tool, "args": call.args}}
        content = {"role": "model", "parts": [part]}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}

    def _text(self, body: Json) -> str:
        """The CLI asks in JSON which model to take and who speaks next."""
        wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
        routed = {"reasoning": "x", "next_speaker": "user", "model_choice": "flash", "complexity_score": 10}
        return json.dumps({**routed, "complexity_reasoning": "x"}) if wants_json else LAST_WORDS

    def events(self, body: Json, call: Call | None, number: int) -> Iterable[Event]:
        return [("", self.answer(body, call, number))]


PROTOCOLS: tuple[Spoken, ...] = (Messages(), Responses(), Chat(), Gemini())
