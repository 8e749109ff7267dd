"""What a scan finds: a rule, how grave, where, and the line around it."""

from dataclasses import dataclass
from enum import StrEnum

from memories.scanning import credentials
from memories.values import invisible

WRITTEN_BY_MODEL = "written-by-model"  # rule of the mark on a file, which no scan can find again
_EXCERPT_LENGTH = 160


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` counts from 1. `excerpt` is the line around the match, with invisible characters spelled out."""

    rule: str
    severity: Severity
    file: str
    line: int
    excerpt: str


def excerpt(text: str, at: int) -> str:
    """The line around a position, without the credentials in it."""
    begin = max(text.rfind("\n", 0, at) + 1, at - _EXCERPT_LENGTH // 2)
    return credentials.masked(invisible.visible(text[begin : min(line_end(text, at), begin + _EXCERPT_LENGTH)]).strip())


def line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
