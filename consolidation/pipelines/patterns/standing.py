"""How a rule's statement is written among what stands: its key says what it is, and only that very claim is the same.

Two patterns differ in one word ("as newsletter", "as invoice") where two claims of people would say the same in other
words. So under another key only the very same claim is suppressed; what merely resembles a dismissed one waits.
"""

from collections.abc import Sequence
from datetime import datetime

from consolidation.pipelines.patterns.rule import Rule, Sign
from memories import claims
from memories.choices import Origin, Outcome, Sensitivity
from memories.claims import Likeness
from memories.models import Memory, Tombstone
from memories.models.tombstone import seal
from memories.remembering import Occasion, Statement, Stored, dismissed, occasions, remember
from memories.remembering.creating import begun, create
from memories.trust import Actor, everything
from memories.witnessing import Witness
from memories.witnessing import suppress as suppress_evidence

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


def found(said: Statement, speaking: Sequence[Occasion], *, by: Actor, at: datetime) -> Stored:
    """Stores what is new. The caller holds the key, under which nothing lives."""
    trust = everything(by)
    suppressing, _ = dismissed.met_by(said, trust=trust)
    if suppressing is None or _is_the_same(suppressing, said):
        return remember(said, occasions=speaking, by=by, at=at)
    evidence = occasions.sensitivity_of(speaking, said.scope, trust)
    memory = create(said, speaking, evidence=evidence, resembled=suppressing, trust=trust, at=at)
    return begun(memory, suppressing)


def _is_the_same(tombstone: Tombstone, said: Statement) -> bool:
    if tombstone.key == said.key:
        return True
    claim = seal(said.content)
    equal = claim.tokens == tombstone.claim.tokens and claim.hard == tombstone.claim.hard
    return equal and claims.compare(claim, tombstone.claim) == Likeness.SAME


def suppress(tombstone: Tombstone, said: Statement, *, by: Actor, at: datetime) -> Stored:
    """People dismissed what this key stands for, in whatever words."""
    return dismissed.suppress(tombstone, said, trust=everything(by), at=at)


def suppress_closed(memory: Memory, sign: Sign) -> None:
    """It was taken back: it is noted that it was met again."""
    witness = Witness(sign.episodes[0], Outcome.SUCCESS, sign.at)
    suppress_evidence(memory, [witness], source=SOURCE)
