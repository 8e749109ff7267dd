"""Admin pages for administrators only: users and groups, as whoever changes them could be anyone; sign-ins; jobs and
schedules of django-q, and the mails that one of them sends."""

import ast
from typing import Any

from axes.admin import AccessAttemptAdmin, AccessFailureLogAdmin, AccessLogAdmin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memories.admin.trusted import Administrators, ReadOnly, Uncounted
from memories.models import Mail

MODELS = (User, Group, AccessAttempt, AccessLog, AccessFailureLog, Schedule, Success, Failure, OrmQ)
for model in MODELS:
    admin.site.unregister(model)


class _PermissionChoices(Administrators):
    """Forms that list permissions, with the model of each loaded in the same query."""

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.related_model is Permission:
            kwargs["queryset"] = Permission.objects.select_related("content_type")
        return super().formfield_for_manytomany(db_field, request, **kwargs)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, _PermissionChoices):  # type: ignore[misc, type-arg]  # unfold has no types
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    filter_horizontal = ()
    list_display = ("username", "first_name", "last_name", "is_staff", "is_active", "last_login")


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, _PermissionChoices):  # type: ignore[misc]  # unfold has no types
    filter_horizontal = ()


class _SignInAdmin(Uncounted):
    """Records of sign-ins cannot be edited; deleting an attempt unlocks its user."""

    date_hierarchy = None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(AccessAttempt)
class Attempts(_SignInAdmin, AccessAttemptAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time"]


@admin.register(AccessLog)
class SignIns(_SignInAdmin, AccessLogAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time"]


@admin.register(AccessFailureLog)
class FailedSignIns(_SignInAdmin, AccessFailureLogAdmin):  # type: ignore[misc]  # an untyped base
    list_filter = ["attempt_time", "locked_out"]


class _JobAdmin(Administrators, Uncounted):  # type: ignore[misc]  # an untyped base
    """Administrators only: a schedule may name any function, and a traceback may quote any row."""


class ScheduleForm(forms.ModelForm):  # type: ignore[type-arg]
    """Refuses what the scheduler cannot read: all that are due are prepared at once, one error stops them all."""

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("schedule_type") == Schedule.CRON and not values.get("cron"):
            self.add_error("schedule_type", RegexValidator.message)
        if args := values.get("args"):
            try:
                ast.literal_eval(args)
            except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
                self.add_error("args", RegexValidator.message)
        return values


@admin.register(Schedule)
class Schedules(ScheduleAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    form = ScheduleForm


@admin.register(Success)
class Successes(TaskAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(Failure)
class Failures(FailAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    ordering = ("-stopped",)


@admin.register(OrmQ)
class Queue(QueueAdmin, _JobAdmin):  # type: ignore[misc]  # an untyped base
    pass


@admin.register(Mail)
class Mails(ReadOnly, _JobAdmin):  # type: ignore[misc]  # as of the other admins
    """Which mails people were sent, and why one was not. Their texts are not kept."""

    list_display = ("user", "kind", "about", "status", "attempts", "error", "next_at", "sent_at")
    list_filter = ("status", "kind")
    ordering = ("-created_at", "-id")
