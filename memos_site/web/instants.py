"""Instants as text: where the reader lives, in the reader's language."""

from datetime import datetime, tzinfo
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _


def absolute(at: datetime) -> str:
    """Return an instant with its zone."""
    return _formatted(at, timezone.get_current_timezone(), get_language())[0]


def distance(at: datetime) -> str:
    """Return how long an instant has passed; after a month its day."""
    seconds = (timezone.now() - at).total_seconds()
    if seconds < 60:
        return _("just now")
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86_400)
    if minutes < 60:
        return ngettext("%(n)d min ago", "%(n)d min ago", minutes) % {"n": minutes}
    if hours < 24:
        return ngettext("%(n)d h ago", "%(n)d h ago", hours) % {"n": hours}
    if days < 30:
        return ngettext("%(n)d day ago", "%(n)d days ago", days) % {"n": days}
    return _formatted(at, timezone.get_current_timezone(), get_language())[1]


@lru_cache(maxsize=4_096)  # pages show the same rows again and again: formatting took a tenth of a list's time
def _formatted(at: datetime, zone: tzinfo, _language: str | None) -> tuple[str, str]:
    local = timezone.localtime(at, zone)
    return f"{date_format(local, 'DATETIME_FORMAT')} {local.tzname()}", date_format(local, "DATE_FORMAT")
