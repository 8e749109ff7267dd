"""Pages of people: administrators make them, say what they may do, stop them; a link lets each choose a password."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import IntegrityError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memories import accounts
from memories.accounts import Access
from memories.people import require_administrator, trust_of
from memories.values.choices import Sensitivity
from memories.values.exceptions import Conflict
from memos_site.web import reader
from memos_site.web.agents import ScopesField

GROUPS = [
    ("viewer", gettext_lazy("viewer: reads everything, decides nothing")),
    ("reviewer", gettext_lazy("reviewer: decides what is believed, teaches, publishes")),
    ("administrator", gettext_lazy("administrator: everything, people and tokens too")),
]
LEAST = Sensitivity.MEDIUM  # clearance of a person
CLEARANCES = [(level, word) for level, word in Sensitivity.choices if level >= LEAST]
MOST_PEOPLE = 500


class AccessForm(forms.Form):
    """What a person may do and see."""

    group = forms.ChoiceField(choices=GROUPS, initial="reviewer")
    clearance = forms.TypedChoiceField(coerce=int, choices=CLEARANCES, initial=Sensitivity.MEDIUM)
    scopes = ScopesField(required=False)

    @property
    def access(self) -> Access:
        facts = self.cleaned_data
        if facts["group"] == accounts.ADMINISTRATOR:
            return Access(accounts.ADMINISTRATOR, Sensitivity.HYPER)
        return Access(facts["group"], facts["clearance"], facts["scopes"])


class InviteForm(AccessForm):
    name = forms.CharField(max_length=150, validators=[UnicodeUsernameValidator()])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def everybody(request: HttpRequest) -> HttpResponse:
    """List the people; a new one is invited, and the link shown once."""
    _administrator(request)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if not form.is_bound:
        return _page(request, form)
    if not form.is_valid():
        return _page(request, form, status=400)
    name = form.cleaned_data["name"]
    try:
        person = accounts.invite(name, form.access, by=trust_of(request.user).actor, at=timezone.now())
    except IntegrityError:
        form.add_error("name", _("a person of this name exists already"))
        return _page(request, form, status=409)
    return _link_page(request, person)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Show and change what one person may do, stop them, or give them a link to choose another password."""
    _administrator(request)
    row = get_object_or_404(accounts.everybody(), pk=person_id)
    form = AccessForm(request.POST if request.POST.get("decision") == "give" else None)
    if request.method != "POST" or (form.is_bound and not form.is_valid()):
        return _person_page(request, row, form, status=400 if form.is_bound else 200)
    facts: dict[str, Any] = {"by": trust_of(request.user).actor, "at": timezone.now()}
    try:
        return _decide(request, row, form, facts)
    except Conflict as conflict:
        messages.warning(request, str(conflict))
        return redirect("person", person_id=row.pk)


def _decide(request: HttpRequest, row: User, form: AccessForm, facts: dict[str, Any]) -> HttpResponse:
    match request.POST.get("decision"):
        case "give":
            accounts.give(row, form.access, **facts)
            messages.success(request, _("Saved"))
        case "stop":
            accounts.set_active(row, False, **facts)
            messages.success(request, _("%(name)s cannot sign in any more") % {"name": row.username})
        case "start":
            accounts.set_active(row, True, **facts)
            messages.success(request, _("%(name)s can sign in again") % {"name": row.username})
        case "reset":
            accounts.forget_password(row, **facts)
            return _link_page(request, row)
        case _:
            return HttpResponse(_("Unknown decision"), status=400, content_type="text/plain; charset=utf-8")
    return redirect("person", person_id=row.pk)


@method_decorator([login_not_required, never_cache], name="dispatch")
class ChoosePassword(views.PasswordResetConfirmView):
    """The page behind the link: choose a password, once; then the person is signed in."""

    template_name = "people/choose_password.html"
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"
    success_url = reverse_lazy("inbox")

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        accounts.record_password(form.user, at=timezone.now())
        reader.follow(self.request, answer)
        return answer


def _administrator(request: HttpRequest) -> None:
    require_administrator(request.user, "only an administrator manages people")


def _page(request: HttpRequest, form: InviteForm, *, status: int = 200) -> HttpResponse:
    words = request.GET.get("q", "").strip()[:150].replace("\0", "")
    people = accounts.everybody().filter(
        Q(username__icontains=words) | Q(first_name__icontains=words) | Q(last_name__icontains=words)
    )
    rows = [(row, Access.of(row)) for row in people[: MOST_PEOPLE + 1]]
    context = {
        "rows": rows[:MOST_PEOPLE],
        "is_cut": len(rows) > MOST_PEOPLE,
        "filters": {"q": words},
        "form": form,
        "shown": _field_values(form, Access()),
    }
    return render(request, "people/people.html", context, status=status)


def _person_page(request: HttpRequest, row: User, form: AccessForm, *, status: int) -> HttpResponse:
    access = Access.of(row)
    context = {"person": row, "access": access, "form": form, "shown": _field_values(form, access)}
    return render(request, "people/person.html", context, status=status)


def _field_values(form: AccessForm, access: Access) -> dict[str, str]:
    """The values of the fields by name: those of the request, else those of the person."""
    if form.is_bound:
        return {name: form.data.get(name, "") for name in ("group", "clearance", "scopes")}
    return {"group": access.group, "clearance": str(access.clearance), "scopes": ", ".join(access.scopes)}


def _link_page(request: HttpRequest, person: User) -> HttpResponse:
    """Show the link in this answer only. It works once, for three days, and until the person signs in."""
    words = [urlsafe_base64_encode(force_bytes(person.pk)), default_token_generator.make_token(person)]
    link = request.build_absolute_uri(reverse("join", args=words))
    return render(request, "people/linked.html", {"person": person, "link": link})
