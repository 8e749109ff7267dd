"""Trust: what a caller may see and do, made from the token or the session, never from a request body."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from django.db.models import Q

from memories.values import conditions
from memories.values.choices import ActorKind, Permission, Sensitivity, Status
from memories.values.conditions import Filter
from memories.values.exceptions import FieldError, Invalid, NotAllowed

SHARED_SCOPES = ("", "global")  # visible in every scope
SHARED_BY_ALL = (
    "every scope sees this memory, but your access is limited to some scopes: somebody with access to all scopes "
    "must decide"
)


class Placed(Protocol):
    """A row of a scope with a level."""

    @property
    def scope(self) -> str: ...

    @property
    def sensitivity(self) -> int: ...


@dataclass(frozen=True)
class Actor:
    """Who does something: the name stands in the audit trail, the id distinguishes actors of one name."""

    kind: ActorKind
    name: str
    id: str = ""

    @property
    def identity(self) -> str:
        """Unique identity, whatever the name: `agent:<uuid>`, `person:<id>`, `system:import`."""
        return f"{self.kind.value}:{self.id or self.name}"[:64]


SYSTEM = Actor(ActorKind.SYSTEM, "Memos")


@dataclass(frozen=True)
class Trust:
    """What a caller may see and do.

    `scopes`: None means every scope, empty only shared ones; `sources`: empty means any source.
    """

    actor: Actor
    max_sensitivity: int = Sensitivity.MEDIUM
    scopes: frozenset[str] | None = None
    sources: frozenset[str] = frozenset()
    permissions: frozenset[str] = field(default_factory=frozenset)

    def may(self, permission: Permission) -> bool:
        return permission.value in self.permissions

    def require(self, permission: Permission, refusal: str) -> None:
        """NotAllowed, which says `refusal` to who has not this permission."""
        if not self.may(permission):
            raise NotAllowed(refusal)

    def check_statuses(self, statuses: Collection[str]) -> None:
        """NotAllowed: dismissed memories are named, which only those list who decide about them."""
        if Status.DISMISSED in statuses and not self.may(Permission.REVIEW):
            raise NotAllowed("dismissed memories are listed for those who review: this needs the permission review")

    def sees(self, row: Placed) -> bool:
        """The same as `filter`, for one row in memory."""
        in_scope = self.scopes is None or row.scope in SHARED_SCOPES or row.scope in self.scopes
        return row.sensitivity <= self.max_sensitivity and in_scope

    def covers(self, other: "Trust") -> bool:
        """Whether this caller may see and write whatever the other one may."""
        within = self.scopes is None or (other.scopes is not None and other.scopes <= self.scopes)
        return within and other.max_sensitivity <= self.max_sensitivity

    @property
    def scopes_to_read(self) -> list[str] | None:
        """The caller's scopes and the shared ones; None: all scopes."""
        return None if self.scopes is None else sorted({*self.scopes, *SHARED_SCOPES})

    @property
    def filter(self) -> Filter:
        """Filter for visible rows of a table with the columns sensitivity and scope."""
        return conditions.visible(max_sensitivity=self.max_sensitivity, scopes=self.scopes_to_read)

    @property
    def sees_dismissed(self) -> bool:
        """Whether the caller sees what people dismissed: people, and who may review and reads in all scopes."""
        return self.actor.kind != ActorKind.AGENT or (self.scopes is None and self.may(Permission.REVIEW))

    @property
    def offered(self) -> Filter:
        """Filter for memories that the caller may be offered: the visible ones, without those shared ones, and working
        states, of which people said no in a scope where it reads, unless it `sees_dismissed`.
        """
        return self.filter if self.sees_dismissed else self.filter & conditions.not_withheld(self.scopes_to_read)

    def names_of(self, scopes: Collection[str]) -> list[str]:
        """Those of these scopes that the caller may hear of."""
        return sorted(scope for scope in scopes if self.scopes is None or scope in {*self.scopes, *SHARED_SCOPES})

    def visible(self, path: str = "") -> Q:
        """The same filter for the ORM. `path` leads to the row that has both columns, e.g. `memory__`."""
        return self.filter.q(path)

    def scope_to_write(self, scope: str | None) -> str:
        """The scope of a write. NotAllowed: not one of the caller's. Invalid: the caller must name one of several."""
        if scope is None:
            return _only("/scope", self.scopes) if self.scopes is not None else ""
        if self.scopes is not None and scope not in self.scopes:
            if self.actor.kind != ActorKind.PERSON:
                raise NotAllowed(f"this token may not write into the scope {scope!r}")
            raise NotAllowed(SHARED_BY_ALL if scope in SHARED_SCOPES else f"the scope {scope} is not among yours")
        return scope

    def scope_to_read(self, scope: str | None) -> str:
        """The scope in which to look up a key: the requested one, even if not the caller's, else as for a write."""
        return self.scope_to_write(None) if scope is None else scope

    def source_to_write(self, name: str | None) -> str:
        """The source of a write: the requested one where the token may use it, else the caller itself or its only
        source.
        """
        source = (name or "").strip()
        if self.sources and source and source not in self.sources:
            raise NotAllowed(f"this token may not write as the source {source!r}")
        if source or not self.sources or self.actor.name in self.sources:
            return source or self.actor.name
        return _only("/source", self.sources)

    def narrowed(self, *, max_sensitivity: int | None = None, scopes: Collection[str] = ()) -> "Trust":
        """The same caller with less: a request can only restrict its trust."""
        ceiling = self.max_sensitivity if max_sensitivity is None else min(self.max_sensitivity, max_sensitivity)
        requested = frozenset(scopes) or None
        common = requested if self.scopes is None else self.scopes if requested is None else self.scopes & requested
        return Trust(self.actor, ceiling, common, self.sources, self.permissions)


def _only(pointer: str, names: Collection[str]) -> str:
    """The single allowed value, used when none is named. NotAllowed: there is none. Invalid: there are several."""
    if len(names) == 1:
        return next(iter(names))
    if not names:
        raise NotAllowed(f"this token may not write into any {pointer.strip('/')}")
    raise Invalid(FieldError(pointer, "required", f"is required, one of {', '.join(sorted(names))}"))


def everything(actor: Actor = SYSTEM) -> Trust:
    """Unrestricted trust, for the program itself and for operators at a shell."""
    return Trust(actor, Sensitivity.HYPER, permissions=frozenset(Permission.values))
