"""How pages look to their reader: language and time zone, kept in cookies for this browser and with the person for
others; instants as text in them."""

from datetime import datetime, tzinfo
from functools import cache, lru_cache
from itertools import groupby
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memories.models import Preferences
from memos_site.web.responses import came_from

CHOSEN = "language"  # in the session: chosen before anybody signed in
COOKIE = "time_zone"
YEAR = 365 * 24 * 3600
REGIONS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
UTC = "UTC"


@login_not_required
def choose_language(request: HttpRequest) -> HttpResponse:
    """Answer in another language from now on, and return to the page on which it was chosen."""
    language = request.POST.get("language", "")
    response = redirect(came_from(request))
    if language not in dict(settings.LANGUAGES):
        return response
    if isinstance(request.user, User):
        Preferences.objects.choose(request.user, language=language)
    else:
        request.session[CHOSEN] = language
    _remember(response, settings.LANGUAGE_COOKIE_NAME, language)
    return response


@require_POST
def choose_time_zone(request: HttpRequest) -> HttpResponse:
    """Show times in another zone from now on; '' is the workspace's."""
    assert isinstance(request.user, User)  # LoginRequiredMiddleware let them in
    zone, response = request.POST.get("time_zone", ""), redirect("profile")
    if zone and not is_known(zone):
        messages.warning(request, _("There is no such time zone"))
        return response
    Preferences.objects.choose(request.user, time_zone=zone)
    messages.success(request, _("Saved"))
    _remember(response, COOKIE, zone)
    return response


def follow(request: HttpRequest, response: HttpResponse) -> None:
    """After signing in: keep the language that was chosen on the sign-in page, else take what the person chose before,
    and the zone: nothing of who signed in here before."""
    if not isinstance(request.user, User):
        return
    language = request.session.pop(CHOSEN, "")
    if language:
        Preferences.objects.choose(request.user, language=language)
    elif language := Preferences.objects.language_of(request.user):
        _remember(response, settings.LANGUAGE_COOKIE_NAME, language)
    _remember(response, COOKIE, Preferences.objects.time_zone_of(request.user))


def _remember(response: HttpResponse, name: str, value: str) -> None:
    """Let this browser keep a choice for a year; '' ends it."""
    if not value:
        response.delete_cookie(name)
        return
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(name, value, max_age=YEAR, secure=secure, httponly=True, samesite="Lax")


def zone_of(request: HttpRequest) -> str | None:
    """The zone that was chosen in this browser; None for the workspace's."""
    zone = request.COOKIES.get(COOKIE, "")
    return zone if zone and is_known(zone) else None


def is_known(zone: str) -> bool:
    return zone in _zones()


@cache
def by_region() -> list[tuple[str, list[str]]]:
    """The zones with the name of a place, by region."""
    return [(region, list(zones)) for region, zones in groupby(sorted(_zones() - {UTC}), key=_region)]


@cache
def _zones() -> frozenset[str]:
    return frozenset({UTC, *(zone for zone in available_timezones() if _region(zone) in REGIONS)})


def _region(zone: str) -> str:
    return zone.partition("/")[0]


def absolute(at: datetime) -> str:
    """Return an instant with its zone."""
    return _format(at, timezone.get_current_timezone(), get_language())[0]


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
    return _format(at, timezone.get_current_timezone(), get_language())[1]


@lru_cache(maxsize=4_096)  # pages show the same rows again and again: formatting took a tenth of a list's time
def _format(at: datetime, zone: tzinfo, _language: str | None) -> tuple[str, str]:
    local = timezone.localtime(at, zone)
    return f"{date_format(local, 'DATETIME_FORMAT')} {local.tzname()}", date_format(local, "DATE_FORMAT")
