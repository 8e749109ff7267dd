"""What an endpoint answers: one object, or a stream of pieces, as the servers that speak OpenAI's protocol write them.

Text may be a list of parts, stand in the arguments of a tool call, or in a field of the model's reasoning alone.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from consolidation.llm.errors import Truncated, Unavailable

LOOP, TIMES = 40, 3  # words that come again and again: the model repeats itself
LOOK_EVERY, LOOK_BACK = 20, 4_000  # tokens, characters
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
_DATA = "data:"


class _Details(BaseModel):
    reasoning_tokens: int | None = Field(None, ge=0)


class Usage(BaseModel):
    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    completion_tokens_details: _Details | None = None

    @property
    def reasoning(self) -> int:
        return (self.completion_tokens_details and self.completion_tokens_details.reasoning_tokens) or 0


class _Function(BaseModel):
    arguments: str | None = None


class _ToolCall(BaseModel):
    function: _Function | None = None


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    """A message, or what a piece of a stream adds to one."""

    content: str | list[str | _Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    tool_calls: list[_ToolCall] | None = None

    @property
    def written(self) -> str:
        if isinstance(self.content, list):
            return "".join(part if isinstance(part, str) else part.text or "" for part in self.content)
        return self.content or ""

    @property
    def called(self) -> str:
        return "".join((call.function and call.function.arguments) or "" for call in self.tool_calls or [])

    @property
    def thought(self) -> str:
        return self.reasoning_content or (self.reasoning if isinstance(self.reasoning, str) else "")


class _Choice(BaseModel):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Answer(BaseModel):
    choices: list[_Choice] = []
    usage: Usage | None = None
    error: Any = None


@dataclass
class Completion:
    """An answer, as far as it has come. `pieces`: so many came of a stream, each about a token."""

    written: str = ""
    called: str = ""
    thought: str = ""
    refusal: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    pieces: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        return self.written or self.called or self.thought

    def add(self, answer: _Answer) -> None:
        """Unavailable: the endpoint says that it failed. Truncated: the model repeats itself."""
        if answer.error:
            why = answer.error.get("message", answer.error) if isinstance(answer.error, dict) else answer.error
            raise Unavailable(f"the language model broke off: {why}")
        self.usage = answer.usage or self.usage
        for choice in answer.choices[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            if message := choice.message or choice.delta:
                self._extend(message)

    def _extend(self, message: _Message) -> None:
        self.written += message.written
        self.called += message.called
        self.thought += message.thought
        self.refusal += message.refusal or ""
        self.pieces += bool(message.written or message.called or message.thought)
        if self.pieces % LOOK_EVERY == LOOK_EVERY - 1 and repeats_itself(self.written or self.called or self.thought):
            raise Truncated("the model repeated the same words again and again: its answer was not read further")


def repeats_itself(text: str) -> bool:
    """Whether the end of a text is a few words, at most LOOP, again and again, for TIMES times LOOP words."""
    tail = _WORD.findall(text[-LOOK_BACK:])[-LOOP * TIMES :]
    whole = len(tail) == LOOP * TIMES
    return whole and any(tail[period:] == tail[:-period] for period in range(1, LOOP + 1))


def whole(body: bytes, completion: Completion) -> None:
    """Read a completion that came in one piece. ValueError: it is none."""
    answer = _Answer.model_validate(json.loads(body))
    if not answer.error and not (answer.choices and answer.choices[0].message):
        raise ValueError("it has no choices")
    completion.add(answer)


def streamed(lines: Iterable[str], completion: Completion) -> None:
    """Read the events of a stream into a completion. ValueError: they are none, or end before the answer does."""
    for data in _events(lines):
        if data == "[DONE]":
            return
        completion.add(_Answer.model_validate(json.loads(data)))
    if not completion.finish_reason:
        raise ValueError("it ends before the answer does")


def _events(lines: Iterable[str]) -> Iterator[str]:
    return (line[len(_DATA) :].strip() for line in lines if line.startswith(_DATA))
