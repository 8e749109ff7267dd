"""Memories with what the desk decides about them: the rooms' admins only show, and no room may look into the hall."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextInputWidget

from memories.admin.records import MemoryAdmin
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memos_site import review


class Because(ActionForm):
    """A decision with its reason."""

    reason = forms.CharField(
        label="",
        required=False,
        max_length=2000,
        widget=UnfoldAdminTextInputWidget({"placeholder": "why", "list": "reasons", "x-show": "action"}),
    )


@admin.register(Memory)
class DecidedMemoryAdmin(MemoryAdmin):
    action_form = Because
    actions = ("promote", "dismiss", "restore")

    def has_review_permission(self, request: HttpRequest) -> bool:
        return trust_of(request.user).may(Permission.REVIEW)

    @admin.action(description="Promote", permissions=["review"])
    def promote(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "promote")

    @admin.action(description="Dismiss, with a reason", permissions=["review"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "dismiss")

    @admin.action(description="Restore", permissions=["review"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        self._decide(request, queryset, "restore")

    def _decide(self, request: HttpRequest, queryset: QuerySet[Memory], verb: str) -> None:
        """Each row by itself: what cannot be decided says why, and keeps no other from it."""
        trust, why, done = trust_of(request.user), request.POST.get("reason", ""), 0
        for memory in queryset[: self.list_per_page]:
            try:
                review.decide(trust, memory.pk, verb, at=timezone.now(), why=why)
                done += 1
            except (Conflict, Invalid, NotAllowed, NotFound) as refusal:
                self.message_user(request, f"{memory}: {refusal}", messages.WARNING)
        if done:
            self.message_user(request, f"{verb}: {done}", messages.SUCCESS)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without Django's own delete: a memory is dismissed or forgotten, never dropped."""
        return {name: action for name, action in super().get_actions(request).items() if name in self.actions}
