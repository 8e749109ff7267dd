"""The statement of a detection, and how it is suppressed.

Two patterns may differ in one word ("as newsletter", "as invoice") where two claims of people would mean the same. So a
detected statement is only equal to another under the same key, or with exactly the same words (`admission.dismissal_of`
asks for the origin); one that merely resembles a dismissed claim waits for a person.
"""

from datetime import datetime

from consolidation.patterns.rule import Detection, Rule
from memories.intake import admission
from memories.intake.claims import Statement, Stored
from memories.intake.evidence import record_suppressed
from memories.models import Memory, Tombstone
from memories.values.choices import Origin, Sensitivity
from memories.values.trust import Actor, everything

SOURCE = "patterns"


def statement(rule: Rule, detection: Detection, *, scope: str, key: str, sensitivity: int, at: datetime) -> Statement:
    return Statement(
        content=detection.content,
        key=key,
        scope=scope,
        source=detection.source,
        confidence=rule.confidence,
        category=detection.category,
        origin=Origin.DETECTED,
        sensitivity=Sensitivity(sensitivity),
        company_id=detection.company_id,
        expires_at=at + rule.ttl if rule.ttl else None,
    )


def suppress(tombstone: Tombstone, claim: Statement, *, by: Actor, at: datetime) -> Stored:
    """Record a hit on the tombstone of this key: people dismissed it, in whatever words."""
    return admission.suppress(tombstone, claim, trust=everything(by), at=at)


def suppress_closed(memory: Memory, detection: Detection) -> None:
    """Record that a retracted memory was detected again."""
    record_suppressed(memory, {detection.at: ""}, source=SOURCE)
