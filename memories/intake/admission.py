"""The gate: every write of a claim, a finding of a rule, a skill or a revision passes here.

`admit` decides, in this order: whether people dismissed or forgot the claim, what asks for a second look (flags), and
how sensitive the row is. Only here is a Memory constructed and are tombstones compared with words; a test holds that,
so that no write path can forget to ask.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.conf import settings

from memories import claims, scanning
from memories.intake.evidence import record_suppressed
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, WriteResult
from memories.lifecycle.ladder import waits_for_person
from memories.models import Memory, Tombstone, bulk_rows
from memories.models.claim_lookup import ClaimQuestion, Lookup
from memories.models.near_dismissals import nearest
from memories.models.subject import named_in
from memories.models.withholding import scopes_of, withhold_state
from memories.values.choices import BELIEVED, DeletionPolicy, Hold, Origin, Sensitivity, Status, Type
from memories.values.trust import SHARED_SCOPES, Actor, Trust

DISMISSED = "it was dismissed before: nothing was stored"
RESEMBLES = "resembles one you dismissed"
WITHHELD = "it was dismissed in {}: it waits for a person, and is not offered there"
FORGOTTEN = "it was forgotten before: nothing was stored"


@dataclass(frozen=True)
class Dismissal:
    """The tombstones that match some words. `blocking`: of this very claim.

    `near_tombstone`: the newest of a similar claim; `near_is_visible`: the caller may be told of it. `elsewhere`: of
    this very claim, in scopes that read these words; `visible_scopes`: those of them that the caller may be told of.
    What it may not be told of makes its words wait all the same.
    """

    blocking: Tombstone | None = None
    near_tombstone: Tombstone | None = None
    elsewhere: tuple[Tombstone, ...] = ()
    visible_scopes: tuple[str, ...] = ()
    near_is_visible: bool = True

    @property
    def withheld_from(self) -> list[str]:
        return scopes_of(self.elsewhere)

    @property
    def notice(self) -> str | None:
        """The sentence for a caller whose words are stored all the same."""
        if self.visible_scopes:
            return WITHHELD.format(", ".join(self.visible_scopes))
        return RESEMBLES if self.near_tombstone and self.near_is_visible else None

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of a new row that record the dismissals."""
        return {
            "resembles": self.near_tombstone.pk if self.near_tombstone else None,
            "withheld_from": self.withheld_from,
        }


NO_DISMISSAL = Dismissal()


@dataclass(frozen=True)
class Admission:
    """The decision about a new row: `memory`, which is not saved yet, or the tombstone that blocks it."""

    memory: Memory | None
    dismissal: Dismissal = NO_DISMISSAL


def admit(
    statement: Statement,
    *,
    trust: Trust,
    at: datetime,
    evidence: int = Sensitivity.PUBLIC,
    no_tombstones: bool = False,
    decided: bool = False,
    **columns: Any,
) -> Admission:
    """Construct the memory of a new statement, unless it was dismissed.

    `evidence`: the highest sensitivity of what speaks for it. `no_tombstones`: the caller has asked under its locks
    (`lock_and_look`), and there is none to compare with, or it is no claim. `decided`: a person has answered, or
    another identity than words; then nothing blocks it here, and where it is shared it is withheld from the scopes
    that dismissed it all the same. `columns`: values of the row that do not follow from the statement; a status that
    no person gave is lowered where the row waits for one.
    """
    dismissal = NO_DISMISSAL if no_tombstones else _dismissal(statement, trust=trust, decided=decided)
    if dismissal.blocking is not None:
        return Admission(None, dismissal)
    defaults: dict[str, Any] = {
        **statement.columns(at=at),
        "status": Status.CANDIDATE,
        "sensitivity": _claim_sensitivity(statement, evidence),
        **dismissal.columns,
    }
    memory = _memory(defaults | columns, by=trust.actor, at=at)
    if memory.status in BELIEVED and memory.hold == Hold.NONE and memory.is_claim and waits_for_person(memory):
        memory.status = Status.CANDIDATE
    memory.name_mentions = named_in(memory, statement.claim if memory.type == Type.SEMANTIC else None)
    return Admission(memory, dismissal)


def lock_and_look(
    statement: Statement, occasions: Iterable[Occasion], *, stems: Sequence[str] = (), trust: Trust
) -> Lookup:
    """Take the locks of a store, and ask under them what it meets: live memories of its key (of `stems`, which keys
    begin with), and whether there are tombstones to compare with. One statement, before any row is locked.
    """
    names = {occasion.name for occasion in occasions}
    return question_of(statement, names, stems=stems, trust=trust).lock_and_ask()


def question_of(
    statement: Statement, occasions: Iterable[str] = (), *, stems: Sequence[str] = (), trust: Trust
) -> ClaimQuestion:
    caller, place = trust.actor.identity, {"scope": statement.scope, "key": statement.key}
    readings = [claims.claim_of(reading) for reading in claims.readings(statement.content)[1:]]
    return ClaimQuestion(
        statement.claim, caller=caller, occasions=occasions, stems=stems, disguised_claims=readings, **place
    )


def admit_new_words(
    memory: Memory, statement: Statement, *, trust: Trust, decided: bool = False
) -> tuple[Dismissal, dict[str, Any]]:
    """The columns that a waiting memory gets with the words of this statement; none if they were dismissed.

    Its level never falls: what it said before stands in its history. `decided`: as in `admit`.
    """
    dismissal = _dismissal(statement, trust=trust, decided=decided)
    if dismissal.blocking is not None:
        return dismissal, {}
    return dismissal, {
        "content": statement.content,
        "payload": statement.payload,
        "flags": statement.flags,
        "sensitivity": max(memory.sensitivity, statement.at_least(Sensitivity.PUBLIC)),
        **dismissal.columns,
    }


