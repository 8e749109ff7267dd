"""What writes answer."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, RootModel

from memories.api.schema.memory import Memory
from memories.api.schema.payloads import Count
from memories.api.schema.problem import Refusal, Shape


class WrittenMemory(Memory):
    """The memory as it now stands."""

    notice: str = ""
    """How something of the report was read; absent where there is nothing to say"""


class ProposedMemory(Memory):
    """The memory as it stands, and the proposal that was made instead of changing it."""

    proposal: UUID


class EditedMemory(Memory):
    """The memory as it now stands; null: it said so already."""

    batch: UUID | None


class Accepted(Shape):
    """The write met something above the caller's clearance. It was taken; nothing more is said."""

    memory: None
    created: Literal[False]
    reinforced: Literal[False]
    suppressed: Literal[False]
    notice: Literal["accepted"]


class Forgotten(Shape):
    """A person has forgotten what this says: nothing was stored."""

    memory: None
    created: Literal[False]
    reinforced: Literal[False]
    suppressed: Literal[True]
    notice: str


class NotChanged(RootModel[ProposedMemory | Accepted | Forgotten]):
    """Nothing was changed: a change was proposed, the write was only accepted, or it says what was forgotten."""


class StoredConversation(Shape):
    episode: Memory
    run: None


class AcceptedConversation(Shape):
    episode: None
    run: None
    notice: Literal["accepted"]


class StoredItem(Shape):
    index: Count
    status: Literal[200, 201, 202]
    memory: WrittenMemory | ProposedMemory | None


class RefusedItem(Shape):
    index: Count
    status: Annotated[int, Field(ge=400, le=499)]
    error: Refusal


class BatchResults(Shape):
    results: list[StoredItem | RefusedItem]
    """One for each item, in their order"""
