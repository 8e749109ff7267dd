"""The admin of memories with the review's decisions as actions; `memories.admin` itself only shows them."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextInputWidget

from memories.admin.records import MemoryAdmin
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memos_site import review


class ReasonForm(ActionForm):
    """The admin's action form with a field for the reason of a decision."""

    reason = forms.CharField(
        label="",
        required=False,
        max_length=2000,
        widget=UnfoldAdminTextInputWidget({"placeholder": "why", "list": "reasons", "x-show": "action"}),
    )


@admin.register(Memory)
class ReviewedMemoryAdmin(MemoryAdmin):
    action_form = ReasonForm
    actions = ("promote", "dismiss", "restore")

    def has_review_permission(self, request: HttpRequest) -> bool:
        return trust_of(request.user).may(Permission.REVIEW)

    @admin.action(description=_("Promote"), permissions=["review"])
    def promote(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "promote")

    @admin.action(description=_("Dismiss, with a reason"), permissions=["review"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "dismiss")

    @admin.action(description=_("Restore"), permissions=["review"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "restore")

    def _decide(self, request: HttpRequest, queryset: QuerySet[Memory], verb: str) -> None:
        """Decide each row on its own; a refusal becomes a message and does not stop the others."""
        trust, why, count = trust_of(request.user), request.POST.get("reason", ""), 0
        for memory in queryset[: self.list_per_page]:
            try:
                review.decide(trust, memory.pk, verb, at=timezone.now(), why=why)
                count += 1
            except (Conflict, Invalid, NotAllowed, NotFound) as refusal:
                self.message_user(request, f"{memory}: {refusal}", messages.WARNING)
        if count:
            self.message_user(request, f"{verb}: {count}", messages.SUCCESS)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The actions without Django's delete: a memory is dismissed or forgotten, never deleted here."""
        return {name: action for name, action in super().get_actions(request).items() if name in self.actions}
