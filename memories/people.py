"""What a person may do and see: groups and their permissions, and the trust of one who is signed in.

The accounts themselves are made and stopped in `memories/accounts.py`.
"""

from collections.abc import Sequence

from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group, Permission, User
from django.db.models import Q, QuerySet, Subquery
from django.http import HttpRequest

from memories.models import PersonLimits
from memories.values.choices import ActorKind, Sensitivity
from memories.values.choices import Permission as May
from memories.values.exceptions import NotAllowed
from memories.values.trust import Actor, Trust

READING = ("use_read",)
REVIEWING = tuple(f"use_{permission}" for permission in May.values)
GROUPS = {
    "viewer": READING,
    "reviewer": REVIEWING,
    "administrator": (*REVIEWING, "see_high", "see_hyper"),
}


def trust_of(user: AbstractBaseUser | AnonymousUser) -> Trust:
    """A person's trust: clearance medium unless a permission says more; every scope unless there are limits."""
    granted = user.get_all_permissions() if isinstance(user, User) else set()
    clearance = Sensitivity.MEDIUM
    if "memories.see_high" in granted:
        clearance = Sensitivity.HIGH
    if "memories.see_hyper" in granted:
        clearance = Sensitivity.HYPER
    may = frozenset(permission for permission in May.values if f"memories.use_{permission}" in granted)
    actor = Actor(ActorKind.PERSON, user.get_username(), str(user.pk or ""))
    scopes = getattr(user, "_scope_cache", None)  # filled with the permissions
    return Trust(actor, clearance, frozenset(scopes) if scopes else None, permissions=may)


def permitted(user: AbstractBaseUser | AnonymousUser, permission: May, refusal: str) -> Trust:
    """The trust of a person who has this permission. NotAllowed, which a page answers by 403, says `refusal`."""
    trust = trust_of(user)
    trust.require(permission, refusal)
    return trust


def require_administrator(user: AbstractBaseUser | AnonymousUser, refusal: str) -> None:
    """NotAllowed, which says `refusal` to who is none."""
    if not administers(user):
        raise NotAllowed(refusal)


def administers(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this is a person of the group `administrator`."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or user.groups.filter(name="administrator").exists()


def group(name: str) -> Group:
    """The group of that name with the permissions that it stands for; KeyError for one that we do not know."""
    names = GROUPS[name]
    row, created = Group.objects.get_or_create(name=name)
    if created:
        row.permissions.set(_permissions(names))
    return row


def _permissions(names: Sequence[str]) -> QuerySet[Permission]:
    """Our permissions of these names. `migrate` makes their rows at its very end: where it has not yet, they are made
    here, for a group that exists is never given its permissions again (administrators may change them).
    """
    rows = Permission.objects.filter(content_type__app_label="memories", codename__in=names)
    if rows.count() < len(names):
        create_permissions(apps.get_app_config("memories"), verbosity=0, interactive=False)
    return rows.all()


class PermissionBackend:
    """Permissions, own and of groups, in one statement, for every page asks for them.

    Stands before Django's ModelBackend, which signs in, and fills the cache from which that one answers.
    """

    def authenticate(self, request: HttpRequest | None) -> None:
        """Nobody signs in here."""

    def get_all_permissions(self, user: AbstractBaseUser | AnonymousUser, obj: object = None) -> set[str]:
        if not isinstance(user, User) or not user.is_active or obj is not None:
            return set()
        cached: set[str] | None = getattr(user, "_perm_cache", None)
        if cached is None or not hasattr(user, "_scope_cache"):
            cached, scopes = _all_permissions(user)
            user._perm_cache = cached  # type: ignore[attr-defined]  # ModelBackend's own name for it
            user._scope_cache = scopes  # type: ignore[attr-defined]
        return cached

    def has_perm(self, user: AbstractBaseUser | AnonymousUser, permission: str, obj: object = None) -> bool:
        return permission in self.get_all_permissions(user, obj)


def _all_permissions(user: User) -> tuple[set[str], list[str]]:
    """The permissions of a person and the scopes that limit it, in one statement unless there are no permissions."""
    rows = _granted(user)
    held = {f"{app}.{name}" for app, name, _scopes in rows}
    if user.is_superuser:
        return held, []
    return held, (rows[0][2] if rows else _limits(user.pk).values_list("scopes", flat=True).first()) or []


def _granted(user: User) -> list[tuple[str, str, list[str] | None]]:
    """Each permission of a person, with its app and the scopes that limit the person."""
    mine = Q(user=user) | Q(group__user=user)
    granted = Permission.objects.all() if user.is_superuser else Permission.objects.filter(mine).order_by().distinct()
    limits = Subquery(_limits(user.pk).values("scopes"))
    return list(granted.annotate(limits=limits).values_list("content_type__app_label", "codename", "limits"))


def _limits(user_id: int) -> QuerySet[PersonLimits]:
    return PersonLimits.objects.filter(user=user_id)
