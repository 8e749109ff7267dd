"""Which pattern a run belongs to: the one of its effects, within its scope and sensitivity."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from consolidation.learning.effects.effects import effects, signature
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.models import Pattern
from consolidation.pipelines.recorded import Recording
from consolidation.pipelines.tool_rules import rules_of_each
from memories.models import Episode


@dataclass(frozen=True)
class PatternIdentity:
    """The unique identity of a pattern; `effects` only describe it."""

    kind: Pattern.Kind
    scope: str
    sensitivity: int
    signature: str
    effects: tuple[str, ...] = field(default=(), compare=False)

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(self.signature.encode()).digest()

    @property
    def order(self) -> tuple[bytes, int]:
        """In which the patterns of a batch are locked: always the same, so that no two workers block each other."""
        return self.sha256, self.sensitivity


def by_pattern(recordings: Sequence[Recording]) -> dict[PatternIdentity, list[Episode]]:
    """The episodes with an outcome and a call, by their pattern."""
    by_identity: dict[PatternIdentity, list[Episode]] = defaultdict(list)
    rules_of = rules_of_each()
    for recording in recordings:
        if recording.episode.counted_outcome and recording.calls.steps:
            by_identity[_identity(recording, rules_of(recording.episode))].append(recording.episode)
    return by_identity


def _identity(recording: Recording, rules: ToolRules) -> PatternIdentity:
    """The identity by the run's effects; with SIGNATURE=all by all tools that it used."""
    episode, run = recording.episode, recording.calls
    kinds = effects(run, rules)
    literal = settings.SIGNATURE == "all"
    name = signature(run.tools - rules.ignored) if literal else signature(kinds)
    kind = Pattern.Kind.EXACT if literal else Pattern.Kind.EFFECTS
    return PatternIdentity(kind, episode.scope, episode.memory.sensitivity, name, tuple(sorted(kinds)))
