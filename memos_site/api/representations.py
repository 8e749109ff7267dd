"""What stands beside memories as the API shows it: exact names, sensitivity by name."""

from typing import Any

from memories.models import Adaptation, Proposal, Tombstone
from memories.values.choices import Sensitivity

PROPOSED = ("id", "kind", "others", "change", "resembles", "why", "score", "made_by", "evidence", "scope")
DECIDED = ("opened_at", "snoozed_until", "decided_at", "decided_by", "decision")
BURIED = ("id", "scope", "key", "memory_id", "category", "reason", "by", "at", "blocks", "hits")
ADAPTED = ("id", "memory_id", "memory_key", "plugin", "description", "applied_at", "applied_by", "reverted_at")


def _named(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def proposal(row: Proposal) -> dict[str, Any]:
    sensitivity = Sensitivity(row.sensitivity).label
    return {**_named(row, PROPOSED), "memory": row.memory_id, "sensitivity": sensitivity, **_named(row, DECIDED)}


def tombstone(row: Tombstone) -> dict[str, Any]:
    return {**_named(row, BURIED), "last_hit_at": row.last_hit_at, "lifted_at": row.lifted_at}


def adaptation(row: Adaptation) -> dict[str, Any]:
    return {**_named(row, ADAPTED), "revert_reason": row.revert_reason or None}
