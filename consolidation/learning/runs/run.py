"""A recorded run: messages, tool calls and outcome."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal
from uuid import UUID

from consolidation.learning.runs import errors, terms
from consolidation.learning.runs.browser import by_pages
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.holdings import Held, hold
from consolidation.learning.runs.notebooks import by_cells
from consolidation.learning.runs.people import without_people
from consolidation.learning.runs.workbooks import by_sheets
from memories.values import roles

OPENING_MESSAGES = 3
OPENING_CHARACTERS = 2_000
SPEECH_CHARACTERS = 4_000


@dataclass(frozen=True)
class Message:
    """One message of a run. `role`: as its caller spelled it."""

    position: int
    role: str
    text: str
    at: datetime

    @property
    def speaker(self) -> str:
        return roles.of(self.role)


@dataclass(frozen=True)
class Run:
    """A finished run.

    `thread_id`: the conversation or task that it belongs to; without one the run is a case of its own. `place`: the
    repository or package in which it ran commands.
    """

    id: UUID
    thread_id: str | None
    source: str
    outcome: Literal["success", "failure", "partial"]
    at: datetime
    calls: tuple[Call, ...]
    messages: tuple[Message, ...]
    place: str = ""

    @property
    def thread(self) -> str:
        """The case: the thread, or the run's own id."""
        return self.thread_id or str(self.id)

    @property
    def succeeded(self) -> bool:
        return self.outcome == "success"

    @property
    def failed(self) -> bool:
        return self.outcome == "failure"

    @cached_property
    def steps(self) -> tuple[Call, ...]:
        """The calls of named tools in the order in which they happened, those of a browser, a notebook or on workbooks
        as what they do there."""
        return self.as_done(sorted((call for call in self.calls if call.name), key=lambda call: call.position))

    def as_done(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """Return calls in order, those of a browser, a notebook or on workbooks as what they do, whomever it is for."""
        done = tuple(by_sheets(by_pages(by_cells(calls))))
        return without_people(done, "\n".join(message.text for message in self.said))

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the tools that were called."""
        return frozenset(call.name for call in self.steps)

    @cached_property
    def said(self) -> tuple[Message, ...]:
        """The user's messages in order."""
        return self.spoken(roles.USER)

    def spoken(self, role: str) -> tuple[Message, ...]:
        """Return the messages of this role in order."""
        spoken = (message for message in self.messages if message.speaker == role and isinstance(message.text, str))
        return tuple(sorted(spoken, key=lambda message: message.position))

    @cached_property
    def opening(self) -> str:
        """The request: the user's messages before the first call, at least the first one, at most OPENING_MESSAGES."""
        return _text(self._early, OPENING_CHARACTERS)

    @cached_property
    def opening_lines(self) -> tuple[str, ...]:
        """The lines of the request, not shortened, without empty ones."""
        return tuple(line for message in self._early for line in message.text.splitlines() if line.strip())

    @cached_property
    def _early(self) -> list[Message]:
        first = self.steps[0].position if self.steps else None
        early = [m for n, m in enumerate(self.said) if n == 0 or first is None or m.position < first]
        return early[:OPENING_MESSAGES]

    @cached_property
    def opening_terms(self) -> dict[str, str]:
        """Terms of the request, key -> as written."""
        return terms.grams(self.opening)

    @cached_property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """The words that stand with a capital inside a clause, and those that stand without."""
        return terms.capitals(_text((*self.said, *self.spoken(roles.ASSISTANT)), 2 * SPEECH_CHARACTERS))

    @cached_property
    def held(self) -> Held:
        """Keys, short values and personal words of its calls."""
        return hold((call.name, call.arguments, call.returned) for call in self.steps)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its request and of its tools' errors and short answers, in lower case."""
        texts = [self.opening, *(_short_answer(call) for call in self.steps)]
        all_words = {word.lower() for text in texts for words in terms.sentences(text) for word in words}
        return frozenset(all_words.union(*map(terms.han, texts)))

    def first_call(self, tool: str) -> Call | None:
        """Return the first call of a tool; None for none."""
        return next((call for call in self.steps if call.name == tool), None)

    def said_before(self, position: int) -> Message | None:
        """Return the user's last message before a position; None for none."""
        earlier = [message for message in self.said if message.position < position]
        return earlier[-1] if earlier else None


def _short_answer(call: Call) -> str:
    """Return the words of a tool's answer: its error message, or a short result."""
    if call.failed:
        return errors.message(call.returned)[:500].replace("_", " ")  # a code is of words, too
    return call.returned if isinstance(call.returned, str) and len(call.returned) <= 80 else ""


def _text(messages: Iterable[Message], limit: int) -> str:
    """Join the texts of messages by line breaks, at most `limit` characters of them."""
    kept: list[str] = []
    for message in messages:
        kept.append(message.text[:limit])
        limit -= len(message.text)
        if limit <= 0:
            break
    return "\n".join(kept)
