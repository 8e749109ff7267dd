"""Agents: callers of the API with their tokens, clearance, scopes and permissions."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models.functions import Greatest, Now
from django.utils import timezone

from memories.models import bulk_rows as rows
from memories.models.audit import AGENT, AuditEntry
from memories.models.trusted import new_id
from memories.values.choices import ActorKind, Permission, Sensitivity
from memories.values.exceptions import Conflict
from memories.values.trust import SYSTEM, Actor, Trust

DEFAULT_PERMISSIONS = (Permission.READ, Permission.INGEST, Permission.REPORT, Permission.SKILLS)
MOST_REQUESTS = 2**31 - 1  # of the column
LIMIT = "calls of this token a minute; empty: RATE_LIMIT_PER_MINUTE; 0: no limit"


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()  # 256 random bits need no slow hash


def _day(at: datetime) -> date:
    """The date in the time zone of the workspace."""
    return timezone.localdate(at, timezone.get_default_timezone())


def new_token() -> tuple[str, str]:
    """A new prefix, by which the row is found, and the token that begins with it."""
    prefix = secrets.token_hex(4)
    return prefix, f"memos_{prefix}_{secrets.token_urlsafe(32)}"


class AgentQuerySet(models.QuerySet["Agent"]):
    def issue(
        self,
        name: str,
        *,
        clearance: Sensitivity = Sensitivity.MEDIUM,
        scopes: Iterable[str] = (),
        sources: Iterable[str] = (),
        permissions: Iterable[str] = DEFAULT_PERMISSIONS,
        by: Actor = SYSTEM,
        **facts: Any,
    ) -> tuple["Agent", str]:
        """Create an agent and its token. The token is returned only here and stored as a hash. IntegrityError: name
        taken.

        `facts`: owner, requests_per_minute, expires_at.
        """
        prefix, token = new_token()
        agent = self.model(
            name=name,
            prefix=prefix,
            token_sha256=_digest(token),
            clearance=clearance,
            scopes=list(scopes),
            sources=list(sources),
            permissions=[Permission(permission).value for permission in permissions],
            created_at=timezone.now(),
            **facts,
        )
        with transaction.atomic():
            agent.save(force_insert=True)
            agent.audit("create", by=by, at=agent.created_at, after=agent.may).written()
        return agent, token

    def visible_to(self, trust: Trust) -> Self:
        """Agents that see no more than the caller: neither a higher level nor another scope."""
        rows = self.filter(clearance__lte=trust.max_sensitivity)
        if trust.scopes is None:
            return rows
        return rows.filter(scopes__contained_by=sorted(trust.scopes)).exclude(scopes=[])

    def identified(self, *identities: str) -> Self:
        """The agents of these identities of actors, of those that are one."""
        agents = [identity.partition(":") for identity in identities]
        return self.filter(pk__in=[key for kind, _, key in agents if kind == ActorKind.AGENT])

    def unrevoked(self) -> Self:
        return self.filter(revoked_at=None)

    def ended(self, at: datetime) -> Self:
        """Agents whose token was revoked or has expired."""
        return self.filter(models.Q(revoked_at__isnull=False) | models.Q(expires_at__lte=at))

    def called(self, calls: int, *, at: datetime) -> None:
        """Add calls, of which the last one came at `at`, to those of that day. Another process may have written later
        ones before: then the day stays theirs, and so does the last call."""
        day = _day(at)
        same_day = models.When(calls_on=day, then=models.F("calls") + calls)
        later = models.When(calls_on__gt=day, then=models.F("calls"))
        calls_of_day = models.Case(same_day, later, default=models.Value(calls))
        self.update(last_used_at=Greatest("last_used_at", at), calls=calls_of_day, calls_on=Greatest("calls_on", day))


class Agent(models.Model):
    """A caller of the API. Its source defaults to its name."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=128, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    prefix = models.CharField(max_length=16, unique=True, editable=False)
    token_sha256 = models.BinaryField(max_length=32, editable=False)
    clearance = models.SmallIntegerField(choices=Sensitivity, default=Sensitivity.MEDIUM)
    scopes = ArrayField(models.CharField(max_length=128), default=list, blank=True)
    sources = ArrayField(models.CharField(max_length=512), default=list, blank=True)
    permissions = ArrayField(models.CharField(max_length=16, choices=Permission), default=list, blank=True)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True, help_text=LIMIT)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    calls_on = models.DateField(null=True, editable=False)
    calls = models.IntegerField(db_default=0, editable=False)  # of the day `calls_on`
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = AgentQuerySet.as_manager()
    is_authenticated = True
    is_anonymous = False

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(clearance__range=(0, 4)), name="agent_clearance_is_a_sensitivity"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def with_token(cls, token: str, *, at: datetime) -> "Agent | None":
        """The agent with this token; None when the token is wrong, expired or revoked.

        A method of the class, because every call of the API asks it: a queryset would be built for nothing.
        """
        parts = token.split("_", 2)
        prefix = parts[1] if len(parts) == 3 and parts[0] == "memos" else ""
        agent = rows.find(cls, "prefix", prefix[:16].replace("\0", ""))
        stored_digest = bytes(agent.token_sha256) if agent else bytes(32)
        matches = hmac.compare_digest(stored_digest, _digest(token))
        return agent if agent and matches and agent.is_active(at) else None

    def is_active(self, at: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)

    def revoke(self, *, by: Actor, at: datetime) -> AuditEntry:
        """Invalidate the token. Conflict: it was revoked before."""
        with transaction.atomic():
            if not Agent.objects.filter(pk=self.pk, revoked_at=None).update(revoked_at=at):
                raise Conflict(f"the token of {self.name} is already revoked")
            entry = self.audit("revoke", by=by, at=at, after={"revoked_at": at, "scopes": self.scopes}).written()
        self.revoked_at = at
        return entry

    def rotate(self, *, by: Actor, at: datetime) -> str:
        """Replace the token; the former one is refused from now on. Returns the new one, which is stored as a hash.
        Conflict: it was revoked before.
        """
        prefix, token = new_token()
        new_columns = {"prefix": prefix, "token_sha256": _digest(token)}
        with transaction.atomic():
            if not Agent.objects.filter(pk=self.pk, revoked_at=None).update(**new_columns):
                raise Conflict(f"the token of {self.name} is already revoked")
            self.audit("rotate", by=by, at=at, after={"scopes": self.scopes}).written()
        return token

    def audit(self, action: str, *, by: Actor, at: datetime, after: dict[str, Any]) -> AuditEntry:
        """Draft an audit row about this agent, without its token.

        `after` names its scopes: only a caller who has all of them sees the row.
        """
        facts: dict[str, Any] = {"kind": AGENT, "subject": self.pk, "label": self.name, "action": action}
        return AuditEntry.draft(by=by, at=at, scope="", sensitivity=self.clearance, after=after, **facts)

    @property
    def may(self) -> dict[str, Any]:
        """The agent's permissions and limits, for the audit trail."""
        columns = ("scopes", "sources", "permissions", "requests_per_minute", "expires_at")
        return {"clearance": Sensitivity(self.clearance).label, **{name: getattr(self, name) for name in columns}}

    @property
    def calls_today(self) -> int:
        """Calls of the workspace's day, but for those that processes have not written yet."""
        return self.calls if self.calls_on == _day(timezone.now()) else 0

    @property
    def trust(self) -> Trust:
        actor = Actor(ActorKind.AGENT, self.name, str(self.pk))
        scopes = frozenset(self.scopes) if self.scopes else None
        return Trust(actor, self.clearance, scopes, frozenset(self.sources), frozenset(self.permissions))
