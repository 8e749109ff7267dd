"""What a verdict is asked for with: a run as messages, or a run that the caller has reported."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from consolidation.guidance.request import RunRequest
from consolidation.pipelines import recorded
from consolidation.pipelines.recorded import Recording
from memories.models import Episode
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import Given, read_question
from memories.values.trust import Trust


class VerdictRequest(RunRequest):
    """`messages` or a `task`, or the `episode_id` or `thread_id` of a run that the caller reported."""

    messages: Annotated[list[Any], Field(max_length=50_000)] | None = None
    """The whole run in the forms that conversations take: OpenAI's or Anthropic's, with tool calls and results"""
    episode_id: UUID | None = None
    thread_id: Given | None = None
    """With `source`: the younger of its runs"""

    @property
    def names_a_run(self) -> bool:
        """Whether it is about a run that was reported: `messages` are one themselves, a `task` is but its beginning."""
        return self.messages is None and bool(self.episode_id or self.thread_id)


def check(raw: Any) -> VerdictRequest:
    """Invalid names every wrong field. A field that is null or blank counts as not given."""
    request = read_question(VerdictRequest, raw)
    if request.messages is not None and request.task is not None:
        raise Invalid(FieldError("/messages", "required", "give messages or a task, one of the two"))
    if request.messages is None and not (request.task or request.names_a_run):
        raise Invalid(FieldError("/messages", "required", "give messages, or the episode_id or thread_id of a run"))
    return request


def find(request: VerdictRequest, trust: Trust) -> Recording | None:
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
