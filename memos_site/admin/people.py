"""Admin pages of users and groups, for administrators only: whoever may change them could become anyone."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memories.admin.trusted import Administrators

admin.site.unregister(User)
admin.site.unregister(Group)


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
