"""Store many claims in their order: those that meet nothing by one insert, each other one by itself.

One query tells which of them meet existing rows, under the locks of all. A claim that meets a memory of its key, a
tombstone or an earlier claim of the batch, or that names an episode, is stored by itself, after those before it.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from memories.intake import triples
from memories.intake.admission import admit, question_of
from memories.intake.claims import WriteResult, storing
from memories.intake.claims.writing import create_together
from memories.intake.episodes import Ingested
from memories.intake.reports.claims import Statable
from memories.intake.reports.events import ObservationReport
from memories.intake.statements import ClaimWrite, Statement
from memories.models import Memory
from memories.models.claim_lookup import ClaimQuestion, lock_and_find_unmet
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust

Answer = Ingested | WriteResult
Refusal = Invalid | NotAllowed | NotFound | Conflict
REFUSALS = (Invalid, NotAllowed, NotFound, Conflict)
Writes = Mapping[int, ClaimWrite[Any]]


def store(reports: Sequence[ObservationReport | Statable], *, trust: Trust, at: datetime) -> list[Answer | Refusal]:
    """Store all that can be stored, in one transaction; the answer to each stands at its index."""
    answers: dict[int, Any] = {}
    writes: dict[int, ClaimWrite[Any]] = {}
    for index, report in enumerate(reports):
        try:
            writes[index] = _write_of(report, trust=trust, at=at)
        except REFUSALS as refusal:
            answers[index] = refusal
    answers |= write_in_order(writes, trust=trust, at=at)
    return [answers[index] for index in range(len(reports))]


def write_in_order(
    writes: Writes,
    *,
    trust: Trust,
    at: datetime,
    single_indexes: Collection[int] = (),
    climbs: bool = True,
    details: dict[str, Any] | None = None,
) -> dict[int, Any]:
    """Write all in their order, in one transaction; the answer or refusal of each by its index.

    `single_indexes`: those that may meet what their key and words do not tell, and are written by themselves.
    `climbs`, `details`: as of `create_together`.
    """
    answers: dict[int, Any] = {}
    pending: dict[int, ClaimWrite[Any]] = {}  # not written yet
    with transaction.atomic():
        unmet_indexes = _unmet(writes, trust=trust).difference(single_indexes)
        for index, write in writes.items():
            if index in unmet_indexes:
                pending[index] = write
                continue
            answers |= _create(pending, trust=trust, at=at, climbs=climbs, details=details)
            pending.clear()
            answers[index] = _by_itself(write)
        answers |= _create(pending, trust=trust, at=at, climbs=climbs, details=details)
    return answers


def _write_of(report: ObservationReport | Statable, *, trust: Trust, at: datetime) -> ClaimWrite[Any]:
    if isinstance(report, ObservationReport):
        return triples.write_of(report, trust=trust, at=at)
    return storing.write_of(report, trust=trust, at=at)


def _unmet(writes: Writes, *, trust: Trust) -> set[int]:
    """Take the locks, and return the indexes of the writes that meet nothing; none for a single write."""
    questions = {
        index: question_of(write.statement, stems=write.stems, trust=trust)
        for index, write in writes.items()
        if all(occasion.episode_id is None for occasion in write.founding)
    }
    if len(questions) < 2:
        return set()
    indexes = list(questions)
    unmet_indexes = {indexes[number] for number in lock_and_find_unmet(list(questions.values()))}
    written_keys: set[tuple[str, str]] = set()
    for index, write in writes.items():
        if index in unmet_indexes and _meets(questions[index], written_keys):
            unmet_indexes.discard(index)
        written_keys |= _known_by(write.statement)
    return unmet_indexes


def _known_by(statement: Statement) -> set[tuple[str, str]]:
    """(scope, prefix) for the key of a statement and for its part up to each #; compare `ClaimQuestion.beginnings`."""
    key = statement.key
    beginnings = {key[: end + 1] for end, character in enumerate(key) if character == "#"}
    return {(statement.scope, beginning) for beginning in beginnings | {key} if key}


def _meets(question: ClaimQuestion, written_keys: Container[tuple[str, str]]) -> bool:
    return any((question.scope, beginning) in written_keys for beginning in question.beginnings)


def _create(
    writes: Writes, *, trust: Trust, at: datetime, climbs: bool, details: dict[str, Any] | None
) -> dict[int, Any]:
    """Insert these claims, which meet nothing, together; where a key was taken meanwhile, each by itself."""
    if not writes:
        return {}
    memories: dict[int, Memory] = {}
    for index, write in writes.items():
        memory = admit(write.statement, trust=trust, at=at, no_tombstones=True, **write.columns).memory
        assert memory is not None  # nothing blocks what meets no tombstone
        write.settle(memory)
        memories[index] = memory
    occasions = {memory: writes[index].founding for index, memory in memories.items()}
    try:
        with transaction.atomic():
            create_together(occasions, trust=trust, at=at, climbs=climbs, details=details)
            return {index: write.answer(WriteResult(memories[index], created=True)) for index, write in writes.items()}
    except IntegrityError:  # somebody took one of the keys without its lock
        return {index: _by_itself(write) for index, write in writes.items()}


def _by_itself(write: ClaimWrite[Any]) -> Any:
    try:
        with transaction.atomic():
            return write.by_itself()
    except REFUSALS as refusal:
        return refusal
