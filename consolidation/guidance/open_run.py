"""What a caller has reported of its run that is still open, for a check that names the run and sends no steps.

Hooks of coding agents send the task and the call alone: what happened before they reported when it happened.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Func, IntegerField, QuerySet, Sum, Window
from django.db.models.functions import Coalesce

from consolidation.guidance.request import GuidanceQuestion, GuidanceRequest, run_of
from memories.intake.reports.drafts import EventDraft
from memories.models import Event
from memories.values import roles
from memories.values.trust import Trust

MOST_STEPS = 200  # the last ones
MOST_BYTES = 400_000  # of what they said, sent and returned, as it is stored: long values are compressed
COLUMNS = ("episode_id", "position", "kind", "role", "said", "tool", "args", "result", "ok")


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


def with_steps(asked: GuidanceQuestion, trust: Trust) -> GuidanceQuestion:
    """The question with what the caller itself reported to the run that it names, as far as it may see that.

    As it is where steps are sent, nothing is to be checked, or there is no such run: nobody learns which.
    """
    request = asked.request
    if request.messages is not None or request.about_to is None or not (request.thread_id or request.episode_id):
        return asked
    steps = [_Step._make(row) for row in _steps(request, trust).values_list(*COLUMNS)]
    steps = [step for step in steps if step.episode_id == steps[0].episode_id]
    if not steps:
        return asked
    drafts = [step.draft for step in reversed(steps)]
    return replace(asked, run=run_of([*_unsaid(request.task or "", drafts), *drafts]), is_cut=steps[-1].position > 1)


def _unsaid(task: str, drafts: Sequence[EventDraft]) -> list[EventDraft]:
    """The task, unless the user's words are among the steps already."""
    known_texts = {draft.text.strip() for draft in drafts if roles.of(draft.role) == roles.USER}
    return [] if task.strip() in known_texts else [EventDraft("message", "user", text=task)]


def _steps(request: GuidanceRequest, trust: Trust) -> QuerySet[Event]:
    """The last ones first, of the younger run where two scopes have one of this thread."""
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
