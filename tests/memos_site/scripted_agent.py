"""What an agent of the OpenAI Agents SDK needs in tests: a model that follows a script, and a tool.

Imports the SDK, which takes two seconds: import it where an agent runs.
"""

from collections.abc import AsyncIterator
from typing import Any

from agents import ModelResponse, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText


def says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", status="completed", type="message")


class Script(Model):
    """Answers with what it was given, one after the other; `asked` is the input of each turn."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs, self.asked = list(outputs), list[Any]()

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **more: Any) -> ModelResponse:
        self.asked.append(input)
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
def get_order(order_id: str) -> str:
    """The state of an order."""
    return f"{order_id} is late"
