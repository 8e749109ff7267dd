"""What counted runs say about one subject: the shape that each kind of counted fact gives its counts."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

Language = Literal["en", "zh"]
Said = Mapping[str, Any]


class Findings(Protocol):
    def claims(self) -> dict[str, Any]:
        """What is worth saying, as plain JSON values; empty when nothing is."""

    def still(self, said: Said) -> dict[str, Any]:
        """What was said, as it is to be said now."""

    def turned(self, said: Said) -> bool:
        """Do the latest runs say with one voice that it is not so any more?"""

    def sentence(self, said: Said, language: Language) -> str:
        """With the counts as they are now."""
