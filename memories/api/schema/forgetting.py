"""What forgetting and the moves of salience take and answer, field by field."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memories.api.schema.payloads import Count
from memories.api.schema.problem import Shape
from memories.intake.reports.revisions import LONGEST_RATIONALE

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Receipt(Shape):
    """What went, or with `dry_run` what would go."""

    memory: UUID
    adaptations_reverted: Count
    relations: Count
    evidence: Count
    events: Count
    skills_withdrawn: Count
    """Published skills that nobody can download any more"""


class Move(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    rationale: Annotated[str, Field(max_length=LONGEST_RATIONALE)] | None = None
    """Taken and not kept: a move of salience stands in no trail"""
    actor: Any = None
    """Ignored: who moves it, the token says"""


class Reinforcement(Move):
    amount: Amount | None = None
    """Without it the memory's own gain"""


class Penalty(Move):
    amount: Amount
