"""Check the payload of the new memory of a revision. What the server writes itself is taken from nobody."""

from typing import Annotated, Any

from pydantic import Field

from memories.intake.reports import payloads
from memories.intake.reports.events import STATE_FIELDS, WorkingStateReport
from memories.intake.reports.payloads import EvidenceSource, Validity
from memories.intake.reports.revisions import check
from memories.models import Memory
from memories.values.choices import Type
from memories.values.described import Described
from memories.values.exceptions import FieldError, Invalid, within

SERVERS = ("revision", "performance", "skill", "metrics", "kind")
AT = "/memory/payload"


class Note(Described):
    """A statement that is only its words."""

    validity: Validity = Validity()
    evidence: Annotated[list[EvidenceSource], Field(max_length=100)] = []


def payload_of(raw: dict[str, Any], head: Memory) -> dict[str, Any]:
    """Checked, with its kind. Invalid names each wrong field below /memory/payload.

    None given: a statement is only its words then; of another type the payload of the old one is kept.
    """
    kind = str(head.type)
    if raw.get("kind", kind) != kind:
        raise Invalid(FieldError(within(AT, "kind"), "unknown_value", f"must be {kind}, as the memory's type"))
    given = {name: value for name, value in raw.items() if name not in SERVERS}
    if head.type == Type.WORKING:
        return {"kind": kind, **_working(given, head)}
    if not given and head.type != Type.SEMANTIC:
        return {name: value for name, value in head.payload.items() if name != "revision"}
    is_note = head.type == Type.SEMANTIC and not {"subject", "predicate", "object"} & given.keys()
    shape: type[Described] = Note if is_note else payloads.SHAPES[kind]
    checked = check(shape, given, AT)
    if isinstance(checked, payloads.PlanGraph) and (wrong := list(payloads.graph_errors(checked))):
        raise Invalid(*(FieldError(AT + pointer, "invalid", why) for pointer, why in wrong))
    return {**checked.model_dump(mode="json", by_alias=True, exclude_unset=is_note), "kind": kind}


def _working(given: dict[str, Any], head: Memory) -> dict[str, Any]:
    """A state as the endpoint of working states takes it; what is not given stays."""
    merged = {name: value for name, value in head.payload.items() if name in STATE_FIELDS} | given
    checked = check(WorkingStateReport, {"source": head.source, **merged}, AT)
    return {name: getattr(checked, name) for name in STATE_FIELDS}
