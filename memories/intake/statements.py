"""What is said, on which occasion, and what came of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from memories import claims, scanning
from memories.claims import Claim
from memories.models import Memory
from memories.models.evidence import episode_occasion
from memories.values.choices import Category, Origin, Sensitivity, Type

ACCEPTED = "accepted"


@dataclass(frozen=True)
class Occasion:
    """What speaks for a claim, once: two with one `name` are the same. `episode_id`: the episode it is or was in."""

    name: str
    at: datetime
    episode_id: UUID | None = None

    @classmethod
    def episode(cls, episode_id: UUID, *, at: datetime) -> "Occasion":
        return cls(episode_occasion(episode_id), at, episode_id)

    @classmethod
    def thread(cls, source: str, thread_id: str, *, at: datetime, episode_id: UUID | None = None) -> "Occasion":
        """Once a day; `at` in UTC."""
        return cls(f"thread:{source}/{thread_id}:{at.date()}", at, episode_id)

    @classmethod
    def request(cls, *, at: datetime, episode_id: UUID | None = None) -> "Occasion":
        """An occasion of its own each time."""
        return cls(f"request:{uuid7()}", at, episode_id)


@dataclass(frozen=True)
class Statement:
    """A claim on its way in. `sensitivity` None: nobody said; `confidence` is where it starts when it is new."""

    content: str
    key: str
    scope: str
    source: str
    confidence: int
    category: Category | None = Category.FACT
    origin: Origin = Origin.STORED
    type: Type = Type.SEMANTIC
    payload: dict[str, Any] = field(default_factory=dict)
    sensitivity: Sensitivity | None = None
    tags: Sequence[str] = ()
    company_id: str | None = None
    thread_id: str | None = None
    expires_at: datetime | None = None
    deletion_policy: str | None = None

    @cached_property
    def claim(self) -> Claim:
        return claims.claim_of(self.content)

    @cached_property
    def flags(self) -> list[str]:
        said = json.dumps(self.payload, ensure_ascii=False) if self.payload else ""
        return scanning.flags(self.content, said, by_a_person=self.origin == Origin.TAUGHT)

    def at_least(self, evidence: int) -> int:
        """The sensitivity that these words ask for: what was said, that of the evidence, and high for a secret."""
        secret = Sensitivity.HIGH if scanning.SECRET in self.flags else Sensitivity.PUBLIC
        return max(self.sensitivity or Sensitivity.PUBLIC, evidence, secret)


@dataclass(frozen=True)
class Stored:
    """What a write answers. `memory` None: the caller may not see what it met, or what it met is gone.

    `forgotten`: what suppressed it is gone, and only that a person forgot it is known.
    `reset`: another claim took the place of the old one and begins anew. `notice`: one sentence for the caller.
    """

    memory: Memory | None
    created: bool = False
    reinforced: bool = False
    suppressed: bool = False
    forgotten: bool = False
    reset: bool = False
    proposal: UUID | None = None
    ignored_fields: list[str] = field(default_factory=list)
    notice: str | None = None

    @property
    def accepted(self) -> bool:
        """Taken, and nothing may be told about it."""
        return self.memory is None and self.notice == ACCEPTED


NOTHING_TOLD = Stored(None, notice=ACCEPTED)
