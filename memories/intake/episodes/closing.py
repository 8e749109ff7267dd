"""Close episodes: by their outcome, also one that is reported afterwards, or after silence."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction

from memories.intake.episodes import agreement
from memories.intake.episodes.joining import ANOTHER_SCOPE, add_tags, says_scope
from memories.intake.episodes.new_rows import Ingested
from memories.intake.episodes.sensitivity import first_to_continue, raise_together
from memories.intake.reports.events import OutcomeReport
from memories.models import AuditEntry, Episode, Memory
from memories.models.audit import AuditFacts, RevertFacts
from memories.models.ending import OUTCOME_FIELDS, EndStatement
from memories.models.trusted import new_id
from memories.values.choices import ActorKind, Outcome, OutcomeSource, Permission, Sensitivity, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound, one_of
from memories.values.trust import Actor, Trust

SILENCE = timedelta(minutes=30)
FORGOTTEN = "this memory has been forgotten meanwhile"
MOVED = (*OUTCOME_FIELDS, "digested_at", "digest_attempts", "closed_at")
Statements = dict[str, EndStatement]  # by source


def close_silent(*, at: datetime) -> int:
    """Close every episode that nothing was added to for half an hour. An event that comes at the same moment wins."""
    return Episode.objects.filter(closed_at=None, last_event_at__lt=at - SILENCE).update(closed_at=at)


def set_outcome(
    episode: Episode,
    outcome: Outcome | None,
    *,
    trust: Trust,
    source: str,
    at: datetime,
    stated_at: datetime | None = None,
    details: dict[str, Any] | None = None,
    outcome_source: OutcomeSource = OutcomeSource.REPORTED,
) -> bool:
    """Say how it ended. What a higher source said stays; else it is replaced, and a digested episode is read again, so
    that counts follow. False: nothing changed.

    `source` says so, on behalf of the caller, at `said_at`, by default now; `outcome` None: a person cannot tell. Only
    who opened the episode may, or a reviewer (NotAllowed).
    """
    statement = EndStatement(outcome_source, outcome, min(stated_at or at, at), source, details or {})
    return hear(episode, statement, by=trust.actor, at=at, reporter=trust)


def hear(
    episode: Episode, statement: EndStatement, *, reporter: Trust | None = None, **audit: Unpack[AuditFacts]
) -> bool:
    """Put an outcome, which may be read from a run or from what its user said next, beside those of other sources, in
    the place of what its source said before. False: it said the same. `reporter`: who must be allowed to say it."""

    def change(statements: Statements, row: Episode) -> bool:
        former = statements.get(statement.source)
        if former and former.outcome == statement.outcome:
            return False
        if reporter:
            _check_reporter(row, reporter)
        statements[statement.source] = statement
        return True

    return _revise(episode, change, **audit)


def judge(
    episode: Episode,
    outcome: Outcome | None,
    *,
    trust: Trust,
    at: datetime,
    note: str = "",
    batch: UUID | None = None,
) -> UUID | None:
    """A person's word on how it ended, None for "cannot tell"; the batch by which it is undone, by default a new
    one. None: said before.

    NotAllowed: the caller does not review, or may not write into its scope.
    """
    trust.require(Permission.REVIEW, "judging how a run ended needs the permission review")
    trust.scope_to_write(episode.scope)
    details = ({"note": note} if note else {}) | ({agreement.DOUBTED: True} if episode.is_doubted else {})
    statement = EndStatement(OutcomeSource.PERSON, outcome, at, trust.actor.name, details)
    batch = batch or new_id()
    return batch if hear(episode, statement, by=trust.actor, at=at, batch=batch) else None


def revert(entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> None:
    """Undo a person's word: theirs before it holds again, else what the other sources say.

    Conflict: it was no person's, or the outcome is another one by now.
    """
    before, after = _outcome_and_source(entry.before), _outcome_and_source(entry.after)
    if OutcomeSource.PERSON not in (before[1], after[1]):
        raise Conflict("this cannot be undone")
    former_statement = EndStatement(OutcomeSource.PERSON, Outcome(before[0]) if before[0] else None, at, by.name)

    def change(statements: Statements, row: Episode) -> bool:
        if (row.outcome, row.outcome_source) != after:
            raise Conflict("the outcome was changed in the meantime")
        statements.pop(OutcomeSource.PERSON, None)
        if before[1] == OutcomeSource.PERSON:
            statements[OutcomeSource.PERSON] = former_statement
        return True

    episode = Episode.objects.filter(pk=entry.subject_id).first()
    if episode is None:
        raise Conflict(FORGOTTEN)
    _revise(episode, change, by=by, at=at, batch=batch, undoes=entry.pk)


def _outcome_and_source(values: dict[str, Any]) -> tuple[str | None, str]:
    return values.get("outcome"), values.get("outcome_source", "")


def source_of(episode: Episode, trust: Trust) -> OutcomeSource:
    """Whose word an outcome is: a person's where one signed in, or reviews what another one opened."""
    reviews = trust.may(Permission.REVIEW) and episode.memory.created_by_id != trust.actor.identity
    return OutcomeSource.PERSON if trust.actor.kind == ActorKind.PERSON or reviews else OutcomeSource.REPORTED


