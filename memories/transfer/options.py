"""What an import is asked for, and what came of each row."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from memories.models import Memory
from memories.transfer.records import ClaimRecord
from memories.values.choices import Status
from memories.values.exceptions import Invalid
from memories.values.trust import Trust


class Format(StrEnum):
    FOUNDER_OS = "founderos"
    MEMBRANE = "membrane"
    MEM0 = "mem0"
    OPEN_MEMORY = "openmemory"
    MEMOS = "memos"
    CONVERSATIONS = "conversations"
    PACK = "pack"  # its lines of memories, once they are unpacked


@dataclass(frozen=True)
class Options:
    """`scope`: of rows that name none, a name or a template of the row's fields; `keeps_status` false: what would hold
    waits as a candidate; `applies`: rows that were applied may be applied here, which only administrators ask for.
    """

    format: Format
    trust: Trust
    scope: str | None = None
    keeps_status: bool = True
    applies: bool = False

    def status(self, stated: str, *, waits: bool) -> Status:
        """The status of a live row: never above what it was; rows that wait for a person, and asked ones, do so."""
        status = Status(stated)
        if status not in (Status.CONFIRMED, Status.APPLIED):
            return status
        if waits or not self.keeps_status:
            return Status.CANDIDATE
        return status if self.applies else Status.CONFIRMED


class Result(StrEnum):
    IMPORTED = "imported"
    CHANGED = "changed"  # another statement than the one that is here: proposed to people
    KNOWN = "known"  # it was imported before, or says what is here
    SUPPRESSED = "suppressed"  # people dismissed or forgot it here
    LEFT_OUT = "left_out"
    FAILED = "failed"


@dataclass(frozen=True)
class RowResult:
    """What came of one row.

    `errors` name its fields, or tell what did not come along; `status`: of the memory that it became; `shown`: its
    words.
    """

    row: str
    result: Result
    errors: tuple[str, ...] = ()
    status: str = ""
    shown: str = ""

    @classmethod
    def failed(cls, row: str, refusal: Exception) -> "RowResult":
        errors = refusal.errors if isinstance(refusal, Invalid) else [refusal]
        return cls(row, Result.FAILED, tuple(map(str, errors)))


class Made(NamedTuple):
    """A memory that was made of a record, and the status that it gets in the end."""

    memory: Memory
    record: ClaimRecord
    to: Status


@dataclass(frozen=True)
class Writing:
    """The moment and the asked options of one batch. `fixed_scopes`: where people lowered a claim for good;
    `known_ids`: of its ids those that a memory has or had; `made`: what was made so far. `previewed`: in a preview, by
    name the rows that earlier batches would have brought, each with the status of a new memory. `earlier`: of claims,
    by their place in the batch, what an earlier import made of a row with an id and no key that is another now.
    """

    options: Options
    at: datetime
    fixed_scopes: frozenset[str] = frozenset()
    known_ids: set[UUID] = field(default_factory=set)
    made: list[Made] = field(default_factory=list)
    previewed: dict[bytes, str] = field(default_factory=dict)
    earlier: dict[int, UUID] = field(default_factory=dict)

    @property
    def trust(self) -> Trust:
        return self.options.trust

    @property
    def noted(self) -> dict[str, Any]:
        """Facts of the audit rows."""
        return {"imported_from": self.options.format.value}
