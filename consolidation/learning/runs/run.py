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
from consolidation.learning.runs.holdings import Holdings, hold
from consolidation.learning.runs.notebooks import by_cells
from consolidation.learning.runs.people import without_people
from consolidation.learning.runs.workbooks import by_sheets
from memories.values import roles

OPENING_MESSAGES = 3
OPENING_CHARACTERS = 2_000
SPEECH_CHARACTERS = 4_000


@dataclass(frozen=True)
class Message:
    """One message of a run."""

    position: int
    role: str
    text: str
    at: datetime


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
        """The calls of named tools in order of position, recast by `as_operations`."""
        return self.as_operations(sorted((call for call in self.calls if call.name), key=lambda call: call.position))

    def as_operations(self, calls: Iterable[Call]) -> tuple[Call, ...]:
        """Recast the calls of a browser, a notebook or workbooks as operations, without the names of people."""
        operations = tuple(by_sheets(by_pages(by_cells(calls))))
        return without_people(operations, "\n".join(message.text for message in self.user_messages))

    @cached_property
    def tools(self) -> frozenset[str]:
        """Names of the tools that were called."""
        return frozenset(call.name for call in self.steps)

    @cached_property
    def user_messages(self) -> tuple[Message, ...]:
        """The user's messages in order."""
        return self.messages_of(roles.USER)

    def messages_of(self, role: str) -> tuple[Message, ...]:
        """Return the messages of this role in order."""
        messages = (message for message in self.messages if message.role == role and isinstance(message.text, str))
        return tuple(sorted(messages, key=lambda message: message.position))

    @cached_property
    def opening(self) -> str:
        """The request: the user's messages before the first call, at least the first one, at most OPENING_MESSAGES."""
        return _joined_text(self._opening_messages, OPENING_CHARACTERS)

    @cached_property
    def opening_lines(self) -> tuple[str, ...]:
        """The lines of the request, not shortened, without empty ones."""
        return tuple(line for message in self._opening_messages for line in message.text.splitlines() if line.strip())

    @cached_property
    def _opening_messages(self) -> list[Message]:
        first = self.steps[0].position if self.steps else None
        messages = [m for n, m in enumerate(self.user_messages) if n == 0 or first is None or m.position < first]
        return messages[:OPENING_MESSAGES]

    @cached_property
    def opening_terms(self) -> dict[str, str]:
        """Terms of the request, key -> as written."""
        return terms.grams(self.opening)

    @cached_property
    def words_by_case(self) -> tuple[frozenset[str], frozenset[str]]:
        """(words with a capital inside a clause, words in lower case) of all messages."""
        return terms.capitals(
            _joined_text((*self.user_messages, *self.messages_of(roles.ASSISTANT)), 2 * SPEECH_CHARACTERS)
        )

    @cached_property
    def holdings(self) -> Holdings:
        """Keys, short values and personal words of its calls."""
        return hold((call.name, call.arguments, call.parsed_result) for call in self.steps)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its request and of its tools' errors and short answers, in lower case."""
        texts = [self.opening, *(_short_answer(call) for call in self.steps)]
        all_words = {word.lower() for text in texts for words in terms.sentences(text) for word in words}
        return frozenset(all_words.union(*map(terms.han, texts)))

    def first_call(self, tool: str) -> Call | None:
        """Return the first call of a tool; None for none."""
        return next((call for call in self.steps if call.name == tool), None)

    def user_message_before(self, position: int) -> Message | None:
        """Return the user's last message before a position; None for none."""
        earlier = [message for message in self.user_messages if message.position < position]
        return earlier[-1] if earlier else None


def _short_answer(call: Call) -> str:
    """Return the words of a tool's answer: its error message, or a short result."""
    if call.failed:
        return errors.message(call.parsed_result)[:500].replace("_", " ")  # a code is of words, too
    return call.parsed_result if isinstance(call.parsed_result, str) and len(call.parsed_result) <= 80 else ""


def _joined_text(messages: Iterable[Message], limit: int) -> str:
    """Join the texts of messages by line breaks, at most `limit` characters of them."""
    texts: list[str] = []
    for message in messages:
        texts.append(message.text[:limit])
        limit -= len(message.text)
        if limit <= 0:
            break
    return "\n".join(texts)
