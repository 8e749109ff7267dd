"""A question to the language model, and its answer in the shape that was asked for."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.utils import timezone
from pydantic import BaseModel

from consolidation.llm import json_answers, tokens, workers
from consolidation.llm.call_record import answers_others, recorded
from consolidation.llm.completions import OVERFLOW, Completion, Usage
from consolidation.llm.dialects import Dialect, bare
from consolidation.llm.errors import (
    ModelError,
    Refused,
    RejectedRequest,
    TooLong,
    TooSensitive,
    Truncated,
    Unavailable,
    Unusable,
)
from consolidation.models import Run
from memories.scanning import credentials

if TYPE_CHECKING:
    from consolidation.llm.chat_endpoint import ChatEndpoint

MOST_ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between two attempts
LONGEST_QUESTION = 180.0  # seconds with all attempts,
RETRIED_FOR = 60.0  # or these before one attempt that takes longer
LEAST_ANSWER = 256  # tokens that are asked for where the estimate leaves less
MOST_HALVES = 4
LONGEST_REPEATED = 20_000  # characters of an answer that is given back to be repaired
REPAIR = (
    "Your answer cannot be used: {fault}\n\nAnswer once more, with exactly one JSON object of the shape that was asked "
    "for. No prose and no fence around it."
)
WITHHELD = ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii")  # Gemini
CUT_OFF = ("length", "max_tokens", "model_length", "model_context_window_exceeded")  # Gemini, Mistral, Anthropic
Messages = list[dict[str, str]]
T = TypeVar("T", bound=BaseModel)
A = TypeVar("A")

_dialects: dict[tuple[str, str], Dialect] = {}  # of endpoints and models, as far as this process has asked them


@dataclass(frozen=True)
class LanguageModel:
    """A model of an endpoint. `highest`: the highest sensitivity that may leave. `most_tokens`: of an answer; 0: as the
    endpoint wants. `context`: tokens of a question and its answer; 0: not known. The last four are for tests."""

    name: str
    endpoint: "ChatEndpoint"
    highest: int
    daily_tokens: int = 0
    concurrency: int = 5
    most_tokens: int = 0
    context: int = 0
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = timezone.now

    def ask(
        self, shape: type[T], *, purpose: str, system: str, text: str, sensitivity: int, run: Run | None = None
    ) -> T:
        """Ask, and return the answer in this shape.

        Secrets are masked before anything leaves. An answer that does not fit is given back once, with what is wrong
        about it. `sensitivity`: of the text. ModelError: there is no usable answer; see its kinds. Refused: also where
        the endpoint fails at it again, and has answered other questions in between. Not inside a transaction
        (RuntimeError).
        """
        if sensitivity > self.highest:
            raise TooSensitive
        question, begun = Question(self, shape, purpose, run), self.now()
        messages = [_message("system", system), _message("user", text)]
        try:
            return question.answer_or_repair(messages)
        except Unavailable as fault:
            if run and fault.by_text and answers_others(run, purpose, before=begun):
                raise Refused(str(fault)) from None
            raise


@dataclass
class Question(Generic[T]):
    """One question with its attempts. `waited`: seconds for a slot, which are no part of the model's time."""

    model: LanguageModel
    shape: type[T]
    purpose: str
    run: Run | None
    waited: float = 0.0

    def __post_init__(self) -> None:
        self.begun = self.model.clock()

    @property
    def until(self) -> float:
        """By the clock, when the last attempt has ended, however long it takes."""
        return self.begun + self.waited + max(LONGEST_QUESTION, RETRIED_FOR + self.model.endpoint.timeout)

    def answer_or_repair(self, messages: Messages) -> T:
        try:
            return self.answer(messages)
        except Unusable as fault:
            former = _message("assistant", fault.answer[:LONGEST_REPEATED] or "-")
            return self.answer([*messages, former, _message("user", REPAIR.format(fault=fault))])

    def answer(self, messages: Messages) -> T:
        """The answer to these messages, asked with as many optional fields as the endpoint takes."""
        place, schema = (self.model.endpoint.url, self.model.name), bare(self.shape.model_json_schema())
        dialect: Dialect | None = _dialects.get(place, Dialect())
        while dialect:
            try:
                fields = dialect.fields(name=self.purpose, schema=schema, most=self._most_tokens(messages))
                answer = self._persist(messages, fields)
            except RejectedRequest as fault:
                dialect = dialect.after(str(fault))
                if dialect is None:
                    raise TooLong(str(fault)) if OVERFLOW.search(str(fault)) else fault from None
            except (Truncated, Unusable):
                _dialects[place] = dialect
                raise
            else:
                _dialects[place] = dialect
                return answer
        raise AssertionError("the plainest request answers or raises")

    def _most_tokens(self, messages: Messages) -> int:
        """Of the answer: what the context has left, for endpoints that refuse a request which might not fit."""
        left = self.model.context - tokens.estimate(*(message["content"] for message in messages))
        return min(self.model.most_tokens, max(left, LEAST_ANSWER)) if self.model.context else self.model.most_tokens

    def _persist(self, messages: Messages, options: dict[str, Any]) -> T:
        """Attempt it again after a while where a fault may pass."""
        for attempt in range(MOST_ATTEMPTS):
            try:
                return self._attempt(messages, options)
            except Unavailable as fault:
                wait = self._wait(attempt, fault)
                if wait is None:
                    raise
                self.model.sleep(wait)
        raise AssertionError("the last attempt answers or raises")

    def _wait(self, attempt: int, fault: Unavailable) -> float | None:
        """Seconds until the next attempt: as the endpoint says, else longer each time; None: no further attempt."""
        backoff = FIRST_WAIT * 2**attempt * (0.5 + self.model.jitter())
        wait = max(fault.seconds or 0.0, min(backoff, LONGEST_WAIT))
        late = self.model.clock() + wait + self.model.endpoint.timeout > self.until
        last = attempt + 1 == MOST_ATTEMPTS
        return None if last or late or not fault.passing or wait > LONGEST_WAIT else wait

    def _attempt(self, messages: Messages, options: dict[str, Any]) -> T:
        model = self.model
        estimate = tokens.estimate(*(message["content"] for message in messages))
        with (
            self._slot(),
            recorded(
                purpose=self.purpose,
                model=model.name,
                run=self.run,
                estimate=estimate,
                daily_tokens=model.daily_tokens,
                at=model.now(),
            ) as used,
        ):
            try:
                asked = {"model": model.name, "messages": messages, **options}
                completion = model.endpoint.complete(asked, used.tell)
            except ModelError as fault:
                used.incoming = used.incoming if fault.read else 0
                raise
            usage = completion.usage or Usage()  # servers that have the prompt in their cache may tell 0
            used.incoming = usage.prompt_tokens or used.incoming
            used.outgoing = usage.completion_tokens or tokens.estimate(completion.text)
            used.reasoning = usage.reasoning
            return _usable(completion, self.shape)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        begun = self.model.clock()
        with workers.slot(self.model.concurrency):
            self.waited += self.model.clock() - begun
            yield


def in_halves(ask: Callable[[int], A], most: int) -> A:
    """What `ask` answers about so many tokens of a text: half as many each time the context does not hold them."""
    for halved in range(MOST_HALVES):
        try:
            return ask(most >> halved)
        except TooLong:
            continue
    return ask(most >> MOST_HALVES)


def _usable(completion: Completion, shape: type[T]) -> T:
    """The answer in a completion that came whole."""
    if completion.finish_reason.casefold() in CUT_OFF:
        raise Truncated("the answer was cut off at the model's limit of tokens")
    if completion.finish_reason.casefold().startswith(WITHHELD) or completion.refusal:
        raise Refused("the language model refused to answer")
    return json_answers.read(completion.text, shape)


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": credentials.masked(content)}
