"""What POST context answers, field by field."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from memories.api.schema.problem import Shape


class ContextItem(Shape):
    memory_id: UUID
    category: Literal["preference", "pattern", "fact", "contact", "workflow", "skill"]
    content: str
    """As it is stored; in the block it stands on one line"""
    confidence: Annotated[int, Field(ge=0, le=100)]
    status: Literal["confirmed", "applied"]
    overridable: bool
    """false: a person taught it or promoted it to applied, and it is to be followed; true: a hint"""
    url: str | None = None
    """Only of a skill: where its package is downloaded"""


class ContextGuidance(Shape):
    """What similar finished runs say of the task; `POST guidance` with the whole conversation says more."""

    decision: Literal["skill", "act", "no_action"]
    confidence: Annotated[float, Field(ge=0, le=1)]
    effects: list[str]
    """Tools that change something and were right in similar runs"""
    skill: str | None
    """The name of the published skill that has these effects"""


class ContextAnswer(Shape):
    block: str
    """To be put into the prompt as it is: a heading and one line for each item, by confidence, then guidance; empty
    for neither"""
    items: list[ContextItem]
    """In the order of the lines"""
    guidance: ContextGuidance | None
    """null: there is no task, or what similar runs say is not sure enough"""
    notices: list[str]
    """What has changed the behaviour of this source, each told once; the second line of each says how to review it"""
    memory_status: Literal["ok", "degraded"]
    degraded: list[Literal["company", "source", "embedding", "search", "memories", "use", "notices", "guidance"]]
    """What is missing from this answer, because it failed or took too long"""
