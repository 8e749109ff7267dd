"""A person's session: what was decided since signing in."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from memories.people import trust_of
from memos_site import review

MAX_SESSION = timedelta(days=14)


def history_of(request: HttpRequest) -> review.History:
    """Return the person's history since signing in, at most of MAX_SESSION."""
    oldest = timezone.now() - MAX_SESSION
    signed_in = getattr(request.user, "last_login", None)
    return review.history(trust_of(request.user).actor, since=max(signed_in, oldest) if signed_in else oldest)


def decided_count(request: HttpRequest) -> str:
    """Return how many rows the decisions in force are about; with a plus where there may be older ones."""
    history = history_of(request)
    return f"{history.decided_count}+" if history.is_cut else str(history.decided_count)
