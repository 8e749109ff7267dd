"""POST conversations: store a recorded run in OpenAI's or Anthropic's format as one closed episode."""

from typing import Annotated, Any, Literal

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.idempotency import NO_EPISODE
from memories.api.ingestion import answer_to
from memories.api.memory_shape import Memory
from memories.api.openapi import operation
from memories.api.shapes import Json, OpenShape, Shape
from memories.intake import episodes
from memories.intake.reports import conversation
from memories.values.choices import Permission
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


class ConversationReport(conversation.Conversation):
    """A whole conversation. Fields that are not named here are kept in the episode's environment."""

    messages: list[Message] = Field(min_length=1)


class StoredConversation(Shape):
    episode: Memory
    run: None


class AcceptedConversation(Shape):
    episode: None
    run: None
    notice: Literal["accepted"]


class Conversations(WriteView):
    needs = {"POST": (Permission.INGEST,)}

    @operation(
        "IngestConversation",
        "Ingestion",
        {201: StoredConversation, 200: StoredConversation, 202: AcceptedConversation},
        takes=ConversationReport,
        example=EXAMPLE,
    )
    def write(self, request: Request) -> Response:
        """Report a whole conversation

        Messages in OpenAI's or Anthropic's form, with tool calls and their results, become one closed episode. The same
        `id` again with the same messages is a 200, with others a 409.
        """
        at = timezone.now()
        stored = episodes.conversation(conversation.parse(request.data), trust=self.trust, at=at)
        if stored.memory is None:
            return Response(NO_EPISODE, status=202)
        status, episode = answer_to(stored, at=at)
        return Response({"episode": episode, "run": None}, status=status)
