"""What claims come in as, and what answers them."""

from uuid import UUID

from pydantic import RootModel

from memories.api.schema.answers import Accepted
from memories.api.schema.memory import Memory
from memories.api.schema.problem import Shape
from memories.intake.reports.claims import CompetenceReport, NoteReport, PlanReport, TripleReport


class ClaimBody(RootModel[NoteReport | TripleReport | CompetenceReport | PlanReport]):
    """A keyed note, or with `type` a whole typed memory."""


class StoredClaim(Shape):
    memory: Memory | None
    """As it now stands; null: what was suppressed is forgotten, or not the caller's to see"""
    created: bool
    reinforced: bool
    """It counted as a confirmation"""
    suppressed: bool
    """It says what people dismissed or forgot: nothing was stored"""
    forgotten: bool
    """What suppressed it is gone: a person has forgotten it"""
    reset: bool
    """Another claim took the place of the old one, and begins anew"""
    proposal: UUID | None
    """What was proposed to people instead of changing the memory"""
    ignored_fields: list[str]
    """What was said of a memory that is there already, and did not move it"""
    notice: str | None


class NotStored(RootModel[StoredClaim | Accepted]):
    """Nothing was changed: a change was proposed, or the write was only accepted."""
