"""Find and lock the memories that a revision is about, within the caller's trust: claims first, then rows by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.intake.reports.revisions import MOST_MERGED, NewMemory
from memories.intake.statements import Occasion, evidence_of
from memories.models import Evidence, Memory, Tombstone, claim_locks
from memories.models.memory import MemoryQuerySet
from memories.values.choices import LIVE, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import SHARED_SCOPES, Actor, Trust, everything

IMMUTABLE = "episodic memory is immutable and cannot be revised"
BECOMES = {"contest": Status.CONTESTED, "retract": Status.RETRACTED}
CONTESTABLE = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED)
NEW_WORDS = ("supersede", "fork", "merge")


class Dismissed(Conflict):
    """The claim of the new memory was dismissed: no agent brings it back; a person lifts the tombstone first."""

    code = "dismissed"

    def __init__(self, tombstone: Tombstone | None) -> None:
        assert tombstone is not None
        memory_exists = bool(tombstone.memory_id and Memory.objects.filter(pk=tombstone.memory_id).exists())
        sentence = f"{'dismissed' if memory_exists else 'forgotten'} by {tombstone.by}"
        super().__init__(f"this claim was {sentence}: it stays so until tombstone {tombstone.pk} is lifted")
        self.tombstone = tombstone


@dataclass(frozen=True)
class Sources:
    """`rows` are revised; `other` speaks against them; `episode` speaks for the new one."""

    rows: list[Memory]
    other: Memory | None = None
    episode: Memory | None = None

    @property
    def named(self) -> list[Memory]:
        """All memories that the revision touches: its rationale may quote any of them."""
        return [*self.rows, *(row for row in (self.other, self.episode) if row)]

    def speak_for(self, new: Memory, *, by: Actor, at: datetime) -> None:
        """Write the evidence by which the new memory came to be. A merged one has that of its sources."""
        if self.episode:
            Memory.objects.filter(pk=self.episode.pk).update(evidence_of_live=True)
        elif Evidence.objects.filter(memory=new).exists():
            return
        occasion = Occasion.episode(self.episode.pk, at=at) if self.episode else Occasion.request(at=at)
        facts: dict[str, Any] = {"kind": Evidence.Kind.CREATED, "delta": 0, "trust": everything(by)}
        Evidence.objects.bulk_create(evidence_of(new, [occasion], new.content, **facts), ignore_conflicts=True)


def hold(ids: Sequence[UUID], ref: str, new: NewMemory | None, *, verb: str, trust: Trust, at: datetime) -> Sources:
    """Lock what a caller asks to revise. NotFound, NotAllowed, Conflict, Invalid: see `revising.ask`."""
    visible = Memory.objects.answered_to(trust).filter(Q(expires_at=None) | Q(expires_at__gt=at))
    scopes = dict(visible.filter(pk__in=ids).values_list("pk", "scope"))
    if len(scopes) < len(set(ids)):
        raise NotFound("no such memory")
    return _lock_sources(visible, scopes[ids[0]], ids, ref, new, verb=verb, trust=trust)


def hold_for(ids: Sequence[UUID], ref: str, new: NewMemory | None, *, scope: str, verb: str) -> Sources:
    """Lock the memories of a proposal that a person accepts; that the person sees them was checked before."""
    return _lock_sources(Memory.objects.all(), scope, ids, ref, new, verb=verb, trust=everything())


def _lock_sources(
    rows: MemoryQuerySet,
    scope: str,
    ids: Sequence[UUID],
    ref: str,
    new: NewMemory | None,
    *,
    verb: str,
    trust: Trust,
) -> Sources:
    trust.scope_to_write(scope)
    if new and new.scope is not None and new.scope != scope:
        raise NotAllowed(f"a memory does not move from the scope {scope!r} into another one")
    if new and new.source:
        trust.source_to_write(new.source)
    ref_id, episode_id = _as_id(ref), new.episode_id if new else None
    ids_to_lock = {*ids, *(row_id for row_id in (ref_id, episode_id) if row_id)}
    claim_locks.to_store(scope)
    locked_rows = rows.filter(pk__in=ids_to_lock).order_by("pk").select_for_update(of=("self",))
    by_id = {row.pk: row for row in locked_rows}
    if len(by_id) < len(ids_to_lock):
        raise NotFound("no such memory")
    revised_rows = [by_id[memory_id] for memory_id in dict.fromkeys(ids)]
    _check(revised_rows, verb, scope)
    return Sources(revised_rows, _ref(ref_id, by_id, revised_rows), _episode(episode_id, by_id, scope))


def _as_id(ref: str) -> UUID | None:
    try:
        return UUID(ref) if ref else None
    except ValueError:
        return None


def _check(rows: Sequence[Memory], verb: str, scope: str) -> None:
    if verb == "merge" and not 2 <= len(rows) <= MOST_MERGED:
        raise Invalid(FieldError("/ids", "too_few", f"names 2 to {MOST_MERGED} different memories"))
    for row in rows:
        if row.scope != scope:
            raise NotAllowed("memories of different scopes are never merged")
        refuse(row, verb)
    if len({row.type for row in rows}) > 1:
        raise Conflict("memories of different types cannot be merged")


def refuse(row: Memory, verb: str) -> None:
    """Conflict for what is never revised, and for what no longer can be: it names both states, and whose decision."""
    if row.type == Type.EPISODIC:
        raise Conflict(IMMUTABLE)
    if verb in NEW_WORDS and getattr(row, "skill", None):  # the row of a room to the right, as Django knows it
        raise Conflict("a packaged skill contains it: propose a version")
    new_status = BECOMES.get(verb, Status.SUPERSEDED)
    row.lock_for(verb, CONTESTABLE if verb == "contest" else LIVE, new_status=new_status)


def _ref(ref_id: UUID | None, by_id: dict[UUID, Memory], rows: Sequence[Memory]) -> Memory | None:
    """The memory that speaks against it: another one, of its scope or of what is shared."""
    if ref_id is None:
        return None
    row = by_id[ref_id]
    if row.pk == rows[0].pk:
        raise Invalid(FieldError("/ref", "invalid", "a memory does not speak against itself"))
    if row.scope not in (rows[0].scope, *SHARED_SCOPES):
        raise NotAllowed("a memory of another scope does not speak against it")
    return row


def _episode(episode_id: UUID | None, by_id: dict[UUID, Memory], scope: str) -> Memory | None:
    if episode_id is None:
        return None
    row = by_id[episode_id]
    if row.type != Type.EPISODIC or row.scope != scope:
        raise Invalid(FieldError("/memory/episode_id", "invalid", "is not an episode of this scope"))
    return row
