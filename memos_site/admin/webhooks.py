"""Admin of webhooks: make one (its secret is shown once), stop it; see what was sent, and send it again."""

from datetime import datetime
from typing import Any, Protocol

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.forms import SimpleArrayField
from django.core.validators import RegexValidator, URLValidator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from consolidation.models import Webhook, WebhookDelivery
from consolidation.models.webhooks import Format, WebhookEvent
from consolidation.webhooks import sending
from consolidation.webhooks.sending import Refused
from memories.admin.trusted import Administrators, TrustedAdmin, Uncounted
from memories.people import trust_of
from memories.values.choices import Permission, Sensitivity
from memories.values.exceptions import Conflict
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Actor

ADD_FIELDS = ("name", "format", "url", "events", "clearance", "scopes")
DETAIL_FIELDS = ("name", "format", "shown_url", "events", "clearance", "scopes", "created_at", "stopped_at")


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]
    format = forms.ChoiceField(
        choices=Format.choices,
        initial=Format.JSON,
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_(
            "JSON: signed, for your own program. The others: paste the address of the chat's incoming webhook."
        ),
    )
    url = forms.CharField(
        max_length=500, validators=[URLValidator(schemes=["https", "http"])], widget=UnfoldAdminTextInputWidget
    )
    events = forms.MultipleChoiceField(choices=WebhookEvent.choices, widget=UnfoldAdminCheckboxSelectMultipleWidget)
    clearance = forms.TypedChoiceField(
        coerce=int, choices=Sensitivity.choices, initial=Sensitivity.LOW, widget=UnfoldAdminSelectWidget
    )
    scopes = SimpleArrayField(
        forms.CharField(max_length=128, validators=[RegexValidator(SCOPE, SCOPE_IN_WORDS)]),
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("separated by commas; none: every scope"),
    )

    class Meta:
        model = Webhook
        fields = ADD_FIELDS

    def clean_format(self) -> str:
        return self.cleaned_data["format"] or Format.JSON

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            sending.target(url)
        except Refused:
            raise forms.ValidationError(
                _("Messages cannot be sent to this address: its host or port is not valid.")
            ) from None
        return url


@admin.register(Webhook)
class WebhookAdmin(Administrators, Uncounted):  # type: ignore[misc]  # as of the other admins
    """Only administrators say where messages go."""

    list_display = ("name", "format", "shown_url", "told", "clearance", "created_at", "stopped_at")
    ordering = ("-created_at",)
    form = WebhookForm
    actions = ("stop",)

    @admin.display(description=_("address"))
    def shown_url(self, webhook: Webhook) -> str:
        return webhook.shown_url

    @admin.display(description=_("events"))
    def told(self, webhook: Webhook) -> str:
        return ", ".join(webhook.events)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*(DETAIL_FIELDS if obj else ADD_FIELDS)]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_fields(request, obj) if obj else []

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj:  # read-only
            kwargs["form"] = forms.ModelForm
        return super().get_form(request, obj, change=change, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_stop_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.save(force_insert=True)
        obj.audit("create", by=trust_of(request.user).actor, at=timezone.now())

    def response_add(self, request: HttpRequest, obj: Webhook, post_url_continue: str | None = None) -> HttpResponse:
        """Show the secret in this response only; a chat's hook needs none."""
        if obj.format != Format.JSON:
            return super().response_add(request, obj, post_url_continue)
        facts = {"title": "Webhook made", "opts": self.opts, "webhook": obj}
        context = {**self.admin_site.each_context(request), **facts}
        answer: Any = TemplateResponse(request, "admin/webhook_made.html", context)
        answer.shows_secrets = True
        return answer  # type: ignore[no-any-return]

    @admin.action(description=_("Stop: send nothing more"), permissions=["stop"])
    def stop(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> None:
        for webhook in queryset:
            _act(self, request, webhook.stop, str(webhook.name), "stopped")


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(TrustedAdmin):
    list_display = ("event", "webhook", "status", "attempts", "answered", "error", "created_at", "delivered_at")
    list_filter = ("status", "event")
    ordering = ("-created_at", "-id")
    id_fields = ("pk", "subject")
    actions = ("replay",)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        return trust_of(request.user).may(Permission.REVIEW)

    @admin.action(description=_("Send again"), permissions=["replay"])
    def replay(self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]) -> None:
        for delivery in queryset:
            _act(self, request, delivery.replay, str(delivery), "it is sent again")


class RowVerb(Protocol):
    def __call__(self, *, by: Actor, at: datetime) -> object: ...


def _act(page: Any, request: HttpRequest, verb: RowVerb, name: str, done: str) -> None:
    try:
        verb(by=trust_of(request.user).actor, at=timezone.now())
        page.message_user(request, f"{name}: {done}", messages.SUCCESS)
    except Conflict as conflict:
        page.message_user(request, f"{name}: {conflict}", messages.WARNING)
