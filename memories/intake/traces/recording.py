"""Record the spans of traces: each trace is an episode, which its spans join as they come. What comes again changes
nothing, and what a person has forgotten is not stored again.

A trace's first episode has the trace's id as its own id; what comes after it was closed opens another of its thread.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from memories.intake.admission import sensitivity_of
from memories.intake.episodes import sensitivity
from memories.intake.episodes.closing import set_outcome
from memories.intake.episodes.events import record_events
from memories.intake.episodes.new_rows import forgotten_episodes
from memories.intake.reports.drafts import UNANSWERED_CALL, EventDraft
from memories.intake.reports.events import SpanReport
from memories.intake.traces.otlp import Span
from memories.intake.traces.run_events import TraceContents, events
from memories.models import AuditEntry, Episode, Event, Passage
from memories.models.claim_locks import ALONE
from memories.scanning import SECRET, secret_removal
from memories.values.choices import Outcome
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Trust

Trace = tuple[str, str, str]  # scope, source, trace id
NO_TRACE = "traceId must be 32 hexadecimal digits, not all zero, and spanId 16"
UNNAMED = "unknown_service"  # what SDKs call a service that nobody named
MASKED = ("text", "args", "result")
ANSWERED = ("ref", "result", "ok", "latency_ms", "flags")  # of a call that waited


@dataclass
class Recorded:
    """What came of spans. `rejected`: reason -> number of spans."""

    spans: int = 0
    events: int = 0
    rejected: dict[str, int] = field(default_factory=lambda: defaultdict(int))


@dataclass
class _TraceEpisodes:
    """The episodes of a trace. `first`: the one that has its id; `opened_by` another agent: not the caller's."""

    first: Episode | None = None
    latest: Episode | None = None
    contents: TraceContents = field(default_factory=TraceContents)
    waiting: dict[str, Event] = field(default_factory=dict)  # calls that nobody has answered, by their refs
    answers: dict[str, EventDraft] = field(default_factory=dict)  # to these


def record_spans(spans: Sequence[Span], *, trust: Trust, at: datetime, mask: bool) -> Recorded:
    """Store what these spans say. `mask`: credentials are removed first.

    Spans without a trace, and those of a trace that another agent began, are rejected and counted. Where all are, it
    raises the refusal: Invalid, NotAllowed or Conflict.
    """
    result, traces, refusals = Recorded(len(spans)), defaultdict[Trace, list[Span]](list), list[Exception]()
    for span in spans:
        try:
            traces[_place(span, trust)].append(span)
        except (Invalid, NotAllowed) as refusal:
            refusals.append(refusal)
            result.rejected[str(refusal)] += 1
    with transaction.atomic():
        _lock(traces)
        states = _episodes_of(traces, at=at)
        for trace in [*states]:
            former = states[trace].latest
            if former and former.memory.created_by_id != trust.actor.identity:
                refusals.append(Conflict(f"the trace {trace[2]} was begun by another agent"))
                result.rejected[str(refusals[-1])] += len(traces[trace])
                del states[trace]
        reports = [
            report for trace, row in states.items() for report in _reports(trace, traces[trace], row, result, mask=mask)
        ]
        _store(reports, states, trust=trust, at=at)
        _answer([row for row in states.values() if row.answers], trust=trust, at=at)
        _fail(states, traces, trust=trust, at=at)
    result.events = len(reports)
    if spans and sum(result.rejected.values()) == len(spans) and refusals:
        raise refusals[0]
    return result


def _place(span: Span, trust: Trust) -> Trace:
    if not span.trace or not span.id:
        raise Invalid(FieldError("", "no_trace", NO_TRACE))
    service = str(span.resource.get("service.name") or "")
    source = span.resource.get("memos.source") or ("" if service.startswith(UNNAMED) else service)
    scope = span.resource.get("memos.scope")
    if scope and not re.fullmatch(SCOPE, str(scope)):
        raise Invalid(FieldError("", "invalid", f"memos.scope is no name of a scope: {SCOPE_IN_WORDS}"))
    return trust.scope_to_write(str(scope) if scope else None), trust.source_to_write(str(source)[:128]), span.trace


def _lock(traces: Iterable[Trace]) -> None:
    """Two requests with spans of one trace wait for each other; all lock in the same order."""
    with connection.cursor() as cursor:
        cursor.execute(ALONE, [sorted(f"memos:trace:{'/'.join(trace)}" for trace in traces)])