def admit_experience(
    content: str, *, by: Actor, at: datetime, policy: str | None = None, secret: bool = False, **columns: Any
) -> Memory:
    """Construct the memory of an episode, which asks the database nothing, so it costs little for many; or of a working
    state, which is withheld where people dismissed what it says.

    Experience is no claim: born confirmed, never in the inbox, governed by salience only. `policy`: of its deletion;
    `secret`: one of its events holds a credential.
    """
    defaults = {
        "content": content,
        "origin": Origin.OBSERVED,
        "status": Status.CONFIRMED,
        "flags": [scanning.SECRET] if secret else [],
        "deletion_policy": policy or DeletionPolicy.AUTO_PRUNE,
    }
    return _memory(defaults | columns, by=by, at=at)


def _memory(columns: dict[str, Any], *, by: Actor, at: datetime) -> Memory:
    creation: dict[str, Any] = {"created_by": by.name[:200], "created_by_id": by.identity, "created_at": at}
    memory = bulk_rows.new(Memory, {"updated_at": at, "salience_at": at, **creation, **columns})
    if memory.type == Type.WORKING:
        withhold_state(memory)
    return memory


def dismissal_of_statement(statement: Statement, *, trust: Trust) -> Dismissal:
    place: dict[str, Any] = {"scope": statement.scope, "key": statement.key or None, "names": statement.known_by}
    return dismissal_of(statement.content, **place, origin=statement.origin, trust=trust)


def _dismissal(statement: Statement, *, trust: Trust, decided: bool) -> Dismissal:
    if not decided:
        return dismissal_of_statement(statement, trust=trust)
    if statement.scope not in SHARED_SCOPES:
        return NO_DISMISSAL
    return replace(dismissal_of_statement(statement, trust=trust), blocking=None, near_tombstone=None)


def dismissal_of(
    content: str,
    *,
    scope: str,
    key: str | None,
    names: Collection[str] = (),
    origin: str = Origin.STORED,
    trust: Trust | None = None,
    claims_only: bool = False,
) -> Dismissal:
    """The tombstones of this scope and of the shared ones that block these words or resemble them; of a shared scope
    also where else they are dismissed.

    The sentences of rules (`origin`) differ in one word: under another key only the very same claim blocks them, and
    none is near them. `names`: keys by which it is the same claim in whatever words. `trust`: of the caller,
    who learns of no tombstone above it. `claims_only`: not of skills and plans.
    """
    tombstones = Tombstone.objects.exclude(category=None) if claims_only else Tombstone.objects.all()
    exact = origin in Origin.of_rules()
    blocking, near, elsewhere = tombstones.met_by(content, scope=scope, key=key, names=names, exact=exact)
    if not (blocking or near or elsewhere or exact):
        near = nearest(tombstones.met_in(scope), content)
    scopes = scopes_of(stone for stone in elsewhere if trust is None or trust.sees(stone))
    near_is_visible = near is not None and (trust is None or trust.sees(near))
    return Dismissal(blocking, near, elsewhere, tuple(scopes), near_is_visible)


def dismissed_key(scope: str, *keys: str | None) -> Tombstone | None:
    """The newest tombstone of one of these keys that blocks them in this scope. A rule's key identifies what it found,
    in whatever words."""
    return Tombstone.objects.blocking(scope).filter(key__in=keys).order_by("-at").first()


def is_dismissed_key(scope: str, *keys: str) -> bool:
    """Whether one of these keys is dismissed in this scope or in one that reads it."""
    return Tombstone.objects.met_in(scope).filter(key__in=keys).exists()


def suppress(tombstone: Tombstone | None, statement: Statement, *, trust: Trust, at: datetime) -> WriteResult:
    """Count that a dismissed claim was stated again, with one evidence row a day and source; nothing else moves."""
    assert tombstone is not None
    Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
    memory = Memory.objects.filter(pk=tombstone.memory_id).first() if tombstone.memory_id else None
    if memory is not None:
        open_words = statement.at_least(Sensitivity.PUBLIC) <= memory.sensitivity
        record_suppressed(memory, {at: statement.content if open_words else ""}, source=statement.source)
    if not trust.sees(tombstone):
        return NOTHING_TOLD
    visible = memory is not None and trust.sees(memory)
    notice = FORGOTTEN if memory is None else DISMISSED
    return WriteResult(memory if visible else None, suppressed=True, forgotten=memory is None, notice=notice)


def scan_edit(memory: Memory, columns: dict[str, Any], *, by_a_person: bool) -> dict[str, Any]:
    """The flags and the sensitivity that an edit of a claim moves along with its words."""
    if "content" not in columns or not memory.is_claim:
        return {}
    payload = json.dumps(memory.payload, ensure_ascii=False)
    flags = list(
        dict.fromkeys([*scanning.flags(columns["content"], by_a_person=by_a_person), *scanning.flags(payload)])
    )
    changes: dict[str, Any] = {"flags": flags} if flags != memory.flags else {}
    if scanning.SECRET in flags and columns.get("sensitivity", memory.sensitivity) < Sensitivity.HIGH:
        changes["sensitivity"] = Sensitivity.HIGH.value
    return changes


def sensitivity_of(level_name: str | None, *, secret: bool = False) -> Sensitivity:
    """The named level of experience, else the default; at least high with a secret."""
    level = Sensitivity.named(level_name or settings.DEFAULT_SENSITIVITY)
    return max(level, Sensitivity.HIGH) if secret else level


def _claim_sensitivity(statement: Statement, evidence: int) -> int:
    default = Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    stated_level = default if statement.sensitivity is None else statement.sensitivity
    return max(stated_level, statement.at_least(evidence))
