"""Events before they have a place in an episode, and the calls among them that still wait for their result."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from memories.scanning import credentials
from memories.values import roles
from memories.values.text import as_text

UNANSWERED_CALL = "unanswered_call"
ORPHAN_RESULT = "orphan_result"
BAD_ARGUMENTS = "bad_arguments"
UNKNOWN_DEPENDENCY = "unknown_dependency"
AMBIGUOUS_DEPENDENCY = "ambiguous_dependency"  # several open episodes have a node of that name


@dataclass(eq=False)  # two calls that say the same are two calls
class EventDraft:
    """`at` None means the moment of its episode. One whose kind spells a role is what somebody said: its summary."""

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
    summary: str = ""
    latency_ms: float | None = None
    depends_on: list[str] = field(default_factory=list)
    context: dict[str, Any] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.role and (role := roles.of_kind(self.kind)):
            self.role, self.text = role, self.text or self.summary

    @cached_property
    def holds_secret(self) -> bool:
        """Whether a credential stands anywhere in it: text, summary, ref, arguments, result or context."""
        return credentials.is_in(self._all_text)

    @property
    def _all_text(self) -> str:
        values = (self.text, self.summary, self.ref, self.args, self.result, self.context)
        return "\n".join(as_text(value) for value in values if value)


def holds_secret(drafts: Sequence[EventDraft]) -> bool:
    """Whether one of them does. A secret ends with its line: where none is in all together, none is in any of them,
    which takes a third of the time to find out."""
    if credentials.is_in("\n".join(draft._all_text for draft in drafts)):
        return any(draft.holds_secret for draft in drafts)
    for draft in drafts:
        draft.holds_secret = False
    return False


class OpenCalls:
    """Calls without a result so far. Finding one costs the same however many there are."""

    def __init__(self) -> None:
        self.turn = 0  # the message that is read
        self._open: dict[int, EventDraft] = {}
        self._by_ref: dict[str, list[tuple[int, deque[EventDraft]]]] = defaultdict(list)
        self._by_tool: dict[str, list[tuple[int, deque[EventDraft]]]] = defaultdict(list)

    def add(self, call: EventDraft) -> None:
        self._open[id(call)] = call
        for turns in (self._by_ref[call.ref], self._by_tool[call.tool]):
            if not turns or turns[-1][0] != self.turn:
                turns.append((self.turn, deque()))
            turns[-1][1].append(call)

    def take(self, *, ref: str, tool: str) -> EventDraft | None:
        """The open call with this id, or of this tool when the result names no id: of the latest message that has any,
        the first, as results come in the order of their calls. It is open no longer."""
        turns = self._by_ref[ref] if ref else self._by_tool[tool]
        while turns:
            while waiting := turns[-1][1]:
                call = waiting.popleft()
                if self._open.pop(id(call), None):
                    return call
            turns.pop()
        return None

    def __iter__(self) -> Any:
        return iter(self._open.values())
