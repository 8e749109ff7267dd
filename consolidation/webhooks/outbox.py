"""Write what happened into the outbox of each webhook that may know of it, and send what is due."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from consolidation.execution import never
from consolidation.models import AuditCursor, Run, Webhook, WebhookDelivery
from consolidation.models.commands import CommandAttempt
from consolidation.models.redundancies import kept_only
from consolidation.models.runs import RUN
from consolidation.models.webhooks import Format, WebhookEvent
from consolidation.webhooks import chat, sending
from memories.models import AuditEntry, Memory, Proposal
from memories.models.trusted import new_id
from memories.scanning import masked_answers
from memories.values.choices import Sensitivity, Status
from memories.values.field_errors import format_instant
from skills.models import SkillVersion

JOB = "webhooks"
SINCE = timedelta(days=7)  # how far back is looked for what has no entry in the audit trail
AT_ONCE = 500
SLOW = timedelta(seconds=1)  # an answer that takes as long
LAST = UUID(int=(1 << 128) - 1)


@dataclass(frozen=True)
class Event:
    """Something that happened. `data` names rows, without their content: who may, asks for that with a token."""

    kind: WebhookEvent
    subject: UUID
    at: datetime
    scope: str
    sensitivity: int
    data: dict[str, Any]


def collect(*, at: datetime) -> int:
    """Write a message for each new event and webhook; how many webhooks there are. Events from before a webhook are
    not for it."""
    hooks = list(Webhook.objects.active())
    cursor = AuditCursor.of(JOB)
    if not hooks:
        cursor.advance(LAST, at=at)
        return 0
    oldest = max(min(hook.created_at for hook in hooks), at - SINCE)
    since = cursor.start(at=at)
    for batch in cursor.after(("create",), AT_ONCE, at=at):
        _write(hooks, list(_candidates({memory: _moment(entry) for entry, memory in batch})), at=at)
        cursor.advance(batch[-1][0], at=at)
    runs = [*_failed_runs(oldest), *_retried_runs(since, oldest)]
    _write(hooks, [*_ripened(oldest), *_published(oldest), *runs, *_harmful_skills(oldest)], at=at)
    return len(hooks)


def send_due(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Send what is due, one message after the other; how many tries.

    Waiting for one address would keep the messages to the others: one that gives no answer is left alone until the next
    job, and one that answers slowly is sent more only while nothing else is due.
    """
    tries, silent, slow = 0, set[UUID](), set[UUID]()
    while not should_stop() and (delivery := _next(now(), silent=silent, slow=slow)):
        tries += 1
        hook, begun = delivery.webhook, now()
        headers = {
            sending.SIGNATURE: sending.signature(hook.secret, delivery.body, at=now()),
            sending.EVENT: delivery.event,
            sending.DELIVERY: str(delivery.pk),
        }
        answer = sending.post(hook.url, delivery.body, headers, format=hook.format)
        ended = now()
        delivery.record(answered=answer.status, error=answer.error, at=ended)
        silent |= {hook.pk} if answer.status is None else set()
        slow |= {hook.pk} if ended - begun >= SLOW else set()
    return tries


def _next(at: datetime, *, silent: set[UUID], slow: set[UUID]) -> WebhookDelivery | None:
    prompt = WebhookDelivery.take(at, but=silent | slow)
    return prompt or (WebhookDelivery.take(at, but=silent) if slow else None)


def _write(hooks: Collection[Webhook], events: Collection[Event], *, at: datetime) -> None:
    WebhookDelivery.objects.add(
        [
            _delivery(hook, event, at=at)
            for event in events
            for hook in hooks
            if event.kind in hook.events and event.at >= hook.created_at and hook.trust.sees(event)
        ]
    )


def _delivery(hook: Webhook, event: Event, *, at: datetime) -> WebhookDelivery:
    id = new_id()
    if hook.format == Format.JSON:
        payload = {"id": str(id), "event": event.kind.value, "at": format_instant(event.at), "data": event.data}
    else:
        payload = chat.message(hook.format, event.kind, event.data)
    return WebhookDelivery(
        id=id,
        webhook=hook,
        event=event.kind,
        subject=event.subject,
        body=masked_answers.shown_json(json.dumps(payload, ensure_ascii=False)),
        scope=event.scope,
        sensitivity=event.sensitivity,
        next_at=at,
    )


def _place(memory: Memory) -> dict[str, Any]:
    return {"memory_id": str(memory.pk), "scope": memory.scope, "sensitivity": Sensitivity(memory.sensitivity).label}


