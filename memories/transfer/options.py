"""Options of an import, results of its rows, and the state of a batch."""

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
    """`scope`: for rows without one, a name or a template of the row's fields; `keeps_status` False: confirmed and
    applied rows become candidates; `applies`: applied rows become applied, which only administrators may ask for.
    """

    format: Format
    trust: Trust
    scope: str | None = None
    keeps_status: bool = True
    applies: bool = False

    def status(self, file_status: str, *, waits: bool) -> Status:
        """The status of a live row here, never above that in the file. `waits`: the claim must wait for a person."""
        status = Status(file_status)
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

    `errors`: of its fields, or what was not imported with it; `status`: of the new memory; `shown`: its words.
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


class ImportedMemory(NamedTuple):
    """A new memory, its record, and its final status."""

    memory: Memory
    record: ClaimRecord
    to: Status


@dataclass(frozen=True)
class Writing:
    """The options and state of one batch. `fixed_scopes`: scopes where people lowered a claim for good; `known_ids`:
    ids that a memory has or had; `new_memories`: those so far. `preview_statuses`: in a preview, by row name, the
    statuses of memories that earlier batches would have created. `earlier`: by index in the batch, the memory that an
    earlier import made of a row with an id and no key whose content has changed.
    """

    options: Options
    at: datetime
    fixed_scopes: frozenset[str] = frozenset()
    known_ids: set[UUID] = field(default_factory=set)
    new_memories: list[ImportedMemory] = field(default_factory=list)
    preview_statuses: dict[bytes, str] = field(default_factory=dict)
    earlier: dict[int, UUID] = field(default_factory=dict)

    @property
    def trust(self) -> Trust:
        return self.options.trust

    @property
    def audit_facts(self) -> dict[str, Any]:
        """Facts of the audit rows."""
        return {"imported_from": self.options.format.value}
