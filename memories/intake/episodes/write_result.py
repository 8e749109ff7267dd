"""The answer to a write of experience."""

from dataclasses import dataclass, field
from uuid import UUID

from memories.models import Event, Memory


@dataclass(frozen=True)
class Ingested:
    """`memory` is None when the caller may not see what its write met. `changed`: an outcome or a state was replaced.

    `events` are those that this call added.
    """

    memory: Memory | None
    created: bool
    changed: bool = False
    events: list[Event] = field(default_factory=list)
    proposal: UUID | None = None  # what was proposed instead of changed
    notice: str | None = None  # how a field was read
    forgotten: bool = False  # a person has forgotten what this says: nothing was stored
