"""Days of the workspace, and which scopes are counted by name."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from django.db.models import Count
from django.utils import timezone

from memories.models import Memory
from memories.values.trust import SHARED_SCOPES

MOST_SCOPES = 20  # counted by name; the others together


def start_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()), timezone.get_default_timezone())


def end_of(day: date) -> datetime:
    return start_of(day + timedelta(days=1))


def day_of(at: datetime) -> date:
    """The day of the workspace, by which the job counts, whatever the zone of who reads the page."""
    return timezone.localtime(at, timezone.get_default_timezone()).date()


def named_scopes() -> list[str]:
    """The shared scopes and the MOST_SCOPES largest others."""
    sizes = Memory.objects.exclude(scope__in=SHARED_SCOPES).order_by().values("scope").annotate(n=Count("pk"))
    return [*SHARED_SCOPES, *sizes.order_by("-n", "scope").values_list("scope", flat=True)[:MOST_SCOPES]]


def place(scope: str, scopes: Sequence[str], others: str) -> str:
    return scope if scope in scopes else others
