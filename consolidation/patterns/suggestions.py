"""How a rule's statement is written among what stands: its key says what it is, and only that very claim is the same.

Two patterns differ in one word ("as newsletter", "as invoice") where two claims of people would say the same in other
words. So under another key only the very same claim is suppressed (`admission.dismissal_of` asks for the origin); what
merely resembles a dismissed one waits.
"""

from datetime import datetime

from consolidation.patterns.rule import Rule, Sign
from memories.intake import admission
from memories.intake.claims import Statement, Stored
from memories.intake.evidence import record_suppressed
from memories.models import Memory, Tombstone
from memories.values.choices import Origin, Sensitivity
from memories.values.trust import Actor, everything

SOURCE = "patterns"


def statement(rule: Rule, sign: Sign, *, scope: str, key: str, sensitivity: int, at: datetime) -> Statement:
    return Statement(
        content=sign.content,
        key=key,
        scope=scope,
        source=sign.source,
        confidence=rule.confidence,
        category=sign.category,
        origin=Origin.DETECTED,
        sensitivity=Sensitivity(sensitivity),
        company_id=sign.company_id,
        expires_at=at + rule.ttl if rule.ttl else None,
    )


def suppress(tombstone: Tombstone, said: Statement, *, by: Actor, at: datetime) -> Stored:
    """People dismissed what this key stands for, in whatever words."""
    return admission.suppress(tombstone, said, trust=everything(by), at=at)


def suppress_closed(memory: Memory, sign: Sign) -> None:
    """It was taken back: it is noted that it was met again."""
    record_suppressed(memory, {sign.at: ""}, source=SOURCE)
