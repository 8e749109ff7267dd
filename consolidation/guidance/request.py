"""What guidance is asked for with, checked: the run so far, and perhaps the call that is about to be made."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol
from uuid import UUID

from pydantic import AliasChoices, Field, StringConstraints, ValidationError
from pydantic.json_schema import SkipJsonSchema

from consolidation.learning.runs.run import Call, Message, Run
from memories.intake.reports.drafts import EventDraft
from memories.intake.reports.messages import Reader
from memories.search.request import Narrowed, Scopes, narrowed
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import Described, Given, ScopeName, SensitivityName, Text, field_error
from memories.values.trust import Trust

NO_RUN = UUID(int=0)
BLANK_IS_ABSENT = ("source", "source_plugin", "thread_id")


class AboutTo(Described):
    """A call that the agent is about to make."""

    tool: Annotated[Given, StringConstraints(strip_whitespace=True, min_length=1)]
    arguments: dict[str, Any] = {}


class GuidanceRequest(Described):
    """The run so far as `messages`, or the task in a sentence; one of the two."""

    messages: Annotated[list[Any], Field(max_length=50_000)] | None = None
    """In the forms that conversations take: OpenAI's or Anthropic's, with tool calls and results"""
    task: Text | None = Field(None, validation_alias=AliasChoices("task", "task_descriptor"))
    about_to: AboutTo | None = None
    scopes: Scopes = []
    """Of the caller's; what has no scope or is global counts in each"""
    scope: SkipJsonSchema[ScopeName | None] = None  # a list of one
    source: Given | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    """Default: the caller"""
    max_sensitivity: SensitivityName | None = None
    trust: Narrowed | None = None
    """Narrows as `scopes` and `max_sensitivity` do"""
    episode_id: UUID | None = None
    """With it or a `thread_id` the answer carries an `offer_id`, and a check with a `task` instead of `messages` knows
    what the caller has reported of this run, while it is open (a thread: of this `source`)"""
    thread_id: Given | None = None
    limit: Annotated[int, Field(ge=1, le=8)] = 8
    """Of `similar`"""

    def narrows(self, trust: Trust) -> Trust:
        return narrowed(trust, self, self.trust)


@dataclass(frozen=True)
class GuidanceQuestion:
    """A checked request, with its messages as a run that has not ended.

    `is_cut`: the run began before what is known of it.
    """

    request: GuidanceRequest
    run: Run
    is_cut: bool = False

    @property
    def is_opening(self) -> bool:
        """Whether nothing is known but what the user said first."""
        return len(self.run.said) == 1 and not self.run.calls

    @property
    def call(self) -> Call | None:
        """What is about to be called."""
        about = self.request.about_to
        if about is None:
            return None
        return Call(
            len(self.run.messages) + len(self.run.calls) + 1, about.tool, about.arguments, None, None, _NOW, None
        )


_NOW = datetime(1970, 1, 1, tzinfo=UTC)  # the moments of messages do not matter here


def check(raw: Any) -> GuidanceQuestion:
    """Invalid names every wrong field, of the messages too. A field that is null or blank counts as not given."""
    if not isinstance(raw, dict):
        raise Invalid(FieldError("", "not_an_object", "must be a JSON object"))
    try:
        request = GuidanceRequest.model_validate(given_fields(raw))
    except ValidationError as error:
        raise Invalid(*(field_error(wrong) for wrong in error.errors(include_url=False))) from None
    if (request.messages is None) == (request.task is None):
        raise Invalid(FieldError("/messages", "required", "give messages or a task, one of the two"))
    return GuidanceQuestion(request, run_of_request(request))


class _Told(Protocol):
    @property
    def messages(self) -> list[Any] | None: ...

    @property
    def task(self) -> str | None: ...


def run_of_request(request: _Told) -> Run:
    """Its messages, or its task as the only one, as a run that has not ended."""
    if request.messages is None:
        return run_of([EventDraft(kind="message", role="user", text=request.task or "")])
    return run_of(Reader().read(request.messages))


def given_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields without those that are null or blank."""
    return {name: value for name, value in raw.items() if not _absent(name, value)}


def _absent(name: str, value: Any) -> bool:
    return value is None or (name in BLANK_IS_ABSENT and isinstance(value, str) and not value.strip())


def run_of(drafts: list[EventDraft]) -> Run:
    """These events as a run that has not ended."""
    calls, messages = [], []
    for position, draft in enumerate(drafts, start=1):
        if draft.kind == "tool_call":
            calls.append(Call(position, draft.tool, draft.args, draft.result, draft.ok, _NOW, draft.ref or None))
        elif draft.text:
            messages.append(Message(position, draft.role, draft.text, _NOW))
    return Run(NO_RUN, None, "", "partial", _NOW, tuple(calls), tuple(messages))
