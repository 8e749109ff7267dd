"""Admin of agents: issue a token (shown once) and revoke it. What a token may do never changes."""

import re
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.postgres.forms import SimpleArrayField
from django.core.validators import RegexValidator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from memories.admin.trusted import Uncounted
from memories.models import Agent
from memories.models.agent import DEFAULT_PERMISSIONS
from memories.people import trust_of
from memories.values.choices import Permission, Sensitivity
from memories.values.exceptions import Conflict
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Trust

ISSUED = ("name", "owner", "clearance", "permissions", "scopes", "sources", "requests_per_minute", "expires_at")


def _words(most: int, **of_each: Any) -> SimpleArrayField:
    each = forms.CharField(max_length=most, **of_each)
    return SimpleArrayField(each, required=False, widget=UnfoldAdminTextInputWidget)


class IssueForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form for issuing a token with no more permissions than the person has."""

    trust: Trust
    clearance = forms.TypedChoiceField(coerce=int, widget=UnfoldAdminSelectWidget)
    permissions = forms.MultipleChoiceField(required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget)
    scopes = _words(128, validators=[RegexValidator(re.compile(SCOPE), SCOPE_IN_WORDS)])
    sources = _words(512)

    class Meta:
        model = Agent
        fields = ISSUED

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        trust = self.trust
        shown: dict[str, Any] = self.fields
        shown["clearance"].choices = [each for each in Sensitivity.choices if each[0] <= trust.max_sensitivity]
        shown["clearance"].initial = Sensitivity.MEDIUM
        shown["permissions"].choices = [each for each in Permission.choices if each[0] in trust.permissions]
        shown["permissions"].initial = DEFAULT_PERMISSIONS
        shown["owner"].queryset = User.objects.filter(is_active=True)
        shown["scopes"].help_text = _("separated by commas; none: every scope")
        shown["sources"].help_text = _("separated by commas; none: any source")


@admin.register(Agent)
class AgentAdmin(Uncounted):
    list_display = ("name", "owner", "clearance", "may", "within", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("clearance", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    search_fields = ("name", "prefix", "owner__username")
    ordering = ("name",)
    form = IssueForm
    actions = ("revoke",)

    @admin.display(description=_("permissions"))
    def may(self, agent: Agent) -> str:
        return ", ".join(agent.permissions)

    @admin.display(description=_("scopes"))
    def within(self, agent: Agent) -> str:
        return ", ".join(agent.scopes) or "all"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*ISSUED, *(("prefix", "revoked_at", "last_used_at", "created_at") if obj else ())]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_fields(request, obj) if obj else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj:  # read-only
            return super().get_form(request, obj, change=change, **{**kwargs, "form": forms.ModelForm})
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.trust = trust_of(request.user)
        return form

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"owner": request.user.pk}

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        once = {"show_save_and_add_another": False, "show_save_and_continue": False}
        answer: HttpResponse = super().add_view(request, form_url, {**(extra_context or {}), **once})
        return answer

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return super().has_change_permission(request)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Agent:
        facts = dict(form.cleaned_data)
        agent, token = Agent.objects.issue(facts.pop("name"), by=trust_of(request.user).actor, **facts)
        agent.token = token  # type: ignore[attr-defined]  # of this answer only
        return agent

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: `issue` has saved the agent."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: an agent has no related rows."""

    def response_add(self, request: HttpRequest, obj: Agent, post_url_continue: str | None = None) -> HttpResponse:
        """Show the token in this response only: it is stored neither here nor in a cookie."""
        shown = {"title": "Token issued", "opts": self.opts, "agent": obj}
        answer: Any = TemplateResponse(request, "admin/issued.html", {**self.admin_site.each_context(request), **shown})
        answer.shows_secrets = True  # the token, once
        return answer  # type: ignore[no-any-return]

    @admin.action(description=_("Revoke the token"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        by, at = trust_of(request.user).actor, timezone.now()
        for agent in queryset:
            try:
                agent.revoke(by=by, at=at)
                self.log_change(request, agent, "Revoked")
                self.message_user(request, f"{agent.name}: revoked", messages.SUCCESS)
            except Conflict as conflict:
                self.message_user(request, str(conflict), messages.WARNING)
