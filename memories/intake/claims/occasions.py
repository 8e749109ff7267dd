"""Occasions become evidence: each counts once for a memory, whoever comes with it and however often."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from memories.intake.statements import Occasion, Statement
from memories.models import Evidence, Memory
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.values.choices import Sensitivity
from memories.values.exceptions import FieldError, Invalid, NotFound
from memories.values.trust import Trust


def sensitivity_of(occasions: Iterable[Occasion], scope: str, trust: Trust) -> int:
    """The highest of the episodes that speak here. NotFound: one is not to be seen; Invalid: it is of another scope."""
    ids = {occasion.episode_id for occasion in occasions if occasion.episode_id}
    if not ids:
        return Sensitivity.PUBLIC
    rows = Memory.objects.visible_to(trust).filter(pk__in=ids).exclude(episode=None)
    found = list(rows.values_list("pk", "scope", "sensitivity"))
    if len(found) < len(ids):
        raise NotFound("no such episode")
    if any(other != scope for _, other, _ in found):
        detail = "is of another scope: what is learned in one is not mixed into another"
        raise Invalid(FieldError("/episode_id", "other_scope", detail))
    return int(max(sensitivity for _, _, sensitivity in found))


def uncounted(memory: Memory, occasions: Sequence[Occasion]) -> list[Occasion]:
    """Those that have not spoken for this memory yet. The caller holds its row."""
    names = {occasion.name for occasion in occasions}
    known = set(Evidence.objects.filter(memory=memory, occasion__in=names).values_list("occasion", flat=True))
    return list({occasion.name: occasion for occasion in occasions if occasion.name not in known}.values())


def count(
    memory: Memory, occasions: Sequence[Occasion], statement: Statement, *, kind: str, delta: float, trust: Trust
) -> None:
    """They are evidence now; their episodes are kept as long as the memory lives."""
    rows = [
        Evidence(
            memory=memory,
            occasion=occasion.name,
            episode_id=occasion.episode_id,
            kind=kind,
            delta=delta,
            at=occasion.at,
            made_by=trust.actor.name[:200],
            made_by_id=trust.actor.identity,
            snapshot=statement.content[:LONGEST_SNAPSHOT],
        )
        for occasion in occasions
    ]
    Evidence.objects.bulk_create(rows)
    _keep({occasion.episode_id for occasion in occasions if occasion.episode_id})


def _keep(episodes: set[UUID]) -> None:
    if episodes:
        Memory.objects.filter(pk__in=episodes, evidence_of_live=False).update(evidence_of_live=True)
