"""Ends of a snooze that the pages offer, and the words for them."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from memories.values.exceptions import FieldError, Invalid

MORNING = 9
SUNDAY = 6
CHOICES = {"tomorrow": gettext_lazy("until tomorrow"), "week": gettext_lazy("until Monday")}


def until(when: str, now: datetime) -> datetime | None:
    """Return 9 in the morning of tomorrow or next Monday, in the workspace's time zone; None for `wake`.

    On a Sunday next Monday is not tomorrow, which is offered as such. Invalid: another word.
    """
    local = timezone.localtime(now)
    days_to_monday = 7 - local.weekday() + (7 if local.weekday() == SUNDAY else 0)
    days = {"tomorrow": 1, "week": days_to_monday, "wake": 0}.get(when)
    if days is None:
        raise Invalid(FieldError("/until", "unknown_value", "must be tomorrow, week or wake"))
    morning = (local + timedelta(days=days)).replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning if days else None


def choices(now: datetime) -> list[dict[str, Any]]:
    """Return what a menu offers: the value, its words, its day."""
    return [{"value": value, "label": label, "day": day(until(value, now))} for value, label in CHOICES.items()]


def day(at: datetime | None) -> str:
    """Return the day of an instant with its name, as in `Mon 23 Nov`; '' for None."""
    return date_format(timezone.localtime(at), pgettext("format of a day with its name", "D j M")) if at else ""


def message(at: datetime | None) -> str:
    """Say until when something is snoozed; None: it was woken."""
    return _("Snoozed until %(day)s") % {"day": day(at)} if at else _("Back in the queue")
