"""Write a claim without a person: a store, a rule, consolidation, extraction, an import.

A statement meets what is there already: the live memory of its key takes it as a confirmation, a rewording or another
claim (reinforcement.py); without one the gate (admission.py) decides whether it may become a memory.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from memories.intake import admission
from memories.intake.claims import climbing
from memories.intake.claims.reinforcement import Meeting, reinforce, replace_typed
from memories.intake.inserting import insert_memories
from memories.intake.statements import (
    Occasion,
    Statement,
    WriteResult,
    evidence_of,
    evidence_sensitivity,
    keep_episodes,
)
from memories.lifecycle.removal import remove_expired
from memories.models import Evidence, Memory, claim_locks
from memories.models.ageing import BY_HAND
from memories.models.claim_lookup import Lookup, MetMemory
from memories.models.evidence import speakers_behind
from memories.values import speakers
from memories.values.choices import ActorKind, Type
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust, everything

MOST_TRIES = 5


class KeyTaken(Exception):
    """Another memory came to live under this key at the same moment."""


def remember(statement: Statement, *, occasions: Sequence[Occasion], by: Actor, at: datetime) -> WriteResult:
    """Store a claim that a program found, or reinforce the live memory of its (scope, key).

    A new memory is founded on all `occasions`; a known one is confirmed once by each that it has not counted yet, by
    none of them when they say nothing new (`reinforced` is then False). It takes at least the sensitivity of the
    episodes behind the occasions, which must be of its scope. What people dismissed is suppressed: `hits` of the
    tombstone rises and nothing else moves. Words that a person holds are not replaced: `proposal` says what was
    proposed instead, and nothing is counted. The notice of an adaptation is left for the plugin's next context.

    Runs in the caller's transaction or its own. In a caller's transaction that writes into several scopes, take
    `claim_locks.to_store(*scopes)` first, before any row is locked.
    """
    with transaction.atomic():
        return write(statement, founding=occasions, confirming=occasions, trust=everything(by), at=at)


def write(
    statement: Statement, *, founding: Sequence[Occasion], confirming: Sequence[Occasion], trust: Trust, at: datetime
) -> WriteResult:
    """Store a claim, or reinforce the live memory of its (scope, key); a skill or plan never climbs by number. In the
    caller's transaction, which ends with whatever it raises.

    `founding` becomes the evidence of a new memory, `confirming` that of one that is there.
    """
    for _ in range(MOST_TRIES):
        lookup = admission.lock_and_look(statement, confirming, trust=trust)
        evidence = evidence_sensitivity([*founding, *confirming], statement.scope, trust)
        if match := next(iter(unexpired(lookup, at=at)), None):
            meeting = Meeting(match.memory, statement, trust, at, evidence, match, lookup.may_be_dismissed)
            return reinforce(meeting, confirming) if statement.type == Type.SEMANTIC else replace_typed(meeting)
        no_tombstones = not lookup.may_be_dismissed and not statement.names
        decision = admission.admit(statement, trust=trust, at=at, evidence=evidence, no_tombstones=no_tombstones)
        if decision.memory is None:
            return admission.suppress(decision.dismissal.blocking, statement, trust=trust, at=at)
        try:
            memory = create(decision.memory, founding, trust=trust, at=at)
        except KeyTaken:
            continue
        return WriteResult(memory, created=True, notice=decision.dismissal.notice)
    raise Conflict(f"the key {statement.key!r} is taken and left again by others at this moment")


def create(
    memory: Memory,
    founding: Sequence[Occasion],
    *,
    trust: Trust,
    at: datetime,
    climbs: bool = True,
    details: dict[str, Any] | None = None,
) -> Memory:
    """Save an admitted memory with its evidence, passages and audit row; the ladder may promote it at once.

    `climbs` false: its status stays. `details`: facts of the audit row. KeyTaken: another memory came to live under its
    key at the same moment, and nothing was saved.
    """
    if not create_together({memory: founding}, trust=trust, at=at, climbs=climbs, details=details, unless_taken=True):
        raise KeyTaken
    keep_episodes(founding)
    return memory


def create_together(
    occasions: Mapping[Memory, Sequence[Occasion]],
    *,
    trust: Trust,
    at: datetime,
    climbs: bool = True,
    details: dict[str, Any] | None = None,
    unless_taken: bool = False,
) -> bool:
    """Save admitted memories as `create` does, by one statement. Their occasions are in no episode.

    Another memory came to live under one of their keys at the same moment: IntegrityError, or with `unless_taken`, of a
    single one, False. Of what rules found it is told who speaks for it.
    """
    evidence: list[Evidence] = []
    for memory, founding in occasions.items():
        rows = evidence_of(memory, founding, memory.content, kind=Evidence.Kind.CREATED, delta=0, trust=trust)
        if trust.actor.kind == ActorKind.SYSTEM and (speaker_names := speakers_behind(rows)):
            memory.speakers = speakers.column_of(memory, speaker_names)
        evidence += rows
    if not insert_memories(list(occasions), evidence, by=trust.actor, at=at, unless_taken=unless_taken, after=details):
        return False
    for memory in occasions if climbs else ():
        climbing.climb(memory, at=at)
    return True


def lock_key(scope: str, key: str) -> None:
    """Lock the scope for a store, then the key alone, before any row: two first stores at once are one creation."""
    claim_locks.to_store(scope)
    lock_key_alone(scope, key)


def lock_key_alone(scope: str, key: str) -> None:
    claim_locks.alone(claim_locks.name_of_key(scope, key))


def live_row(scope: str, key: str, *, at: datetime) -> Memory | None:
    """The live memory of this key, locked. One whose time has passed is removed here, as the daily job would do;
    one that is only deleted by hand stays, and what is stated again gives it new time."""
    row = Memory.objects.select_for_update(of=("self",)).live().filter(scope=scope, key=key).first()
    return None if row is None or _has_expired(row, at=at) else row


def unexpired(lookup: Lookup, *, at: datetime) -> list[MetMemory]:
    """The matches of a lookup that have not expired; the expired ones are removed, as by `live_row`."""
    return [match for match in lookup.matches if not _has_expired(match.memory, at=at)]


def _has_expired(row: Memory, *, at: datetime) -> bool:
    """Whether its time has passed, and it is removed now."""
    if row.expires_at is None or row.expires_at > at or row.deletion_policy in BY_HAND:
        return False
    remove_expired([row.pk], at=at)
    return True
