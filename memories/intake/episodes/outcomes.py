"""Set the outcome of an episode that is reported afterwards."""

from datetime import datetime

from django.db import transaction

from memories.intake.episodes.closing import set_outcome, source_of
from memories.intake.episodes.joining import add_tags
from memories.intake.episodes.new_rows import Ingested
from memories.intake.episodes.sensitivity import first_to_continue
from memories.intake.reports.events import OutcomeReport
from memories.models import Memory
from memories.values.choices import Outcome, Type
from memories.values.exceptions import FieldError, Invalid, NotFound
from memories.values.trust import Trust


def outcome(report: OutcomeReport, *, trust: Trust, at: datetime) -> Ingested:
    """Set the outcome of an episode and close it; a later one replaces the first, unless a person said it.

    NotFound: no such memory, or not to be seen; Invalid: it is no episode; NotAllowed: it is another agent's, or not in
    the caller's scopes.
    """
    source = trust.source_to_write(report.source)
    rows = Memory.objects.select_related("episode").filter(pk=report.target_record_id)
    memory = rows.visible_to(trust).first() or first_to_continue(rows, trust)
    if memory is None:
        raise NotFound("no such memory")
    if memory.type != Type.EPISODIC:
        detail = f"target record {memory.pk} is not episodic"
        raise Invalid(FieldError("/target_record_id", "not_episodic", detail, names_field=True))
    given = {"latency_ms": report.latency_ms, "note": report.note}
    details = {name: value for name, value in given.items() if value not in (None, "")}
    trust.scope_to_write(memory.scope)
    outcome_said = Outcome(report.outcome_status)
    with transaction.atomic():
        said_by = source_of(memory.episode, trust)
        changed = set_outcome(
            memory.episode, outcome_said, trust=trust, source=source, at=at, details=details, said_by=said_by
        )
        if changed:
            add_tags({memory: report.tags}, at=at)
    visible = trust.sees(scope=memory.scope, sensitivity=memory.sensitivity)
    return Ingested(memory if visible else None, created=False, changed=changed)
