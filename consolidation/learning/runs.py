"""A recorded run as the learner sees it: what was said, which tools were called and how it ended."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal
from uuid import UUID

from consolidation.learning import errors, values

OPENING_MESSAGES = 3
OPENING_CHARACTERS = 2_000
Outcome = Literal["success", "failure", "partial"]


@dataclass(frozen=True)
class Call:
    """One use of a tool. `args` and `result` are whatever was recorded: objects, JSON text, plain text, nothing."""

    position: int
    tool: str
    args: Any
    result: Any
    ok: bool | None  # None: the recording does not say
    at: datetime
    ref: str | None

    @cached_property
    def failed(self) -> bool:
        """As recorded; where the recording is silent, as the result's text says."""
        return not self.ok if self.ok is not None else errors.looks_failed(self.returned)

    @cached_property
    def returned(self) -> Any:
        return values.parsed(self.result)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The named arguments; empty when they were no object."""
        found = values.parsed(self.args)
        return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Message:
    position: int
    role: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Run:
    """`thread_id` says which conversation or task the run belongs to; without one it stands for itself."""

    id: UUID
    thread_id: str | None
    source: str
    outcome: Outcome
    at: datetime
    calls: tuple[Call, ...]
    messages: tuple[Message, ...]

    @property
    def thread(self) -> str:
        return self.thread_id or str(self.id)

    @property
    def succeeded(self) -> bool:
        return self.outcome == "success"

    @cached_property
    def steps(self) -> tuple[Call, ...]:
        """The calls of named tools in the order in which they happened."""
        named = (call for call in self.calls if isinstance(call.tool, str) and call.tool.strip())
        return tuple(sorted(named, key=lambda call: call.position))

    @cached_property
    def tools(self) -> frozenset[str]:
        return frozenset(call.tool.strip() for call in self.steps)

    @cached_property
    def said(self) -> tuple[Message, ...]:
        """The user's messages in order."""
        spoken = (m for m in self.messages if m.role in {"user", "human"} and isinstance(m.text, str))
        return tuple(sorted(spoken, key=lambda message: message.position))

    @cached_property
    def opening(self) -> str:
        """What the user wanted at first: the messages before the first call (at least the first one), at most three."""
        first_call = self.steps[0].position if self.steps else None
        early = [m for n, m in enumerate(self.said) if n == 0 or first_call is None or m.position < first_call]
        return "\n".join(m.text for m in early[:OPENING_MESSAGES])[:OPENING_CHARACTERS]

    def said_before(self, position: int) -> Message | None:
        """The user's last message before a position."""
        earlier = [message for message in self.said if message.position < position]
        return earlier[-1] if earlier else None
