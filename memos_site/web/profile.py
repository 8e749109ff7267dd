"""The page of the signed-in person: name, mails and the link that stops them, password, sessions, own agents."""

from typing import Any, Self

from axes.models import AccessLog
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from memories import accounts
from memories.models import Agent, Mail, Preferences
from memories.people import administers, trust_of
from memos_site.platform.service_settings import CONSOLE
from memos_site.web import reader

MOST_AGENTS, MOST_SIGN_INS = 50, 8
BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Windows": "Windows", "Mac OS": "macOS"}
SYSTEMS |= {"Linux": "Linux"}  # last, for Android says it too


class NameForm(forms.Form):
    full_name = forms.CharField(max_length=150, required=False)


class MailsForm(forms.Form):
    """Where mails go, and which of them a person gets."""

    email = forms.EmailField(required=False, max_length=254)
    digest = forms.ChoiceField(choices=[("", gettext_lazy("none")), *Preferences.Digest.choices], required=False)
    alerts = forms.BooleanField(required=False)

    @classmethod
    def of(cls, user: User) -> Self:
        preferences = Preferences.objects.filter(user=user).first() or Preferences()
        return cls(initial={"email": user.email, "digest": preferences.digest, "alerts": preferences.alerts})

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if (values.get("digest") or values.get("alerts")) and not values.get("email") and "email" not in self.errors:
            self.add_error("email", _("Mails need an address."))
        return values


class ElsewhereForm(forms.Form):
    """End the sessions in other browsers: the password again."""

    password = forms.CharField(strip=False)

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password."))
        return password


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # LoginRequiredMiddleware let them in
    forms_of: dict[str, Any] = {
        "name": NameForm,
        "mails": lambda data=None: MailsForm(data) if data is not None else MailsForm.of(user),
        "password": lambda data=None: PasswordChangeForm(user, data),
        "elsewhere": lambda data=None: ElsewhereForm(user, data),
    }
    decision = request.POST.get("decision", "")
    forms_by_name: dict[str, Any] = {name: make() for name, make in forms_of.items()}
    if decision in forms_of:
        form: Any = forms_of[decision](request.POST)
        forms_by_name[decision] = form
        if form.is_valid():
            messages.success(request, _save(request, user, decision, form))
            return redirect("profile")
    return _page(request, user, forms_by_name, status=400 if request.method == "POST" else 200)


def _save(request: HttpRequest, user: User, decision: str, form: Any) -> str:
    """Write one of the forms; answers what to say."""
    if decision == "name":
        user.first_name, user.last_name = form.cleaned_data["full_name"], ""  # which the form showed as one
        user.save(update_fields=["first_name", "last_name"])
        return _("Saved")
    if decision == "mails":
        user.email = form.cleaned_data.pop("email")
        user.save(update_fields=["email"])
        Preferences.objects.choose(user, **form.cleaned_data, mails_since=timezone.now())
        return _("Saved")
    if decision == "password":
        form.save()
        accounts.record_password(user, at=timezone.now())
    else:  # the same password with another salt: what other sessions were signed with is no longer right
        user.set_password(form.cleaned_data["password"])
        user.save(update_fields=["password"])
    update_session_auth_hash(request, user)
    return _("Your password is changed") if decision == "password" else _("You are signed out everywhere else")


def _page(request: HttpRequest, user: User, forms_by_name: dict[str, Any], *, status: int) -> HttpResponse:
    trust = trust_of(user)
    sign_ins = AccessLog.objects.filter(username=user.username).order_by("-attempt_time")[:MOST_SIGN_INS]
    context = {
        "forms": forms_by_name,
        "access": accounts.Access.of(accounts.everybody().get(pk=user.pk)),
        "sign_ins": [(sign_in, browser(sign_in.user_agent)) for sign_in in sign_ins],
        "agents": Agent.objects.visible_to(trust).unrevoked().filter(owner=user).order_by("name")[:MOST_AGENTS],
        "administers": administers(user),
        "sends_no_mail": settings.EMAIL_BACKEND == CONSOLE,
        "last_mail": Mail.objects.filter(user=user).order_by("-created_at").first(),
        "now": timezone.now(),
        "zone_choices": reader.by_region(),
        "chosen_zone": reader.zone_of(request),
        "default_zone": settings.TIME_ZONE,
    }
    return render(request, "account/profile.html", context, status=status)


def browser(user_agent: str) -> str:
    """Return browser and system of a User-Agent header; others as they name themselves."""
    name = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return " · ".join(filter(None, (name or user_agent[:40], system)))


SALT = "memos.mail.stop"


def token(user_id: int, *, alerts: bool) -> str:
    """A signed token of a link that stops mails: whose, and which of them. It does not expire, as mails are kept."""
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
    is_stopped: Any = request.method == "POST"
    if is_stopped:
        Preferences.objects.stop_mails(user_id, alerts=alerts)
    return render(request, "account/stop_mails.html", {"alerts": alerts, "stopped": is_stopped})
