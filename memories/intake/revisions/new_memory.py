"""The memory that a revision makes: what the caller says of it, and what it has from where it comes from."""

import json
from collections.abc import Sequence
from typing import Any

from memories import claims, scanning
from memories.intake.reports import payloads
from memories.intake.reports.revisions import NewMemory
from memories.intake.revisions import inheritance
from memories.intake.revisions.inheritance import FORK, MERGE, SUPERSEDE, Making
from memories.intake.revisions.payload import payload_of
from memories.lifecycle.ladder import Ladder, may_climb
from memories.models import Evidence, Memory
from memories.models.reviewable import LEAST
from memories.values.choices import ActorKind, Hold, Origin, Status, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import LONGEST_TEXT

SAYS = {
    Type.COMPETENCE: ("skill_name",),
    Type.PLAN_GRAPH: ("intent", "plan_id"),
    Type.WORKING: ("context_summary", "state"),
}  # where a payload without other words says what it is


def become(said: NewMemory, sources: Sequence[Memory], making: Making, *, episode: Memory | None = None) -> Memory:
    """A row, not yet stored. `episode` speaks for it. Invalid names what is wrong in what was said."""
    head = sources[0]
    _same_type(said, head)
    payload = payload_of(said.payload, head)
    content = said.content or _content(head.type, payload)
    rests_on = [*sources, *([episode] if episode else [])]
    person = making.by.kind == ActorKind.PERSON
    flags = scanning.flags(content, json.dumps(payload, ensure_ascii=False), by_a_person=person)
    new = Memory(
        type=head.type,
        scope=head.scope,
        category=inheritance.category(said, head),
        content=content,
        payload=inheritance.revised(payload, head, making),
        source=said.source or head.source,
        origin=Origin.TAUGHT if person else Origin.STORED,
        key=said.key or inheritance.key(sources, payload, making),
        thread_id=(payload.get("thread_id") if head.type == Type.WORKING else said.thread_id) or head.thread_id,
        company_id=said.company_id or head.company_id,
        sensitivity=inheritance.sensitivity(said, rests_on, making, secret=scanning.SECRET in flags),
        tags=inheritance.tags(said, sources, making),
        flags=flags,
        provenance={"sources": inheritance.provenance(sources, episode, making)},
        created_by=making.by.name[:200],
        created_by_id=making.by.identity,
        created_at=making.at,
        updated_at=making.at,
        **inheritance.lifecycle(said, sources, payload, making),
    )
    if new.type == Type.SEMANTIC:
        if not (payload.get("evidence") or episode or making.verb == MERGE):
            detail = "semantic revision requires evidence"
            raise Invalid(FieldError("/memory/payload/evidence", "required", detail, names_field=True))
        new.fingerprint = claims.fingerprint(claims.claim_of(content), new.scope)
    return new


def stand(new: Memory, said: NewMemory, sources: Sequence[Memory], making: Making) -> None:
    """Status, confidence and hold. What a person vouches for stands at least where the old one stood; an agent's own
    begins as if it was stored now unless it corrects what is confirmed, and what was contested waits for a person."""
    best = max(source.confidence for source in sources)
    given = None if said.confidence is None else round(min(100, max(0, said.confidence)))
    ladder = Ladder.of_settings()
    corrects = _corrects(said, sources[0], making)
    earned = best if making.vouched or corrects or making.verb == MERGE or new.type != Type.SEMANTIC else None
    new.confidence = ladder.start(source=new.source, direct=False, given=earned if given is None else given)
    if new.type == Type.WORKING:
        new.status = Status.CONFIRMED
    elif making.vouched:
        new.status = _vouched(new, sources, making.verb)
        new.hold = Hold.FLOOR
        new.confidence = max(new.confidence, LEAST.get(Status(new.status), 0))
    else:
        new.status = Status.CANDIDATE
        disputed = any(source.status == Status.CONTESTED for source in sources)
        climbs = may_climb(type=new.type, hold="", flagged=bool(new.flags), resembling=bool(new.resembles))
        if climbs and not disputed:
            most = max((source.times_confirmed for source in sources if making.verb == MERGE), default=0)
            voices = Evidence.objects.filter(memory__in=sources).voices() if making.verb == MERGE else 1
            climbed = ladder.status(new.status, confidence=new.confidence, times_confirmed=most, voices=voices)
            new.status = Status.CONFIRMED if corrects else climbed


def _corrects(said: NewMemory, old: Memory, making: Making) -> bool:
    """Whether a claim takes the place of one that is confirmed, and does not say itself how sure it is: it stands as
    the old one stood, or what was known would be gone until somebody confirms the correction."""
    own_word = said.confidence is not None
    return making.verb == SUPERSEDE and old.type == Type.SEMANTIC and old.status == Status.CONFIRMED and not own_word


def _vouched(new: Memory, sources: Sequence[Memory], verb: str) -> Status:
    stood = {source.status for source in sources}
    if Status.APPLIED in stood and verb != FORK:
        return Status.APPLIED
    packaged_by_a_person = new.type in (Type.COMPETENCE, Type.PLAN_GRAPH) and Status.CONFIRMED not in stood
    return Status.CANDIDATE if packaged_by_a_person else Status.CONFIRMED


def _same_type(said: NewMemory, head: Memory) -> None:
    if said.type is not None and said.type != head.type:
        raise Invalid(FieldError("/memory/type", "unknown_value", f"must be {head.type}, as what it comes from"))


def _content(type: str, payload: dict[str, Any]) -> str:
    """The words of a payload, where none were said."""
    if type == Type.SEMANTIC and "subject" in payload:
        text = payloads.content_of(payload["subject"], payload["predicate"], payload["object"])
    else:
        found = (payload.get(name) for name in SAYS.get(Type(type), ()))
        text = next((word.strip() for word in found if isinstance(word, str) and word.strip()), "")
    if not text:
        raise Invalid(FieldError("/memory/content", "required", "is required"))
    return text[:LONGEST_TEXT]
