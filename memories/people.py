"""People: groups and their permissions, the trust of a signed-in person, the accounts of the first start."""

import secrets

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group, Permission, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from memories.models import Agent
from memories.values.choices import ActorKind, Sensitivity
from memories.values.choices import Permission as May
from memories.values.trust import Actor, Trust

READING = ("use_read",)
REVIEWING = (*READING, "use_ingest", "use_report", "use_skills", "use_review")
GROUPS = {
    "viewer": READING,
    "reviewer": REVIEWING,
    "administrator": (*REVIEWING, "see_high", "see_hyper"),
}
FIRST_ADMINISTRATOR = "admin"
FIRST_AGENT = "first-agent"


def trust_of(user: AbstractBaseUser | AnonymousUser) -> Trust:
    """A person's trust: clearance medium unless a permission says more; every scope."""
    granted = user.get_all_permissions() if isinstance(user, User) else set()
    clearance = Sensitivity.MEDIUM
    if "memories.see_high" in granted:
        clearance = Sensitivity.HIGH
    if "memories.see_hyper" in granted:
        clearance = Sensitivity.HYPER
    may = frozenset(permission for permission in May.values if f"memories.use_{permission}" in granted)
    actor = Actor(ActorKind.PERSON, user.get_username(), str(user.pk or ""))
    return Trust(actor, clearance, permissions=may)


def administers(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this is a person of the group `administrator`."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or user.groups.filter(name="administrator").exists()


def group(name: str) -> Group:
    """The group of that name with the permissions that it stands for; KeyError for one that we do not know."""
    permissions = Permission.objects.filter(content_type__app_label="memories", codename__in=GROUPS[name])
    row, created = Group.objects.get_or_create(name=name)
    if created:
        row.permissions.set(permissions)
    return row


def create_person(name: str, *, group_name: str = "reviewer", password: str = "") -> tuple[User, str]:
    """Create a person who can sign in; answers the password too (random unless given). IntegrityError: name taken."""
    chosen = password or secrets.token_urlsafe(12)
    with transaction.atomic():
        administers = group_name == "administrator"
        person = User.objects.create_user(name, password=chosen, is_staff=administers, is_superuser=administers)
        person.groups.add(group(group_name))
    return person, chosen


def first_start() -> list[str] | None:
    """Create an administrator and an agent in an empty store; answers the lines that show their secrets, this once.

    None when there is a person or an agent already.
    """
    with transaction.atomic():
        if User.objects.exists() or Agent.objects.exists():
            return None
        _, password = create_person(FIRST_ADMINISTRATOR, group_name="administrator")
        _, token = Agent.objects.issue(FIRST_AGENT)
    return [
        f"administrator  {FIRST_ADMINISTRATOR}",
        f"password       {password}",
        f"agent token    {token}",
    ]


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
        if cached is None:
            granted = Permission.objects.all() if user.is_superuser else _held_by(user)
            cached = {f"{app}.{name}" for app, name in granted.values_list("content_type__app_label", "codename")}
            user._perm_cache = cached  # type: ignore[attr-defined]  # ModelBackend's own name for it
        return cached

    def has_perm(self, user: AbstractBaseUser | AnonymousUser, permission: str, obj: object = None) -> bool:
        return permission in self.get_all_permissions(user, obj)


def _held_by(user: User) -> QuerySet[Permission]:
    return Permission.objects.filter(Q(user=user) | Q(group__user=user)).order_by().distinct()
