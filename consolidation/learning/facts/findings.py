"""Interface of counted facts about one subject, e.g. which commands start or where an argument comes from."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

Language = Literal["en", "zh"]
Said = Mapping[str, Any]


class Findings(Protocol):
    """Counts about one subject. `said`: the claims stated before, as plain JSON values."""

    def claims(self) -> dict[str, Any]:
        """Return what the counts support, as plain JSON values; empty when nothing is worth stating."""

    def still(self, said: Said) -> dict[str, Any]:
        """Return the stated claims, brought up to date with the counts."""

    def turned(self, said: Said) -> bool:
        """Return whether the latest runs unanimously contradict a stated claim."""

    def sentence(self, said: Said, language: Language) -> str:
        """Return the claims as a sentence with the present counts."""
