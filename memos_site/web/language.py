"""The language of the pages: kept in a cookie for this browser, and with the person for others."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memories.models import Preferences
from memos_site.web.responses import came_from

CHOSEN = "language"  # in the session: chosen before anybody signed in
YEAR = 365 * 24 * 3600


@login_not_required
def choose(request: HttpRequest) -> HttpResponse:
    """Answer in another language from now on, and return to the page on which it was chosen."""
    chosen = request.POST.get("language", "")
    response = redirect(came_from(request))
    if chosen not in dict(settings.LANGUAGES):
        return response
    if isinstance(request.user, User):
        Preferences.objects.choose(request.user, language=chosen)
    else:
        request.session[CHOSEN] = chosen
    keep_cookie(response, settings.LANGUAGE_COOKIE_NAME, chosen)
    return response


def follow(request: HttpRequest, response: HttpResponse) -> None:
    """After signing in: keep what was chosen on the sign-in page, else take what the person chose before."""
    if not isinstance(request.user, User):
        return
    chosen = request.session.pop(CHOSEN, "")
    if chosen:
        Preferences.objects.choose(request.user, language=chosen)
    elif chosen := Preferences.objects.language_of(request.user):
        keep_cookie(response, settings.LANGUAGE_COOKIE_NAME, chosen)


def keep_cookie(response: HttpResponse, name: str, value: str) -> None:
    """Let this browser keep a choice for a year."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(name, value, max_age=YEAR, secure=secure, httponly=True, samesite="Lax")
