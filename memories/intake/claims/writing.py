"""The one way by which claims come in without a person: a store, a rule, consolidation, extraction, an import.

It meets what is there already: a dismissal suppresses it, a live memory of its key hears it as a confirmation, a
rewording or another claim, and only what meets nothing is new.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from memories.intake.claims import occasions
from memories.intake.claims.creating import Taken, begun, create
from memories.intake.claims.reinforcement import Meeting, reinforce
from memories.intake.claims.suppression import met_by, suppress
from memories.intake.statements import Occasion, Statement, Stored
from memories.lifecycle.expiry import remove_expired
from memories.models import Memory, claim_locks
from memories.models.ageing import BY_HAND
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust, everything

MOST_TRIES = 5


def remember(statement: Statement, *, occasions: Sequence[Occasion], by: Actor, at: datetime) -> Stored:
    """Stores a claim that a program found, or reinforces the live memory of its (scope, key).

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
    """`founding` becomes the evidence of a new memory, `confirming` that of one that is there."""
    with transaction.atomic():
        hold(statement.scope, statement.key)
        evidence = occasions.sensitivity_of([*founding, *confirming], statement.scope, trust)
        for _ in range(MOST_TRIES):
            row = live_row(statement.scope, statement.key, at=at)
            if row is not None:
                return reinforce(Meeting(row, statement, trust, at, evidence), confirming)
            suppressing, resembled = met_by(statement, trust=trust)
            if suppressing is not None:
                return suppress(suppressing, statement, trust=trust, at=at)
            try:
                memory = create(statement, founding, evidence=evidence, resembled=resembled, trust=trust, at=at)
            except Taken:
                continue
            return begun(memory, resembled)
    raise Conflict(f"the key {statement.key!r} is taken and left again by others at this moment")


def hold(scope: str, key: str) -> None:
    """Before any row is locked. Whoever writes this key holds it alone: two first stores at once are one creation."""
    claim_locks.to_store(scope)
    hold_key(scope, key)


def hold_key(scope: str, key: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memos:key:{scope}/{key}"])


def live_row(scope: str, key: str, *, at: datetime) -> Memory | None:
    """The live memory of this key, locked; one whose time has passed goes, as the daily job would remove it. One that
    is only deleted by hand stays, and what is said again gives it new time."""
    row = Memory.objects.select_for_update(of=("self",)).live().filter(scope=scope, key=key).first()
    if row is None or row.expires_at is None or row.expires_at > at or row.deletion_policy in BY_HAND:
        return row
    remove_expired([row.pk], at=at)
    return None