def _moment(entry: UUID) -> datetime:
    """When an audit entry was made: an id of version 7 begins with its milliseconds."""
    return datetime.fromtimestamp((entry.int >> 80) / 1000, UTC)


def _candidates(created: Mapping[UUID, datetime]) -> Iterator[Event]:
    """Of the memories that were created those that wait for a decision."""
    rows = Memory.objects.filter(~kept_only(), pk__in=created, status=Status.CANDIDATE)
    for row in rows.only("type", "scope", "sensitivity").order_by("pk"):
        data = {**_place(row), "type": row.type}
        yield Event(WebhookEvent.CANDIDATE_CREATED, row.pk, created[row.pk], row.scope, row.sensitivity, data)


def _ripened(since: datetime) -> Iterator[Event]:
    """Skills, and facts about commands, that were only kept at first, and that people are asked about since more runs
    came."""
    waiting = Memory.objects.filter(~kept_only(), status=Status.CANDIDATE).order_by("pk")
    runs = CommandAttempt.objects.filter(fact__memory=OuterRef("pk")).order_by("-at").values("at")[:1]
    for kind, seen_at in ("pattern", F("pattern__last_seen_at")), ("commandfact", Subquery(runs)):
        rows: Any = waiting.filter(**{f"{kind}__isnull": False}).annotate(seen_at=seen_at)
        for row in rows.filter(seen_at__gte=since).only("type", "scope", "sensitivity"):
            data = {**_place(row), "type": row.type}
            yield Event(WebhookEvent.CANDIDATE_CREATED, row.pk, row.seen_at, row.scope, row.sensitivity, data)


def _published(since: datetime) -> Iterator[Event]:
    rows = SkillVersion.objects.filter(published_at__gte=since).select_related("skill__memory")
    for row in rows.order_by("published_at"):
        memory = row.skill.memory
        assert row.published_at is not None
        data = {**_place(memory), "name": row.skill.name, "version": row.number}
        yield Event(WebhookEvent.SKILL_PUBLISHED, row.pk, row.published_at, memory.scope, memory.sensitivity, data)


def _failed_runs(since: datetime) -> Iterator[Event]:
    """Each failure of a run is told: one after a retry has the id of that retry as its subject."""
    rows = list(Run.objects.filter(status=Run.Status.FAILED, finished_at__gte=since).order_by("finished_at"))
    retries = AuditEntry.objects.filter(subject_kind=RUN, subject_id__in=[row.pk for row in rows], action="retry")
    latest = dict(retries.order_by("at", "pk").values_list("subject_id", "pk"))
    for row in rows:
        assert row.finished_at is not None
        yield _failure(row, latest.get(row.pk, row.pk), row.finished_at, row.error)


def _retried_runs(since: UUID, oldest: datetime) -> Iterator[Event]:
    """The failures of runs that were tried again after this entry, before anybody was told of them perhaps."""
    entries = AuditEntry.objects.filter(subject_kind=RUN, action="retry")
    fresh = list(entries.filter(pk__gt=since, at__gte=oldest).order_by("pk"))
    runs = Run.objects.in_bulk([entry.subject_id for entry in fresh])
    for entry in fresh:
        if run := runs.get(entry.subject_id):
            former = entries.filter(subject_id=run.pk, pk__lt=entry.pk).order_by("pk").last()
            yield _failure(run, former.pk if former else run.pk, entry.at, (entry.before or {}).get("error", ""))


def _failure(run: Run, subject: UUID, at: datetime, error: str) -> Event:
    data = {"run_id": str(run.pk), "kind": run.kind, "scope": run.scope, "error": error[:500]}
    return Event(WebhookEvent.RUN_FAILED, subject, at, run.scope, run.sensitivity, data)


def _harmful_skills(since: datetime) -> Iterator[Event]:
    """Skills that fail too often, or whose offers do harm: people are asked to look at them."""
    rows = Proposal.objects.filter(kind=Proposal.Kind.FAILING, opened_at__gte=since).select_related("memory__skill")
    for row in rows.order_by("opened_at"):
        skill = getattr(row.memory, "skill", None)
        data = {**_place(row.memory), "proposal_id": str(row.pk), "name": skill.name if skill else None, "why": row.why}
        yield Event(WebhookEvent.SKILL_HARMS, row.pk, row.opened_at, row.scope, row.sensitivity, data)
