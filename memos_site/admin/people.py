"""Admin pages of users and groups, for administrators only as whoever changes them could be anyone; and of sign-ins."""

from typing import Any

from axes.admin import AccessAttemptAdmin, AccessFailureLogAdmin, AccessLogAdmin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memories.admin.trusted import Administrators, Uncounted

for model in (User, Group, AccessAttempt, AccessLog, AccessFailureLog):
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
