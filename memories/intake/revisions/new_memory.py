"""Make the new memory of a revision from what the caller states and what it inherits from its sources."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from memories.intake import admission as gate
from memories.intake.reports import payloads
from memories.intake.reports.events import STATE_FIELDS, WorkingStateReport
from memories.intake.reports.payloads import EvidenceSource, RevisionPolicy, Validity
from memories.intake.reports.revisions import NewMemory, check
from memories.intake.revisions import inheritance
from memories.intake.revisions.inheritance import FORK, MERGE, SUPERSEDE, RevisionFacts
from memories.intake.revisions.sources import Dismissed
from memories.intake.statements import Statement
from memories.lifecycle.ladder import Ladder, may_climb
from memories.models import Evidence, Memory
from memories.models.reviewable import LEAST
from memories.values.choices import ActorKind, Category, Hold, Origin, Status, Type
from memories.values.exceptions import FieldError, Invalid, within
from memories.values.field_types import LONGEST_TEXT, Described
from memories.values.trust import everything

SAYS = {
    Type.COMPETENCE: ("skill_name",),
    Type.PLAN_GRAPH: ("intent", "plan_id"),
    Type.WORKING: ("context_summary", "state"),
}  # where a payload without other words says what it is


def admit(new: NewMemory, sources: Sequence[Memory], facts: RevisionFacts, *, episode: Memory | None = None) -> Memory:
    """Construct the memory that a revision makes, not stored yet. `episode` speaks for it.

    Invalid names what is wrong in `new`; Dismissed: people said before that its claim does not hold.
    """
    head = sources[0]
    _same_type(new, head)
    payload = payload_of(new.payload, head)
    statement = _statement(new, sources, payload, facts, episode)
    columns: dict[str, Any] = {
        **inheritance.lifecycle(new, sources, payload, facts),
        "payload": inheritance.revised(payload, head, facts),
        "provenance": {"sources": inheritance.provenance(sources, episode, facts)},
    }
    if head.type == Type.SEMANTIC and not (payload.get("evidence") or episode or facts.verb == MERGE):
        detail = "semantic revision requires evidence"
        raise Invalid(FieldError("/memory/payload/evidence", "required", detail, names_field=True))
    if facts.is_vouched:
        columns["resembles"] = None
    admission = gate.admit(statement, trust=everything(facts.by), at=facts.at, **columns)
    if admission.memory is None:
        raise Dismissed(admission.dismissal.blocking)
    _stand(admission.memory, new, sources, facts)
    return admission.memory


def _statement(
    new: NewMemory, sources: Sequence[Memory], payload: dict[str, Any], facts: RevisionFacts, episode: Memory | None
) -> Statement:
    head, category = sources[0], inheritance.category(new, sources[0])
    return Statement(
        type=Type(head.type),
        scope=head.scope,
        category=Category(category) if category else None,
        content=new.content or _content(head.type, payload),
        payload=payload,
        source=new.source or head.source,
        origin=Origin.TAUGHT if facts.by.kind == ActorKind.PERSON else Origin.STORED,
        key=new.key or inheritance.key(sources, payload, facts) or "",
        thread_id=(payload.get("thread_id") if head.type == Type.WORKING else new.thread_id) or head.thread_id,
        company_id=new.company_id or head.company_id,
        sensitivity=inheritance.sensitivity(new, [*sources, *([episode] if episode else [])], facts),
        tags=inheritance.tags(new, sources, facts),
        confidence=head.confidence,  # until `_stand` says where it stands
    )


def _stand(new: Memory, request: NewMemory, sources: Sequence[Memory], facts: RevisionFacts) -> None:
    """Set status, confidence and hold.

    What a person vouches for stands at least where the old one stood; an agent's own begins as if it was stored now
    unless it corrects what is confirmed, and what was contested waits for a person.
    """
    best = max(source.confidence for source in sources)
    stated_value = None if request.confidence is None else round(min(100, max(0, request.confidence)))
    ladder = Ladder.of_settings()
    corrects = _corrects(request, sources[0], facts)
    former = best if facts.is_vouched or corrects or facts.verb == MERGE or new.type != Type.SEMANTIC else None
    new.confidence = ladder.start(
        source=new.source, direct=False, confidence=former if stated_value is None else stated_value
    )
    if new.type == Type.WORKING:
        new.status = Status.CONFIRMED
    elif facts.is_vouched:
        new.status = _vouched_status(new, sources, facts.verb)
        new.hold = Hold.FLOOR
        new.confidence = max(new.confidence, LEAST.get(Status(new.status), 0))
    else:
        new.status = Status.CANDIDATE
        is_disputed = any(source.status == Status.CONTESTED for source in sources)
        if may_climb(new) and not is_disputed:
            confirmations = max((source.times_confirmed for source in sources if facts.verb == MERGE), default=0)
            speakers = Evidence.objects.filter(memory__in=sources).agents_or_sessions() if facts.verb == MERGE else 1
            numbers = {"confidence": new.confidence, "times_confirmed": confirmations, "agents_or_sessions": speakers}
            ladder_status = ladder.status(new.status, **numbers)
            new.status = Status.CONFIRMED if corrects else ladder_status


def _corrects(request: NewMemory, old: Memory, facts: RevisionFacts) -> bool:
    """Whether a claim without a confidence of its own supersedes a confirmed one: it stands as the old one stood, or
    what was known would be gone until somebody confirms the correction."""
    has_own = request.confidence is not None
    return facts.verb == SUPERSEDE and old.type == Type.SEMANTIC and old.status == Status.CONFIRMED and not has_own


def _vouched_status(new: Memory, sources: Sequence[Memory], verb: str) -> Status:
    former_statuses = {source.status for source in sources}
    if Status.APPLIED in former_statuses and verb != FORK:
        return Status.APPLIED
    waits_for_package = new.type in (Type.COMPETENCE, Type.PLAN_GRAPH) and Status.CONFIRMED not in former_statuses
    return Status.CANDIDATE if waits_for_package else Status.CONFIRMED


def _same_type(request: NewMemory, head: Memory) -> None:
    if request.type is not None and request.type != head.type:
        raise Invalid(FieldError("/memory/type", "unknown_value", f"must be {head.type}, as what it comes from"))


def _content(type: str, payload: dict[str, Any]) -> str:
    """The words of a payload, where none were stated."""
    if type == Type.SEMANTIC and "subject" in payload:
        text = payloads.content_of(payload["subject"], payload["predicate"], payload["object"])
    else:
        words = (payload.get(name) for name in SAYS.get(Type(type), ()))
        text = next((word.strip() for word in words if isinstance(word, str) and word.strip()), "")
    if not text:
        raise Invalid(FieldError("/memory/content", "required", "is required"))
    return text[:LONGEST_TEXT]


SERVERS = ("revision", "performance", "skill", "metrics", "kind")
AT = "/memory/payload"


class Note(Described):
    """A statement that is only its words."""

    validity: Validity = Validity()
    evidence: Annotated[list[EvidenceSource], Field(max_length=100)] = []
    revision_policy: RevisionPolicy = "replace"


def payload_of(raw: dict[str, Any], head: Memory) -> dict[str, Any]:
    """Checked, with its kind. Invalid names each wrong field below /memory/payload.

    None given: a statement is only its words then; of another type the payload of the old one is kept.
    """
    kind = str(head.type)
    if raw.get("kind", kind) != kind:
        raise Invalid(FieldError(within(AT, "kind"), "unknown_value", f"must be {kind}, as the memory's type"))
    fields = {name: value for name, value in raw.items() if name not in SERVERS}
    if head.type == Type.WORKING:
        return {"kind": kind, **_working(fields, head)}
    if not fields and head.type != Type.SEMANTIC:
        return {name: value for name, value in head.payload.items() if name != "revision"}
    is_note = head.type == Type.SEMANTIC and not {"subject", "predicate", "object"} & fields.keys()
    shape: type[Described] = Note if is_note else payloads.SHAPES[kind]
    report = check(shape, fields, AT)
    payloads.check_graph(report, AT)
    values = report.model_dump(mode="json", by_alias=True, exclude_unset=is_note)
    return payloads.note(**values) if is_note else {**values, "kind": kind}


def _working(fields: dict[str, Any], head: Memory) -> dict[str, Any]:
    """A state as the endpoint of working states takes it; what is not given stays."""
    values = {name: value for name, value in head.payload.items() if name in STATE_FIELDS} | fields
    report = check(WorkingStateReport, {"source": head.source, **values}, AT)
    return {name: getattr(report, name) for name in STATE_FIELDS}
