"""A run that was reported, open or closed, for a verdict on it."""

from consolidation.guidance.verdict_request import VerdictRequest
from consolidation.pipelines import recorded
from consolidation.pipelines.recorded import Recording
from memories.models import Episode
from memories.values.choices import Permission
from memories.values.trust import Trust


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
