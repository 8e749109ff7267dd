"""Requests for guidance and verdicts, validated: the run so far and perhaps the call that is about to be made, or a run
that the caller has reported.

Hooks of coding agents send the task and the call alone, with the name of their run: what happened before they reported
when it happened, and `with_steps` reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from django.db.models import F, Func, IntegerField, QuerySet, Sum, Window
from django.db.models.functions import Coalesce
from pydantic import AliasChoices, Field, StringConstraints

from consolidation.learning.runs.call import Call
from consolidation.learning.runs.harness_tools import READ
from consolidation.learning.runs.run import Message, Run
from consolidation.pipelines import recorded
from consolidation.pipelines.recorded import Recording
from memories.intake.reports.drafts import EventDraft
from memories.intake.reports.messages import Reader
from memories.models import Episode, Event
from memories.search.request import Narrowing
from memories.values import roles
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import Described, Given, NotBoolean, Text, read_question
from memories.values.trust import Trust

NO_RUN = UUID(int=0)
MOST_STEPS = 200  # of an open run, the last ones
MOST_BYTES = 400_000  # of what they said, sent and returned, as it is stored: long values are compressed
COLUMNS = ("episode_id", "position", "kind", "role", "said", "tool", "args", "result", "ok")


class AboutTo(Described):
    """A call that the agent is about to make."""

    tool: Annotated[Given, StringConstraints(strip_whitespace=True, min_length=1)]
    arguments: dict[str, Any] = {}


class RunRequest(Narrowing):
    """A run in its words, to be compared with finished ones."""

    messages: Annotated[list[Any], Field(max_length=50_000)] | None = None
    """The messages so far in OpenAI's or Anthropic's form, with tool calls and results"""
    task: Text | None = Field(None, validation_alias=AliasChoices("task", "task_descriptor"))
    source: Given | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    """The source that asks; default: the caller"""
    limit: Annotated[int, Field(ge=1, le=8), NotBoolean] = 8
    """The most entries in `similar`"""

    @property
    def run(self) -> Run:
        """Its messages, or its task as the only one, as a run that has not ended."""
        if self.messages is None:
            return run_of([EventDraft(kind="message", role="user", text=self.task or "")])
        return run_of(Reader().read(self.messages))


class GuidanceRequest(RunRequest):
    """What guidance is asked for: either the run so far as `messages`, or the `task` in a sentence."""

    about_to: AboutTo | None = None
    episode_id: UUID | None = None
    """The run that asks. With it or a `thread_id` the answer has an `offer_id`, and a check of a `task` reads what the
    caller reported of this open run (a thread: under this `source`)"""
    thread_id: Given | None = None


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
        return len(self.run.user_messages) == 1 and not self.run.calls

    @property
    def call(self) -> Call | None:
        """What is about to be called."""
        about = self.request.about_to
        if about is None:
            return None
        positions = [call.position for call in self.run.calls] + [message.position for message in self.run.messages]
        place = max(positions, default=0) + 1
        call = Call(place, about.tool, about.arguments, None, None, _NOW, None)
        acts = self.run.as_operations([*self.run.calls, call])  # what a browser's tool does depends on what it shows
        own = [act for act in acts if act.position == place] or [
            act for act in self.run.as_operations([call]) if act.sheet
        ]
        lines = [act for act in own if not act.sheet]  # of a command line the line, not the sheets that it writes
        return (lines or own or [replace(call, tool=READ, args={})])[-1]


_NOW = datetime(1970, 1, 1, tzinfo=UTC)  # the moments of messages do not matter here


def check(raw: Any) -> GuidanceQuestion:
    """Invalid names every wrong field, of the messages too. A field that is null or blank counts as not given."""
    request = read_question(GuidanceRequest, raw)
    if (request.messages is None) == (request.task is None):
        raise Invalid(FieldError("/messages", "required", "give messages or a task, one of the two"))
    return GuidanceQuestion(request, request.run)


def run_of(drafts: list[EventDraft]) -> Run:
    """These events as a run that has not ended."""
    calls, messages = [], []
    for position, draft in enumerate(drafts, start=1):
        if draft.kind == "tool_call":
            calls.append(Call(position, draft.tool, draft.args, draft.result, draft.ok, _NOW, draft.ref or None))
        elif draft.text:
            messages.append(Message(position, roles.of(draft.role), draft.text, _NOW))
    return Run(NO_RUN, None, "", "partial", _NOW, tuple(calls), tuple(messages))


class _Step(NamedTuple):
    episode_id: UUID
    position: int
    kind: str
    role: str
    said: str
    tool: str
    args: Any
    result: Any
    ok: bool | None

    @property
    def draft(self) -> EventDraft:
        returned: dict[str, Any] = {"args": self.args, "result": self.result, "ok": self.ok}
        return EventDraft(self.kind, self.role, text=self.said, tool=self.tool, **returned)


def with_steps(question: GuidanceQuestion, trust: Trust) -> GuidanceQuestion:
    """The question with what the caller itself reported to the run that it names, as far as it may see that.

    As it is where steps are sent, nothing is to be checked, or there is no such run: nobody learns which.
    """
    request = question.request
    if request.messages is not None or request.about_to is None or not (request.thread_id or request.episode_id):
        return question
    steps = [_Step._make(row) for row in _steps(request, trust).values_list(*COLUMNS)]
    steps = [step for step in steps if step.episode_id == steps[0].episode_id]
    if not steps:
        return question
    drafts = [step.draft for step in reversed(steps)]
    return replace(question, run=run_of([*_unsaid(request.task or "", drafts), *drafts]), is_cut=steps[-1].position > 1)


def _unsaid(task: str, drafts: Sequence[EventDraft]) -> list[EventDraft]:
    """The task, unless the user's words are among the steps already."""
    known_texts = {draft.text.strip() for draft in drafts if roles.of(draft.role) == roles.USER}
    return [] if task.strip() in known_texts else [EventDraft("message", "user", text=task)]


