"""The page of agents: who may call; a new token, shown once with the texts that connect an agent; rotate, revoke."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.validators import RegexValidator
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories import people
from memories.api import call_limits
from memories.models import Agent, AuditEntry
from memories.models.agent import DEFAULT_PERMISSIONS, MOST_REQUESTS
from memories.models.audit import AGENT
from memories.models.value_counts import count_values
from memories.people import permitted, trust_of
from memories.values.choices import Permission, Sensitivity
from memories.values.exceptions import Conflict
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Trust
from memories.web.facets import MOST_COUNTED, hidden_fields, tabs_of
from memories.web.paging import page_of
from memos_site.review import setting_aside
from memos_site.web.agent_runs import arrivals_of, reported_by, runs_of
from memos_site.web.connecting import connection_texts
from memos_site.web.responses import Steps

MOST_SCOPES = 100


class ScopesField(forms.CharField):
    """An empty list stands for every scope."""

    def clean(self, value: Any) -> Any:
        scopes = list(dict.fromkeys(super().clean(value).replace(",", " ").split()))[: MOST_SCOPES + 1]
        for scope in scopes:
            RegexValidator(SCOPE, SCOPE_IN_WORDS)(scope)
        if len(scopes) > MOST_SCOPES:
            raise forms.ValidationError(_("no more than 100"))
        return scopes


class SourcesField(forms.CharField):
    """An empty list stands for any source."""

    def clean(self, value: Any) -> Any:
        return [name for part in super().clean(value).split(",") if (name := part.strip())]


MOST_OF_HISTORY = 20
LIFETIMES = [("", gettext_lazy("never")), ("30", gettext_lazy("in 30 days")), ("90", gettext_lazy("in 90 days"))]
LIFETIMES += [("365", gettext_lazy("in a year"))]
NEW_AGENT: dict[str, Any] = {  # what a form offers at first
    "clearance": int(Sensitivity.MEDIUM),
    "permissions": [permission.value for permission in DEFAULT_PERMISSIONS],
}


class AgentForm(forms.Form):
    """A new agent, which may do no more than the person who makes it."""

    name = forms.CharField(max_length=128)
    clearance = forms.TypedChoiceField(coerce=int)
    permissions = forms.MultipleChoiceField(required=False)
    scopes = ScopesField(required=False)
    sources = SourcesField(required=False, max_length=512)
    requests_per_minute = forms.IntegerField(required=False, min_value=0, max_value=MOST_REQUESTS)
    expires = forms.ChoiceField(choices=LIFETIMES, required=False)

    def __init__(self, data: Any = None, *, trust: Trust) -> None:
        super().__init__(data)
        fields: dict[str, Any] = self.fields
        fields["clearance"].choices = [
            (level, word) for level, word in Sensitivity.choices if level <= trust.max_sensitivity
        ]
        fields["permissions"].choices = [(name, word) for name, word in Permission.choices if name in trust.permissions]

    @property
    def facts(self) -> dict[str, Any]:
        days = self.cleaned_data["expires"]
        expires_at = timezone.now() + timedelta(days=int(days)) if days else None
        names = ("clearance", "permissions", "scopes", "sources", "requests_per_minute")
        return {name: self.cleaned_data[name] for name in names} | {"expires_at": expires_at}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def agents(request: HttpRequest) -> HttpResponse:
    trust = _reviewer(request)
    if request.method != "POST":
        return _page(request, AgentForm(trust=trust))
    _administrator(request)
    form = AgentForm(request.POST, trust=trust)
    if not form.is_valid():
        return _page(request, form, status=400)
    try:
        new_agent, token = Agent.objects.issue(
            form.cleaned_data["name"], by=trust.actor, owner=request.user, **form.facts
        )
    except IntegrityError:
        form.add_error("name", _("an agent of this name exists already"))
        return _page(request, form, status=409)
    return _token_page(request, new_agent, token)


@never_cache
@require_POST
def rotate(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """Give the agent another token; the former one is refused from now on."""
    row = _agent(request, agent_id)
    try:
        token = row.rotate(by=trust_of(request.user).actor, at=timezone.now())
    except Conflict as conflict:
        messages.warning(request, str(conflict))
        return redirect("agents")
    return _token_page(request, row, token)


@require_POST
def revoke(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    row = _agent(request, agent_id)
    try:
        row.revoke(by=trust_of(request.user).actor, at=timezone.now())
        messages.success(request, _("%(name)s: the token is revoked") % {"name": row.name})
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    return redirect("agents")


@require_POST
def set_aside(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """Set aside what the agent alone has brought in; the message offers to take it back."""
    trust = _reviewer(request)
    row = get_object_or_404(Agent.objects.visible_to(trust), pk=agent_id)
    done = setting_aside.set_aside(row, trust=trust, at=timezone.now())
    text = _("Claims dismissed: %(claims)s; runs that count no more: %(runs)s.")
    text %= {"claims": done.claims, "runs": done.runs}
    if not done.is_all:
        text += " " + _("There are more: press again.")
    steps = Steps(undo=done.batch if done.claims or done.runs else None)
    messages.success(request, text, extra_tags=steps.tags)
    return redirect("agent", agent_id)


def _reviewer(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.REVIEW, "only reviewers may see the agents")


def _administrator(request: HttpRequest) -> None:
    people.require_administrator(request.user, "only an administrator gives and takes tokens")


def _agent(request: HttpRequest, agent_id: UUID) -> Agent:
    _administrator(request)
    return get_object_or_404(Agent.objects.visible_to(trust_of(request.user)), pk=agent_id)


@never_cache
@require_safe
def agent(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """The page of one agent: its permissions, number of calls, runs by time, and how to connect it."""
    trust, now, url = _reviewer(request), timezone.now(), _url(request)
    row = get_object_or_404(Agent.objects.visible_to(trust).select_related("owner"), pk=agent_id)
    history = AuditEntry.objects.visible_to(trust).about(AGENT, row.pk).reverse()[:MOST_OF_HISTORY]
    page, runs = runs_of(row, request)
    context = {
        "agent": row,
        "page": page,
        "runs": runs,
        "now": now,
        "history": history,
        "reported": reported_by(row, trust),
        "administers": people.administers(request.user),
        "texts": connection_texts(url=url),
        "url": url,
        **arrivals_of(row, trust=trust, at=now),
    }
    return render(request, "agents/agent.html", context)


def _list_context(request: HttpRequest, at: datetime) -> dict[str, Any]:
    """Context of the list of agents: active ones, or with `ended` revoked and expired ones, by a part of the name."""
    words, shows_ended = request.GET.get("q", "").strip()[:128].replace("\0", ""), request.GET.get("ended") == "1"
    rows = Agent.objects.visible_to(trust_of(request.user)).filter(name__icontains=words)
    ended_agents = rows.ended(at)
    active = rows.exclude(pk__in=ended_agents.values("pk"))
    value_counts = count_values({"active": (active, []), "ended": (ended_agents, [])}, MOST_COUNTED)
    counts = {name: value_counts.get(name, {"": 0})[""] for name in ("active", "ended")}
    return {
        "page": page_of(request, (ended_agents if shows_ended else active).select_related("owner")),
        "filters": {"q": words},
        "kept": hidden_fields(request.GET, "q"),
        "counts": counts,
        "tabs": tabs_of(request.GET, "ended", {"": _("Active"), "1": _("Ended")}, [*counts.values()]),
    }


def _page(request: HttpRequest, form: AgentForm, *, status: int = 200) -> HttpResponse:
    now = timezone.now()
    call_limits.counts.write(at=now)
    context = _list_context(request, now) | {
        "now": now,
        "form": form,
        "chosen": request.POST.getlist("permissions") if form.is_bound else NEW_AGENT["permissions"],
        "clearance": form.data.get("clearance", "") if form.is_bound else str(NEW_AGENT["clearance"]),
        "default_limit": settings.RATE_LIMIT_PER_MINUTE,
        "administers": people.administers(request.user),
        "texts": connection_texts(url=_url(request)),
    }
    return render(request, "agents/agents.html", context, status=status)


def _token_page(request: HttpRequest, row: Agent, token: str) -> HttpResponse:
    """Show the token in this answer only: nothing keeps it but its hash."""
    texts = connection_texts(url=_url(request), token=token)
    arrivals = arrivals_of(row, trust=trust_of(request.user), at=timezone.now())
    response: Any = render(request, "agents/issued.html", {"token": token, "texts": texts, **arrivals})
    response.shows_secrets = True
    return response  # type: ignore[no-any-return]


def _url(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")
