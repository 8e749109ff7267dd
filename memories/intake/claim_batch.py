"""Store many claims in their order: those that meet nothing by one insert, each other one by itself.

Many are asked at once what they meet, under the locks of all. One that meets a memory of its key, a tombstone or what
another one before it wrote, or that names an episode, is stored as if it came alone, after those before it.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from memories.intake import triples
from memories.intake.admission import admit, question_of
from memories.intake.claims import Stored, storing
from memories.intake.claims.writing import create_together
from memories.intake.episodes import Ingested
from memories.intake.reports.claims import Statable
from memories.intake.reports.events import ObservationReport
from memories.intake.statements import ClaimWrite, Statement
from memories.models import Memory
from memories.models.claim_lookup import ClaimQuestion, lock_and_find_unmet
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust

Answer = Ingested | Stored
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
    writes: Writes, *, trust: Trust, at: datetime, alone: Collection[int] = (), **how: Any
) -> dict[int, Any]:
    """Write all in their order, in one transaction; the answer or refusal of each by its index.

    `alone`: those that may meet what their key and words do not tell, and are written by themselves. `how`: of
    `create_together`.
    """
    answers: dict[int, Any] = {}
    new: dict[int, ClaimWrite[Any]] = {}  # not written yet
    with transaction.atomic():
        unmet = _unmet(writes, trust=trust).difference(alone)
        for index, write in writes.items():
            if index in unmet:
                new[index] = write
                continue
            answers |= _create(new, trust=trust, at=at, **how)
            new.clear()
            answers[index] = _by_itself(write)
        answers |= _create(new, trust=trust, at=at, **how)
    return answers


def _write_of(report: ObservationReport | Statable, *, trust: Trust, at: datetime) -> ClaimWrite[Any]:
    if isinstance(report, ObservationReport):
        return triples.write_of(report, trust=trust, at=at)
    return storing.write_of(report, trust=trust, at=at)


def _unmet(writes: Writes, *, trust: Trust) -> set[int]:
    """The indexes of those that meet nothing, whose locks are taken. One write alone asks for itself."""
    asked = {
        index: question_of(write.statement, stems=write.stems, trust=trust)
        for index, write in writes.items()
        if all(occasion.episode_id is None for occasion in write.founding)
    }
    if len(asked) < 2:
        return set()
    indexes = list(asked)
    unmet = {indexes[number] for number in lock_and_find_unmet(list(asked.values()))}
    written: set[tuple[str, str]] = set()
    for index, write in writes.items():
        if index in unmet and _meets(asked[index], written):
            unmet.discard(index)
        written |= _known_by(write.statement)
    return unmet


def _known_by(statement: Statement) -> set[tuple[str, str]]:
    """What the key of this statement is, and what it begins with: see `ClaimQuestion.beginnings`."""
    key = statement.key
    beginnings = {key[: end + 1] for end, character in enumerate(key) if character == "#"}
    return {(statement.scope, beginning) for beginning in beginnings | {key} if key}


def _meets(question: ClaimQuestion, written: Container[tuple[str, str]]) -> bool:
    return any((question.scope, beginning) in written for beginning in question.beginnings)


def _create(writes: Writes, *, trust: Trust, at: datetime, **how: Any) -> dict[int, Any]:
    """Insert these claims, which meet nothing, together; where a key was taken meanwhile, each by itself."""
    if not writes:
        return {}
    memories: dict[int, Memory] = {}
    for index, write in writes.items():
        memory = admit(write.statement, trust=trust, at=at, unmet=True, **write.columns).memory
        assert memory is not None  # nothing blocks what meets no tombstone
        write.settle(memory)
        memories[index] = memory
    founded = {memory: writes[index].founding for index, memory in memories.items()}
    try:
        with transaction.atomic():
            create_together(founded, trust=trust, at=at, **how)
            return {index: write.answer(Stored(memories[index], created=True)) for index, write in writes.items()}
    except IntegrityError:  # somebody took one of the keys without its lock
        return {index: _by_itself(write) for index, write in writes.items()}


def _by_itself(write: ClaimWrite[Any]) -> Any:
    try:
        with transaction.atomic():
            return write.by_itself()
    except REFUSALS as refusal:
        return refusal
