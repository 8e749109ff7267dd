"""Accounts of people: those of the first start, and what administrators make, change and stop, which is audited.

At least one active administrator remains.
"""

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self, Unpack
from uuid import UUID

from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.db.models import QuerySet

from memories import people
from memories.models import Agent, AuditEntry, PersonLimits
from memories.models.audit import PERSON, EntryFacts
from memories.values.choices import Sensitivity
from memories.values.exceptions import Conflict
from memories.values.trust import Actor

ADMINISTRATOR = "administrator"
FIRST_ADMINISTRATOR = "admin"
FIRST_AGENT = "first-agent"
LEVELS = {"see_high": Sensitivity.HIGH, "see_hyper": Sensitivity.HYPER}  # by permission of a person


@dataclass(frozen=True)
class Access:
    """What a person may do and see. An administrator sees everything, whatever the rest says; no scopes: every one."""

    group: str = "reviewer"
    clearance: int = Sensitivity.MEDIUM
    scopes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, person: User) -> Self:
        """The access of one of `everybody`: groups, permissions and limits are read already."""
        names = [group.name for group in person.groups.all()]
        group = next((name for name in reversed(people.GROUPS) if name in names), "")
        if person.is_superuser or group == ADMINISTRATOR:
            return cls(ADMINISTRATOR, Sensitivity.HYPER)
        levels = (LEVELS.get(each.codename, Sensitivity.MEDIUM) for each in person.user_permissions.all())
        limits: PersonLimits | None = getattr(person, "limits", None)
        return cls(group, max(levels, default=Sensitivity.MEDIUM), list(limits.scopes) if limits else [])

    @property
    def is_administrator(self) -> bool:
        return self.group == ADMINISTRATOR

    @property
    def clearance_label(self) -> str:
        return str(Sensitivity(self.clearance).label)


def everybody() -> QuerySet[User]:
    """Every person with what `Access.of` reads, in three statements."""
    rows = User.objects.select_related("limits").prefetch_related("groups", "user_permissions")
    return rows.order_by("-is_active", "username")


def invite(name: str, access: Access, *, by: Actor, at: datetime) -> User:
    """Make a person who cannot sign in before they chose a password. IntegrityError: the name is taken."""
    with transaction.atomic():
        person = User.objects.create_user(name)  # without a usable password
        _give(person, access)
        _audit(person, "create", by=by, at=at, after=asdict(access))
    return person


def record_creation(person: User, *, by: Actor, at: datetime) -> None:
    """Record in the audit trail that a person was made at a shell."""
    _audit(person, "create", by=by, at=at, after=asdict(Access.of(everybody().get(pk=person.pk))))


def give(person: User, access: Access, *, by: Actor, at: datetime) -> None:
    """Change what a person may do and see. Conflict: nobody would be administrator any more."""
    with transaction.atomic():
        _lock_administrators()
        before = Access.of(everybody().get(pk=person.pk))
        if before != access:
            _give(person, access)
            _require_administrator()
            _audit(person, "revise", by=by, at=at, before=asdict(before), after=asdict(access))


def set_active(person: User, active: bool, *, by: Actor, at: datetime) -> None:
    """Let a person sign in again, or end every session and let them sign in no more."""
    with transaction.atomic():
        _lock_administrators()
        if not User.objects.filter(pk=person.pk, is_active=not active).update(is_active=active):
            raise Conflict(f"{person.username} is {'active' if active else 'deactivated'} already")
        _require_administrator()
        action = "restore" if active else "revoke"
        _audit(person, action, by=by, at=at, after={"active": active, **_scopes(person)})


def forget_password(person: User, *, by: Actor, at: datetime) -> None:
    """End every session, and let nobody sign in by the former password. The person chooses another one by a link."""
    with transaction.atomic():
        person.set_unusable_password()
        person.save(update_fields=["password"])
        _audit(person, "reset", by=by, at=at, after=_scopes(person))


def record_password(person: User, *, at: datetime) -> None:
    """Record in the audit trail that a person has another password."""
    _audit(person, "password", by=people.trust_of(person).actor, at=at, after=_scopes(person))


def create_person(name: str, *, group_name: str, password: str = "") -> tuple[User, str]:
    """Create a person who can sign in; answers the password too (random unless given). IntegrityError: name taken."""
    chosen = password or secrets.token_urlsafe(12)
    with transaction.atomic():
        administers = group_name == "administrator"
        person = User.objects.create_user(name, password=chosen, is_staff=administers, is_superuser=administers)
        person.groups.add(people.group(group_name))
    return person, chosen


def first_start(show: Callable[[list[str]], object]) -> None:
    """Create an administrator where there is no person, and an agent where there is none.

    `show` gets the lines with their secrets, this once, and before the commit: a start that is killed, or cannot show
    them, leaves nobody whose password is not known. `create_agent` may have run before, or beside it.
    """
    with transaction.atomic():
        if User.objects.exists():
            return
        _, password = create_person(FIRST_ADMINISTRATOR, group_name="administrator")
        token = "" if Agent.objects.exists() else Agent.objects.issue(FIRST_AGENT)[1]
        lines = [f"administrator  {FIRST_ADMINISTRATOR}", f"password       {password}"]
        show([*lines, f"agent token    {token}"] if token else lines)


def _give(person: User, access: Access) -> None:
    person.is_staff = person.is_superuser = access.is_administrator
    person.save(update_fields=["is_staff", "is_superuser"])
    person.groups.set([people.group(access.group)])
    names = [name for name, level in LEVELS.items() if level <= access.clearance and not access.is_administrator]
    levels = Permission.objects.filter(content_type__app_label="memories", codename__in=LEVELS)
    person.user_permissions.remove(*levels.exclude(codename__in=names))
    person.user_permissions.add(*levels.filter(codename__in=names))
    scopes = [] if access.is_administrator else access.scopes
    PersonLimits.objects.update_or_create(user=person, defaults={"scopes": scopes})


def _lock_administrators() -> None:
    """One change at a time: of two administrators who demote each other one remains."""
    list(User.objects.select_for_update().filter(is_superuser=True).order_by("pk").values_list("pk"))


def _require_administrator() -> None:
    if not User.objects.filter(is_superuser=True, is_active=True).exists():
        raise Conflict("at least one administrator must remain: make another person administrator first")


def _scopes(person: User) -> dict[str, Any]:
    limits = PersonLimits.objects.filter(user=person).first()
    return {"scopes": limits.scopes if limits else []}


def _audit(person: User, action: str, **facts: Unpack[EntryFacts]) -> None:
    named: dict[str, Any] = {"kind": PERSON, "subject": UUID(int=person.pk), "label": person.username}
    entry = AuditEntry.draft(**named, action=action, scope="", sensitivity=Sensitivity.PUBLIC, **facts)
    entry.save(force_insert=True)
