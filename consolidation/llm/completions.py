"""What an endpoint answers: one object, or a stream of pieces, as the servers that speak OpenAI's protocol write them.

Text may be a list of parts, stand in the arguments of a tool call, or in a field of the model's reasoning alone.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from consolidation.llm.errors import TooLong, Truncated, Unavailable

LOOP, TIMES = 40, 3  # words that come again and again: the model repeats itself
STUCK = 1_000  # characters of one sign, or of blanks alone, which a grammar for JSON lets a model write for ever
LOOK_EVERY, LOOK_BACK = 20, 4_000  # tokens, characters
_WORD = re.compile(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]")
_DATA, _ERROR = "data:", "error:"  # llama.cpp until the end of 2025
_BROKEN_OFF = ("abort", "error", "insufficient_system_resource")  # vLLM, OpenRouter, DeepSeek
OVERFLOW = re.compile(  # how endpoints say that a text is too long
    r"context.{0,20}(?:length|size|window|limit)|context_length_exceeded|too many (?:input )?tokens"
    r"|(?:prompt|input|request|text)s? (?:is|are) too (?:long|large)|max.{0,20}(?:input|prompt) (?:length|tokens)"
    r"|token count.{0,20} exceeds|must have less than \d+ tokens|max_tokens must be at least 1"
    r"|上下文(?:长度|窗口)|输入(?:内容)?过长",
    re.IGNORECASE,
)


class _Details(BaseModel):
    reasoning_tokens: int | None = Field(None, ge=0)


class Usage(BaseModel):
    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    completion_tokens_details: _Details | None = None

    @property
    def reasoning(self) -> int:
        return (self.completion_tokens_details and self.completion_tokens_details.reasoning_tokens) or 0


def _readable_usage(value: Any) -> Any:
    """The usage of an answer; None where it cannot be read, which is no reason to lose the answer."""
    try:
        return Usage.model_validate(value)
    except ValidationError:
        return None


def _arguments(value: Any) -> Any:
    """Arguments as a text, which some servers send as an object."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class _Function(BaseModel):
    arguments: Annotated[str | None, BeforeValidator(_arguments)] = None


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
    choices: list[_Choice] | None = None
    usage: Annotated[Usage | None, BeforeValidator(_readable_usage)] = None
    error: Any = None
    object: Any = None
    message: Any = None

    @property
    def failure(self) -> str:
        """Why the endpoint failed, as it says within an answer; '' where it did not. Older vLLM names no `error`."""
        error = self.error or (self.object == "error" and (self.message or "it gives no reason"))
        return str(error.get("message", error) if isinstance(error, dict) else error or "")


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
        return next((text for text in (self.written, self.called, self.thought) if text.strip()), "")

    def add(self, answer: _Answer) -> None:
        """Unavailable, TooLong: the endpoint says that it failed. Truncated: the model repeats itself."""
        if why := answer.failure:
            raise _broken_off(why)
        self.usage = answer.usage or self.usage
        for choice in (answer.choices or [])[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            if message := choice.message or choice.delta:
                self._extend(message)
        if self.finish_reason in _BROKEN_OFF:
            raise _broken_off(self.finish_reason)

    def _extend(self, message: _Message) -> None:
        self.written += message.written
        self.called += message.called
        self.thought += message.thought
        self.refusal += message.refusal or ""
        self.pieces += bool(message.written or message.called or message.thought)
        if self.pieces % LOOK_EVERY == LOOK_EVERY - 1 and repeats_itself(self.text or self.written):
            raise Truncated("the model repeated the same words again and again: its answer was not read further")


def _broken_off(why: str) -> TooLong | Unavailable:
    sentence = f"the language model broke off: {why}"
    return TooLong(sentence) if OVERFLOW.search(why) else Unavailable(sentence, by_text=True)


def repeats_itself(text: str) -> bool:
    """Whether the end of a text is a few words, at most LOOP, again and again, for TIMES times LOOP words, or STUCK."""
    if len(text) > STUCK and len({*text[-STUCK:]} - {*" \t\r\n"}) < 2:
        return True
    tail = _WORD.findall(text[-LOOK_BACK:])[-LOOP * TIMES :]
    whole = len(tail) == LOOP * TIMES
    return whole and any(tail[period:] == tail[:-period] for period in range(1, LOOP + 1))


def whole(body: bytes, completion: Completion) -> None:
    """Read a completion that came in one piece. ValueError: it is none."""
    answer = _Answer.model_validate(json.loads(body))
    if not answer.failure and not (answer.choices and answer.choices[0].message):
        raise ValueError("it has no choices")
    completion.add(answer)


def streamed(pieces: Iterable[bytes], completion: Completion) -> None:
    """Read the events of a stream into a completion. ValueError: they are none. Unavailable: they end before the answer
    does, as where its server was stopped."""
    for data in _events(_lines(pieces)):
        if data == "[DONE]":
            return
        completion.add(_Answer.model_validate(json.loads(data)))
    if not completion.finish_reason:
        raise _broken_off("its answer ends in the middle") if completion.pieces else ValueError("no event of an answer")


def _events(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith(_DATA):
            yield line[len(_DATA) :].strip()
        elif line.startswith(_ERROR):
            yield f'{{"error": {line[len(_ERROR) :]}}}'


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a stream, which end with LF or CR LF. `str.splitlines` would cut JSON at U+2028 and U+0085."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode(errors="replace") for line in lines)
    yield rest.decode(errors="replace")
