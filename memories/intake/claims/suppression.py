"""What people dismissed, as it meets what programs and agents say again."""

from datetime import datetime
from typing import Any

from memories.intake.statements import NOTHING_TOLD, Statement, Stored
from memories.models import Evidence, Memory, Tombstone
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.values.choices import Origin
from memories.values.trust import Trust

DISMISSED = "it was dismissed before: nothing was stored"
FORGOTTEN = "it was forgotten before: nothing was stored"


def met_by(statement: Statement, *, trust: Trust) -> tuple[Tombstone | None, Tombstone | None]:
    """What suppresses this statement, and what it merely resembles as far as the caller may see it."""
    where: dict[str, Any] = {"scope": statement.scope, "key": statement.key}
    exact = statement.origin in Origin.of_rules()
    suppressing, resembled = Tombstone.objects.met_by(statement.content, **where, exact=exact)
    if resembled is not None and not trust.sees(scope=resembled.scope, sensitivity=resembled.sensitivity):
        resembled = None
    return suppressing, resembled


def suppress(tombstone: Tombstone, statement: Statement, *, trust: Trust, at: datetime) -> Stored:
    """What was dismissed stays so; it is counted that it came again, and by whom once a day."""
    Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
    memory = Memory.objects.filter(pk=tombstone.memory_id).first() if tombstone.memory_id else None
    if memory is not None:
        open_words = statement.at_least(0) <= memory.sensitivity
        row = Evidence(
            memory=memory,
            occasion=f"suppressed:{statement.source}:{at.date()}",
            kind=Evidence.Kind.SUPPRESSED,
            at=at,
            snapshot=statement.content[:LONGEST_SNAPSHOT] if open_words else "",
        )
        Evidence.objects.bulk_create([row], ignore_conflicts=True)
    if not trust.sees(scope=tombstone.scope, sensitivity=tombstone.sensitivity):
        return NOTHING_TOLD
    seen = memory is not None and trust.sees(scope=memory.scope, sensitivity=memory.sensitivity)
    notice = FORGOTTEN if memory is None else DISMISSED
    return Stored(memory if seen else None, suppressed=True, forgotten=memory is None, notice=notice)
