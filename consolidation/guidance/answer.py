"""What guidance answers, as values: which effects are expected, how sure that is, what the call at hand looks like.

The shapes of the same names in `consolidation/api/guidance.py` document each field: a further one stands in both.
"""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from consolidation.guidance.precedent import CallVerdict

Decision = Literal["skill", "act", "no_action", "unsure"]


@dataclass(frozen=True)
class ExpectedEffects:
    """A set of effects: its share of the vote, and the distinct similar cases that ended well with it."""

    effects: list[str] = field(default_factory=list)
    share: float = 0.0
    cases: int = 0


@dataclass(frozen=True)
class SimilarRun:
    episode_id: UUID
    thread_id: str | None
    similarity: float
    outcome: str
    effects: list[str]
    opening: str


@dataclass(frozen=True)
class OfferedSkill:
    """What an agent needs of a published skill to act on it without downloading it."""

    name: str
    version: int
    url: str
    summary: str
    steps: list[str]
    checks: list[str]
    avoid: list[str]
    memory_id: UUID
    scope: str = ""


@dataclass(frozen=True)
class CheckedRun:
    episode_id: UUID
    thread_id: str | None
    outcome: str
    called: bool
    similarity: float


@dataclass(frozen=True)
class CheckedCall:
    """Counts are cases among the similar runs: how many ended well and ill, with the call and without it."""

    verdict: CallVerdict
    text: str
    well_with: int = 0
    well_without: int = 0
    ill_with: int = 0
    ill_without: int = 0
    arguments: list[dict[str, str]] = field(default_factory=list)
    runs: list[CheckedRun] = field(default_factory=list)


@dataclass(frozen=True)
class Guidance:
    """`optional`: tools that runs with the expected effects called as well or left out, whatever was asked; told in the
    block for a prompt alone."""

    decision: Decision = "unsure"
    confidence: float = 0.0
    expected: ExpectedEffects = field(default_factory=ExpectedEffects)
    skill: OfferedSkill | None = None
    alternatives: list[ExpectedEffects] = field(default_factory=list)
    similar: list[SimilarRun] = field(default_factory=list)
    check: CheckedCall | None = None
    offer_id: UUID | None = None
    withheld: bool = False
    optional: list[str] = field(default_factory=list)

    @property
    def needs_more(self) -> bool:
        """Whether no answer is given: ask the user or look things up, and ask again before the first change."""
        return self.decision == "unsure"

    def kept_back(self, offer_id: UUID) -> "Guidance":
        """What a run is answered that was drawn to do without: the check alone, and which offer was withheld."""
        return Guidance(check=self.check, offer_id=offer_id, withheld=True)