def _revise(episode: Episode, change: Callable[[Statements, Episode], bool], **audit: Unpack[RevertFacts]) -> bool:
    """Change the statements of the sources under the lock of the row, with an audit row where the outcome or its source
    becomes another. `change` tells whether it changed any. NotFound: the episode has been forgotten.
    """
    with transaction.atomic():
        row = one_of(Episode.objects.select_for_update().filter(pk=episode.pk), FORGOTTEN)
        statements = row.statements()
        if not change(statements, row):
            return False
        former, counted_outcome, was_closed = (row.outcome, row.outcome_source), row.counted_outcome, row.closed_at
        row.hold_highest(statements, _counting(statements, row))
        row.closed_at = row.closed_at or audit["at"]
        if row.counted_outcome != counted_outcome or was_closed is None:
            row.digested_at, row.digest_attempts = None, 0
        row.save(update_fields=MOVED)
        changed = (row.outcome, row.outcome_source) != former
        if changed:
            note(row, former, **audit)
    for name in MOVED:
        setattr(episode, name, getattr(row, name))
    return changed


def note(row: Episode, former: tuple[str | None, str], **audit: Unpack[RevertFacts]) -> None:
    """Write the audit row of an outcome that has changed. `former`: the outcome and its source before."""
    before = {"outcome": former[0], "outcome_source": former[1]}
    after = {"outcome": row.outcome, "outcome_source": row.outcome_source, **row.outcome_details}
    row.memory.audit("outcome", before=before, after=after, **audit).save(force_insert=True)


def _counting(statements: Statements, row: Episode) -> frozenset[str]:
    """The sources whose outcome counts; with one of a person the agreement of the others is not computed."""
    if OutcomeSource.PERSON in statements:
        return frozenset({OutcomeSource.PERSON})
    return agreement.counting().of(row.memory.created_by_id)


def _check_reporter(episode: Episode, trust: Trust) -> None:
    if episode.memory.created_by_id != trust.actor.identity and not trust.may(Permission.REVIEW):
        raise NotAllowed("only the agent that opened this episode, or a reviewer, may set its outcome")


def outcome(report: OutcomeReport, *, trust: Trust, at: datetime) -> Ingested:
    """Set the outcome of an episode and close it; a later one replaces the first, unless a person said it. One that is
    more secret than its episode raises it, as an event that joins it does.

    NotFound: no such memory, or not to be seen; Invalid: it is no episode, or of another scope than the report says;
    NotAllowed: it is another agent's, or not in the caller's scopes.
    """
    source = trust.source_to_write(report.source)
    memory = _target(report, trust)
    details = {"latency_ms": report.latency_ms, "note": report.note}
    with transaction.atomic():
        changed = set_outcome(
            memory.episode,
            Outcome(report.outcome_status),
            trust=trust,
            source=source,
            at=at,
            stated_at=report.timestamp,
            details={name: value for name, value in details.items() if value not in (None, "")},
            outcome_source=source_of(memory.episode, trust),
        )
        if changed:
            add_tags({memory: report.tags}, at=at)
        _raise(memory, report, trust=trust, at=at)
    visible = trust.sees(memory)
    return Ingested(memory if visible else None, created=False, changed=changed)


def _target(report: OutcomeReport, trust: Trust) -> Memory:
    if report.scope is not None:
        trust.scope_to_write(report.scope)
    rows = Memory.objects.select_related("episode").filter(pk=report.target_record_id)
    memory = rows.visible_to(trust).first() or first_to_continue(rows, trust)
    if memory is None:
        raise NotFound("no such memory")
    if memory.type != Type.EPISODIC:
        detail = f"target record {memory.pk} is not episodic"
        raise Invalid(FieldError("/target_record_id", "not_episodic", detail, names_field=True))
    if not says_scope(report, memory.scope):
        raise Invalid(ANOTHER_SCOPE)
    trust.scope_to_write(memory.scope)
    return memory


def _raise(memory: Memory, report: OutcomeReport, *, trust: Trust, at: datetime) -> None:
    if report.sensitivity and (level := Sensitivity.named(report.sensitivity)) > memory.sensitivity:
        _check_reporter(memory.episode, trust)
        AuditEntry.objects.bulk_create(raise_together({memory: level}, by=trust.actor, at=at))
