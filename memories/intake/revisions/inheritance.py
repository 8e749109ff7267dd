"""The columns that the new memory of a revision inherits from those that it comes from.

Rows of other tables (evidence, requests, track record) are carried by superseding.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memories.intake.reports import payloads
from memories.intake.reports.revisions import NewMemory
from memories.intake.statements import window_of
from memories.models import Memory
from memories.values import decay
from memories.values.choices import Category, DeletionPolicy, Sensitivity, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import format_instant
from memories.values.field_types import united
from memories.values.speakers import MOST_SPEAKERS, speakers_of
from memories.values.trust import Actor

MERGE, FORK, SUPERSEDE = "merge", "fork", "supersede"
STRICTER: list[str] = list(DeletionPolicy.values)  # auto_prune, manual_only, never


@dataclass(frozen=True)
class RevisionFacts:
    """How a revision makes its new memory.

    `is_vouched`: a person made or accepted it, so that it stands where the old one stood.
    """

    verb: str
    by: Actor
    at: datetime
    is_vouched: bool


def category(new: NewMemory, head: Memory) -> str | None:
    if head.type == Type.SEMANTIC:
        return new.category or head.category or Category.FACT
    if new.category:
        raise Invalid(FieldError("/memory/category", "invalid", "only a semantic memory has one"))
    return None


def key(sources: Sequence[Memory], payload: dict[str, Any], facts: RevisionFacts) -> str | None:
    """The key made of the new statement, where an old key was made of its statement; else the first other key of the
    sources; None for a fork, whose source keeps it."""
    if any(_is_made(source) for source in sources) and "subject" in payload:
        return payloads.key_of(payload["subject"], payload["predicate"], payload["object"])
    if facts.verb == FORK:
        return None
    return next((source.key for source in sources if source.key and not _is_made(source)), None)


def _is_made(source: Memory) -> bool:
    """Whether its key was made of its statement."""
    subject, predicate = (source.payload.get(name) for name in ("subject", "predicate"))
    if not isinstance(subject, str) or not isinstance(predicate, str):
        return False
    return (source.key or "").startswith(f"{payloads.stem_of(subject, predicate)}#")


def sensitivity(new: NewMemory, rests_on: Sequence[Memory], facts: RevisionFacts) -> Sensitivity:
    """The highest of what it comes from; only who decides lowers that, not by merging."""
    highest = max(row.sensitivity for row in rests_on)
    stated_level = Sensitivity.named(new.sensitivity) if new.sensitivity else Sensitivity(highest)
    return stated_level if facts.is_vouched and facts.verb != MERGE else Sensitivity(max(stated_level, highest))


def tags(new: NewMemory, sources: Sequence[Memory], facts: RevisionFacts) -> list[str]:
    if facts.verb != MERGE:
        return new.tags if "tags" in new.model_fields_set else list(sources[0].tags)
    return united(new.tags, *(source.tags for source in sources))


def revised(payload: dict[str, Any], head: Memory, facts: RevisionFacts) -> dict[str, Any]:
    if facts.verb != SUPERSEDE:
        return payload
    return {**payload, "revision": {"supersedes": str(head.pk), "status": "current"}}


def provenance(sources: Sequence[Memory], episode: Memory | None, facts: RevisionFacts) -> list[dict[str, Any]]:
    """The provenance, which no caller writes. A merged memory has that of all its sources."""
    former_entries = [entry for source in sources for entry in source.provenance.get("sources", [])]
    former_entries = [entry for number, entry in enumerate(former_entries) if entry not in former_entries[:number]]
    origin = {"created_by": facts.by.name, "timestamp": format_instant(facts.at)}
    entries = [{"kind": facts.verb, "ref": str(row.pk), "confidence": row.confidence, **origin} for row in sources]
    if episode:
        entries.append({"kind": "episode", "ref": str(episode.pk), "confidence": episode.confidence, **origin})
    return [*(former_entries if facts.verb == MERGE else []), *entries]


def lifecycle(
    new: NewMemory, sources: Sequence[Memory], payload: dict[str, Any], facts: RevisionFacts
) -> dict[str, Any]:
    head, at = sources[0], facts.at
    columns: dict[str, Any] = {
        "salience": 1.0,
        "salience_at": at,
        "half_life": head.half_life,
        "min_salience": head.min_salience,
        "reinforcement_gain": head.reinforcement_gain,
        "max_age": head.max_age,
        "pinned": any(source.pinned for source in sources),
        "deletion_policy": max((source.deletion_policy for source in sources), key=STRICTER.index),
        **_time_to_live(new, head, at=at),
    }
    if head.type == Type.SEMANTIC:
        columns |= decay.awake(at) | window_of(payload)
    if facts.verb != MERGE:
        return columns
    speaker_names = dict.fromkeys(name for source in sources for name in speakers_of(source))
    return columns | _counters(sources, at=at) | {"speakers": list(speaker_names)[:MOST_SPEAKERS]}


def _time_to_live(new: NewMemory, head: Memory, *, at: datetime) -> dict[str, Any]:
    """`ttl` and `expires_at`: the stated expiry, else the time to live of the old memory, counted from `at`."""
    until = new.expires_at
    if until is not None and until <= at:
        raise Invalid(FieldError("/memory/expires_at", "out_of_range", "must be in the future"))
    ttl = (until - at).total_seconds() if until else head.ttl
    return {"ttl": ttl, "expires_at": until or (at + timedelta(seconds=ttl) if ttl else None)}


def _counters(sources: Sequence[Memory], *, at: datetime) -> dict[str, Any]:
    used_at, reinforced_at = (
        [moment for moment in moments if moment]
        for moments in ([row.last_used_at for row in sources], [row.reinforced_at for row in sources])
    )
    return {
        "salience": max(row.salience_on(at) for row in sources),
        "times_used": sum(row.times_used for row in sources),
        "times_confirmed": sum(row.times_confirmed for row in sources),
        "last_used_at": max(used_at, default=None),
        "reinforced_at": max(reinforced_at, default=None),
    }