def _steps(request: GuidanceRequest, trust: Trust) -> QuerySet[Event]:
    """The events, the last first, of the younger run where two scopes have one of this thread."""
    rows = Event.objects.visible_to(trust).filter(
        episode__closed_at=None,
        episode__memory__created_by_id=trust.actor.identity,
        position__gt=F("episode__event_count") - MOST_STEPS,
    )
    if request.episode_id:
        rows = rows.filter(episode=request.episode_id)
    else:
        source = request.source or trust.actor.name
        rows = rows.filter(episode__thread_id=request.thread_id, episode__source=source)
        if trust.scopes_to_read is not None:  # those of its memory, again: the index over threads begins with them
            rows = rows.filter(episode__scope__in=trust.scopes_to_read)
    words = Coalesce("instruction__text", "text")
    size = _stored(words) + _stored("args") + _stored("result")
    so_far = Window(Sum(size), partition_by="episode", order_by="-position")
    return rows.annotate(said=words, so_far=so_far).filter(so_far__lte=MOST_BYTES).order_by("-episode", "-position")


def _stored(value: Any) -> Coalesce:
    return Coalesce(Func(value, function="pg_column_size", output_field=IntegerField()), 0)


class VerdictRequest(RunRequest):
    """The run to judge: its `messages`, a `task`, or the `episode_id` or `thread_id` of a run that the caller
    reported."""

    messages: Annotated[list[Any], Field(max_length=50_000)] | None = None
    """All messages of the run in OpenAI's or Anthropic's form, with tool calls and results"""
    episode_id: UUID | None = None
    thread_id: Given | None = None
    """The thread of the run, with `source`; the newest of its runs is judged"""

    @property
    def names_a_run(self) -> bool:
        """Whether it is about a run that was reported: `messages` are one themselves, a `task` is but its beginning."""
        return self.messages is None and bool(self.episode_id or self.thread_id)


def check_verdict(raw: Any) -> VerdictRequest:
    """Invalid names every wrong field. A field that is null or blank counts as not given."""
    request = read_question(VerdictRequest, raw)
    if request.messages is not None and request.task is not None:
        raise Invalid(FieldError("/messages", "required", "give messages or a task, one of the two"))
    if request.messages is None and not (request.task or request.names_a_run):
        raise Invalid(FieldError("/messages", "required", "give messages, or the episode_id or thread_id of a run"))
    return request


def find_run(request: VerdictRequest, trust: Trust) -> Recording | None:
    """The run that the request names, of those that the caller reported or may decide about. None: there is none, or
    it is another's; nobody learns which."""
    rows = Episode.objects.visible_to(trust)
    if Permission.REVIEW not in trust.permissions:
        rows = rows.filter(memory__created_by_id=trust.actor.identity)
    if request.episode_id:
        rows = rows.filter(pk=request.episode_id)
    else:
        rows = rows.filter(thread_id=request.thread_id)
        if request.source or Permission.REVIEW not in trust.permissions:
            rows = rows.filter(source=request.source or trust.actor.name)
        if trust.scopes_to_read is not None:  # those of its memory, again: the index over threads begins with them
            rows = rows.filter(scope__in=trust.scopes_to_read)
    episode = rows.select_related("memory").order_by("-last_event_at", "-pk").first()
    return recorded.read([episode])[0] if episode else None
