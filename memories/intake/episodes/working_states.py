"""Store the working state of a thread: one row, the latest state wins."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from memories.intake.admission import admit_experience, sensitivity_of
from memories.intake.episodes.new_rows import Ingested
from memories.intake.episodes.sensitivity import may_continue
from memories.intake.inserting import insert_memories
from memories.intake.reports.events import STATE_FIELDS, WorkingStateReport
from memories.models import Memory, Passage, claim_locks
from memories.models.withholding import withhold_state
from memories.scanning import SECRET, credentials
from memories.values.choices import LIVE, Type
from memories.values.decay import HALF_LIFE
from memories.values.field_errors import format_instant
from memories.values.field_types import LONGEST_TEXT
from memories.values.text import as_text
from memories.values.trust import Trust

CONFIDENCE = 100
MOST_SOURCES = 20
REPLACED = (
    *("payload", "content", "provenance", "tags", "flags", "sensitivity", "withheld_from"),
    *("salience", "salience_at", "updated_at", "version"),
)


def working_state(report: WorkingStateReport, *, trust: Trust, at: datetime) -> Ingested:
    """Insert or replace the working state of (scope, thread_id). One that holds a credential is flagged, at least high.

    A row above the caller's clearance is not overwritten, unless a secret of its own raised it there, and the answer
    does not show that there is one.
    """
    scope, source = trust.scope_to_write(report.scope), trust.source_to_write(report.source)
    payload = {"kind": Type.WORKING.value, **{name: getattr(report, name) for name in STATE_FIELDS}}
    with transaction.atomic():
        claim_locks.to_store(scope)
        # two first states of a thread at one moment find one row: whoever opens it holds this lock
        claim_locks.alone(f"memos:working:{scope}/{report.thread_id}")
        rows = Memory.objects.select_for_update().filter(type=Type.WORKING, scope=scope, thread_id=report.thread_id)
        row = rows.filter(status__in=LIVE).first()
        if row is None:
            return Ingested(_open(report, payload, scope, source, trust=trust, at=at), created=True)
        if not (trust.sees(row) or may_continue(row, trust)):
            return Ingested(None, created=False)
        changed = _replace(row, report, payload, source, trust=trust, at=at)
        visible = trust.sees(row)
        return Ingested(row if visible else None, created=False, changed=changed)


def _content(report: WorkingStateReport) -> str:
    texts = (report.context_summary, "; ".join(action for action in report.next_actions if action.strip()))
    short_texts = (text.strip()[:LONGEST_TEXT].strip() for text in texts)
    return next(filter(None, short_texts), f"{report.thread_id} is {report.state}")


def _holds_secret(report: WorkingStateReport, payload: dict[str, Any]) -> bool:
    return credentials.is_in(as_text([report.thread_id, payload]))


def _sources(report: WorkingStateReport, source: str, *, at: datetime, former: Sequence[Any] = ()) -> dict[str, Any]:
    """Who has reported the state of the thread, each with the last time, the latest at the end."""
    entry = {"kind": Type.WORKING.value, "ref": report.thread_id, "created_by": source}
    other_entries = [entry for entry in former if entry.get("created_by") != source]
    return {"sources": [*other_entries, entry | {"timestamp": format_instant(report.timestamp or at)}][-MOST_SOURCES:]}


def _open(
    report: WorkingStateReport, payload: dict[str, Any], scope: str, source: str, *, trust: Trust, at: datetime
) -> Memory:
    secret = _holds_secret(report, payload)
    memory = admit_experience(
        _content(report),
        by=trust.actor,
        at=at,
        type=Type.WORKING,
        scope=scope,
        source=source,
        thread_id=report.thread_id,
        tags=report.tags,
        payload=payload,
        provenance=_sources(report, source, at=at),
        policy=report.deletion_policy,
        confidence=CONFIDENCE,
        sensitivity=sensitivity_of(report.sensitivity, secret=secret),
        secret=secret,
        half_life=HALF_LIFE["working"],
    )
    insert_memories([memory], by=trust.actor, at=at, after={"state": report.state})
    return memory


def _replace(
    row: Memory, report: WorkingStateReport, payload: dict[str, Any], source: str, *, trust: Trust, at: datetime
) -> bool:
    """Replace the state; True (and audited) when the state itself is another one."""
    before, former = row.payload.get("state"), row.content
    row.payload, row.content = payload, _content(report)
    withhold_state(row)
    row.tags = report.tags or row.tags
    row.provenance = _sources(report, source, at=at, former=row.provenance.get("sources", []))
    secret = _holds_secret(report, payload)
    level = sensitivity_of(report.sensitivity, secret=secret)
    rises = bool(report.sensitivity or secret) and level > row.sensitivity
    if rises:
        row.sensitivity = level
    if secret:
        row.flags = [SECRET]
    row.salience, row.salience_at, row.updated_at, row.version = 1.0, at, at, row.version + 1
    row.save(update_fields=REPLACED)
    if row.content != former:
        Passage.objects.rewrite(row)
    if rises:
        row.sensitivity_follows()
    if before == report.state:
        return False
    entry = row.audit("revise", by=trust.actor, at=at, before={"state": before}, after={"state": report.state})
    entry.save(force_insert=True)
    return True
