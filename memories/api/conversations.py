"""The shape of a conversation that is reported, in OpenAI's or Anthropic's format."""

from typing import Annotated, Any, Literal

from pydantic import Field

from memories.api.shapes import Json, OpenShape
from memories.intake.reports import conversation
from memories.values.field_types import SOMETHING, Identifier, Instant, Text

EXAMPLE: Json = {
    "id": "run-7",
    "source": "refund-agent",
    "scope": "project:shop",
    "outcome": "success",
    "messages": [
        {"role": "user", "content": "The parcel of order-7 arrived broken, I want my money back."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call-1", "function": {"name": "get_order", "arguments": '{"order_id": "order-7"}'}}],
        },
        {"role": "tool", "tool_call_id": "call-1", "content": '{"payment_id": "pay-7"}'},
    ],
}


class Part(OpenShape):
    """`text`, or Anthropic's `tool_use` (id, name, input) and `tool_result` (tool_use_id, content)."""

    type: str


class FunctionCall(OpenShape):
    name: Annotated[str, Field(min_length=1, max_length=512, pattern=SOMETHING)]
    arguments: str | dict[str, Any] = "{}"


class ToolCall(OpenShape):
    id: Identifier | None = None
    function: FunctionCall


class Message(OpenShape):
    """A message in OpenAI's or Anthropic's form; `name` is the actor, `ref` the caller's id of it."""

    role: Annotated[str, Field(min_length=1, max_length=32, pattern=SOMETHING)]
    content: Text | list[Part | Text] | None = None
    name: Identifier | None = None
    ref: Identifier | None = None
    timestamp: Instant = None
    tool_calls: list[ToolCall] = []
    tool_call_id: Identifier | None = None


class ChatReport(conversation.Conversation):
    """A whole conversation as an agent writes it that calls a tool: without items, which only recordings have."""

    messages: list[Message] = Field(min_length=1)


class CallItem(OpenShape):
    """A tool call in the form of OpenAI's Responses API, without a role; an `mcp_call` carries its `output` itself."""

    type: Literal["function_call", "custom_tool_call", "mcp_call"]
    call_id: Identifier | None = None
    name: Annotated[str, Field(min_length=1, max_length=512, pattern=SOMETHING)]


class OutputItem(OpenShape):
    """The result of the call with this `call_id`: text, or a list of parts."""

    type: Literal["function_call_output", "custom_tool_call_output"]
    call_id: Identifier | None = None
    output: Text | list[Part | Text] | None = None


class ReasoningItem(OpenShape):
    """The model's reasoning as far as it is readable; an encrypted one is ignored."""

    type: Literal["reasoning"]
    summary: list[Part | Text] = []


class ConversationReport(conversation.Conversation):
    """A whole conversation. Unknown fields are stored in the episode's environment."""

    messages: list[Message | CallItem | OutputItem | ReasoningItem] = Field(min_length=1)
