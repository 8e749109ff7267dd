"""The first ten minutes: the demo team, a file of recorded runs, an agent, a first run; each by a form."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from consolidation.models import Run
from memories.accounts import FIRST_AGENT
from memories.models import Agent, Memory
from memories.people import administers, require_administrator, trust_of
from memories.values.choices import Permission, Type
from memories.values.exceptions import Conflict
from memories.values.trust import Trust
from memos_site import demo
from memos_site.web.agents import NEW_AGENT


@require_safe
def welcome(request: HttpRequest) -> HttpResponse:
    trust = trust_of(request.user)
    context = {
        "demo_loaded": demo.is_loaded(),
        "holds_other_data": demo.holds_other_data(),
        "administers": administers(request.user),
        "may_review": trust.may(Permission.REVIEW),
        "may_order": trust.may(Permission.REVIEW) and trust.scopes is None,
        **NEW_AGENT,
        **_progress(trust),
    }
    return render(request, "welcome/welcome.html", context)


def _progress(trust: Trust) -> dict[str, bool]:
    """Which steps are done, as far as the person may see."""
    rows = Memory.objects.visible_to(trust)
    return {
        "has_episodes": rows.filter(type=Type.EPISODIC).exists(),
        "has_agent": Agent.objects.visible_to(trust).exclude(name=FIRST_AGENT).exists(),
        "has_run": Run.objects.visible_to(trust).exists(),
        "has_knowledge": rows.knowledge().exists(),
    }


@require_POST
def load_demo(request: HttpRequest) -> HttpResponse:
    _administrator(request)
    try:
        is_new = demo.load(at=timezone.now(), beside_others="beside" in request.POST)
    except Conflict as refusal:
        messages.warning(request, str(refusal))
        return redirect("welcome")
    if not is_new:
        messages.success(request, _("The demo team is here already."))
    else:
        messages.success(request, _("The demo team is here. Everything of it lies in scopes that begin with demo:"))
    return redirect("inbox")


@require_POST
def remove_demo(request: HttpRequest) -> HttpResponse:
    _administrator(request)
    try:
        n = demo.remove()
    except Conflict as refusal:
        messages.warning(request, str(refusal))
    else:
        messages.success(request, _("The demo team is gone, with its %(n)d memories.") % {"n": n})
    return redirect("welcome")


def _administrator(request: HttpRequest) -> None:
    require_administrator(request.user, "only an administrator loads and removes the demo team")
