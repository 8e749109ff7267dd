"""The link in each mail that stops it, without signing in. It can switch off, and nothing else."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from memories.models import Preferences

SALT = "memos.mail.stop"


def token(user_id: int, *, alerts: bool) -> str:
    """What a link holds: whose mails, and which of them. It works for good, as mails are kept for long."""
    return signing.dumps([user_id, alerts], salt=SALT)


@login_not_required
@csrf_exempt  # a mail program sends the form of RFC 8058 by itself
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Ask, and stop on POST. Programs that look at the links of a mail before the person does stop nothing."""
    try:
        user_id, alerts = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise Http404("no such link") from None
    stopped: Any = request.method == "POST"
    if stopped:
        Preferences.objects.stop_mails(user_id, alerts=alerts)
    return render(request, "account/stop_mails.html", {"alerts": alerts, "stopped": stopped})
