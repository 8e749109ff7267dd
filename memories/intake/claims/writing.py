"""Write a claim without a person: a store, a rule, consolidation, extraction, an import.

A statement meets what is there already: the live memory of its key takes it as a confirmation, a rewording or another
claim (reinforcement.py); without one the gate (admission.py) decides whether it may become a memory.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, connection, transaction

from memories import indexing
from memories.intake.admission import admit, suppress
from memories.intake.claims import promotion
from memories.intake.claims.reinforcement import Meeting, reinforce, replace_typed
from memories.intake.statements import Occasion, Statement, Stored, add_evidence, evidence_sensitivity
from memories.lifecycle.expiry import remove_expired
from memories.models import Evidence, Memory, claim_locks
from memories.models.ageing import BY_HAND
from memories.values.choices import Type
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust, everything

MOST_TRIES = 5


class KeyTaken(Exception):
    """Another memory came to live under this key at the same moment."""


def remember(statement: Statement, *, occasions: Sequence[Occasion], by: Actor, at: datetime) -> Stored:
    """Store a claim that a program found, or reinforce the live memory of its (scope, key).

    A new memory is founded on all `occasions`; a known one is confirmed once by each that it has not counted yet, by
    none of them when they say nothing new (`reinforced` is then False). It takes at least the sensitivity of the
    episodes behind the occasions, which must be of its scope. What people dismissed is suppressed: `hits` of the
    tombstone rises and nothing else moves. Words that a person holds are not replaced: `proposal` says what was
    proposed instead, and nothing is counted. The notice of an adaptation is left for the plugin's next context.

    Runs in the caller's transaction or its own. In a caller's transaction that writes into several scopes, take
    `claim_locks.to_store(*scopes)` first, before any row is locked.
    """
    return write(statement, founding=occasions, confirming=occasions, trust=everything(by), at=at)


def write(
    statement: Statement,
    *,
    founding: Sequence[Occasion],
    confirming: Sequence[Occasion],
    trust: Trust,
    at: datetime,
) -> Stored:
    """Store a claim, or reinforce the live memory of its (scope, key); a skill or plan never climbs by number.

    `founding` becomes the evidence of a new memory, `confirming` that of one that is there.
    """
    with transaction.atomic():
        lock_key(statement.scope, statement.key)
        evidence = evidence_sensitivity([*founding, *confirming], statement.scope, trust)
        for _ in range(MOST_TRIES):
            row = live_row(statement.scope, statement.key, at=at)
            if row is not None:
                meeting = Meeting(row, statement, trust, at, evidence)
                return reinforce(meeting, confirming) if statement.type == Type.SEMANTIC else replace_typed(meeting)
            admission = admit(statement, trust=trust, at=at, evidence=evidence)
            if admission.memory is None:
                return suppress(admission.dismissal.blocking, statement, trust=trust, at=at)
            try:
                memory = create(admission.memory, founding, trust=trust, at=at)
            except KeyTaken:
                continue
            return Stored(memory, created=True, notice=admission.dismissal.notice)
    raise Conflict(f"the key {statement.key!r} is taken and left again by others at this moment")


def create(memory: Memory, founding: Sequence[Occasion], *, trust: Trust, at: datetime) -> Memory:
    """Save an admitted memory with its evidence, passages and audit row; the ladder may promote it at once.

    KeyTaken: another memory came to live under its key at the same moment.
    """
    try:
        with transaction.atomic():
            memory.save(force_insert=True)
    except IntegrityError:
        raise KeyTaken from None
    indexing.index_memories([memory])
    add_evidence(memory, founding, memory.content, kind=Evidence.Kind.CREATED, delta=0, trust=trust)
    memory.audit("create", by=trust.actor, at=at).save(force_insert=True)
    promotion.climb(memory, at=at)
    return memory


def lock_key(scope: str, key: str) -> None:
    """Lock the scope for a store, then the key alone, before any row: two first stores at once are one creation."""
    claim_locks.to_store(scope)
    lock_key_alone(scope, key)


def lock_key_alone(scope: str, key: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memos:key:{scope}/{key}"])


def live_row(scope: str, key: str, *, at: datetime) -> Memory | None:
    """The live memory of this key, locked. One whose time has passed is removed here, as the daily job would do;
    one that is only deleted by hand stays, and what is stated again gives it new time."""
    row = Memory.objects.select_for_update(of=("self",)).live().filter(scope=scope, key=key).first()
    if row is None or row.expires_at is None or row.expires_at > at or row.deletion_policy in BY_HAND:
        return row
    remove_expired([row.pk], at=at)
    return None