def _episodes_of(traces: Iterable[Trace], *, at: datetime) -> dict[Trace, _TraceEpisodes]:
    """The stored state of each trace; traces that a person has forgotten are left out."""
    by_trace: dict[Trace, _TraceEpisodes] = {trace: _TraceEpisodes() for trace in traces}
    by_episode: dict[Any, Trace] = {}
    trace_filter = Q(pk__in=[])
    for (scope, source), ids in _by_place(by_trace).items():
        trace_filter |= Q(scope=scope, source=source, memory__thread_id__in=ids)
    for episode in Episode.objects.select_related("memory").filter(trace_filter).order_by("pk"):
        trace = (episode.scope, episode.source, episode.thread_id or "")
        if state := by_trace.get(trace):
            by_episode[episode.pk] = trace
            state.first = episode if episode.external_id == external_id(trace[2]) else state.first
            state.latest = episode
    stored_events = Event.objects.filter(episode__in=by_episode).values_list(
        "episode", "ref", "tool", "role", "pk", "flags"
    )
    unanswered_ids = []
    for pk, ref, tool, role, event_id, flags in stored_events:
        by_trace[by_episode[pk]].contents.add(ref, tool, role, flags)
        unanswered_ids += [event_id] if UNANSWERED_CALL in flags else []
    for row in Event.objects.filter(pk__in=unanswered_ids, episode__closed_at=None).order_by("position"):
        state = by_trace[by_episode[row.episode_id]]
        state.waiting[row.ref], state.contents.waiting[row.ref] = row, (row.tool, row.args)
    names = {(scope, source, external_id(id)) for (scope, source, id), state in by_trace.items() if not state.first}
    forgotten_names = forgotten_episodes(names, at=at) if names else set()
    return {
        (scope, source, id): state
        for (scope, source, id), state in by_trace.items()
        if (scope, source, external_id(id)) not in forgotten_names
    }


def external_id(trace: str) -> str:
    return f"trace:{trace}"


def _by_place(traces: Iterable[Trace]) -> Mapping[tuple[str, str], list[str]]:
    by_place: dict[tuple[str, str], list[str]] = defaultdict(list)
    for scope, source, id in traces:
        by_place[scope, source].append(id)
    return by_place


def _reports(
    trace: Trace, spans: Sequence[Span], state: _TraceEpisodes, result: Recorded, *, mask: bool
) -> Iterator[SpanReport]:
    """The new events of one trace; spans that cannot be read are counted as rejected."""
    scope, source, id = trace
    reports = events(spans, state.contents)
    for reason in reports.reasons.values():
        result.rejected[f"a span cannot be read: {reason}"] += 1
    if mask:
        _mask([*reports.new_drafts, *reports.answers.values()])
    state.answers = reports.answers
    for draft in reports.new_drafts:
        yield SpanReport(draft, scope, source, id, None if state.first else external_id(id))


def _store(
    reports: Sequence[SpanReport], states: Mapping[Trace, _TraceEpisodes], *, trust: Trust, at: datetime
) -> None:
    """Store the events of all traces at once, and note the episode that each trace has now."""
    answers = record_events(reports, trust=trust, at=at) if reports else []
    for report, answer in zip(reports, answers, strict=True):
        if isinstance(answer, Exception):
            raise answer
        if answer.memory:
            states[report.scope, report.source, report.thread_id].latest = answer.memory.episode


def _answer(states: Sequence[_TraceEpisodes], *, trust: Trust, at: datetime) -> None:
    """Give calls that waited what came of them; what holds a secret makes their episode as secret as any event."""
    answered_calls: list[Event] = []
    for state in states:
        for ref, draft in state.answers.items():
            row = state.waiting[ref]
            row.ref, row.result, row.ok, row.latency_ms = draft.ref, draft.result, draft.ok, draft.latency_ms
            row.flags = [name for name in row.flags if name != UNANSWERED_CALL] + [SECRET] * draft.holds_secret
            answered_calls.append(row)
    Event.objects.bulk_update(answered_calls, ANSWERED)
    Passage.objects.filter(event__in=answered_calls).delete()
    Passage.objects.write_events(answered_calls)
    Episode.objects.filter(pk__in={row.episode_id for row in answered_calls}).update(last_event_at=at)
    memories = [
        state.latest.memory
        for state in states
        if state.latest and any(draft.holds_secret for draft in state.answers.values())
    ]
    sensitivity.flag(memories)
    level = sensitivity_of(None, secret=True)
    AuditEntry.objects.bulk_create(sensitivity.raise_together(dict.fromkeys(memories, level), by=trust.actor, at=at))


def _fail(
    states: Mapping[Trace, _TraceEpisodes], traces: Mapping[Trace, list[Span]], *, trust: Trust, at: datetime
) -> None:
    """A run failed whose root span says so; a root that went well says nothing about the task."""
    for trace, row in states.items():
        if row.latest and any(span.failed and not span.parent for span in traces[trace]):
            set_outcome(row.latest, Outcome.FAILURE, trust=trust, source=trace[1], at=at)


def _mask(drafts: Iterable[EventDraft]) -> None:
    for draft in drafts:
        values = {name: getattr(draft, name) for name in MASKED}
        for name, value in secret_removal.without_secrets(values).items():
            setattr(draft, name, value)
