"""The events of one trace: what its spans say, each thing once, in the order in which it happened. Pure.

Each span of a model repeats the messages before it. A message is known by what it says and which time it says it, a
call by its id; that is the `ref` of its event, so that what is sent again is known again.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memories.intake.reports.drafts import UNANSWERED_CALL, EventDraft
from memories.intake.reports.messages import Reader, cut
from memories.intake.traces import conventions
from memories.intake.traces.conventions import Messages, ToolCall
from memories.intake.traces.otlp import Span
from memories.values import roles
from memories.values.exceptions import Invalid
from memories.values.field_errors import LONGEST_NAME
from memories.values.field_types import LONGEST_TEXT

OF_SPAN = "span:"  # begins the ref of a call that nothing gives an id


@dataclass
class TraceContents:
    """What is stored of a trace: the refs of its events, its tools whose calls have no id, whether a user spoke.
    `waiting`: the tool and the arguments of each call of its open episode that nobody has answered, by its ref.
    `settled`: the refs of what waits for nothing."""

    refs: set[str] = field(default_factory=set)
    settled: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    user_spoke: bool = False
    waiting: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def add(self, ref: str, tool: str, role: str, flags: Collection[str]) -> None:
        self.refs.add(ref)
        if UNANSWERED_CALL not in flags:
            self.settled.add(ref)
        self.user_spoke |= roles.of(role) == roles.USER
        if ref.startswith(OF_SPAN):
            self.tools.add(tool)

    def is_new(self, draft: EventDraft) -> bool:
        """Also the answer to a call that waited in an episode which was closed meanwhile: it begins another."""
        return draft.ref not in (self.refs if UNANSWERED_CALL in draft.flags else self.settled)

    def answered_by(self, draft: EventDraft) -> str | None:
        """The ref of the waiting call whose answer this is: it has this ref, or says the same without an id."""
        if draft.tool == "" or UNANSWERED_CALL in draft.flags:
            return None
        refs = (ref for ref, (tool, args) in self.waiting.items() if tool == draft.tool and draft.args in (args, {}))
        return draft.ref if draft.ref in self.waiting else next(refs, None)


@dataclass
class TraceEvents:
    """`new_drafts`: new events of a trace, by time. `answers`: what waiting calls became, by the ref that they had.
    `reasons`: why spans could not be read, by their ids."""

    new_drafts: list[EventDraft]
    answers: dict[str, EventDraft]
    reasons: dict[str, str]


def events(spans: Iterable[Span], contents: TraceContents) -> TraceEvents:
    reasons: dict[str, str] = {}
    drafts = _drafts(spans, contents, reasons)
    answers: dict[str, EventDraft] = {}
    new_drafts: list[EventDraft] = []
    for draft in sorted(filter(contents.is_new, drafts.values()), key=lambda draft: _moment(draft.at)):
        if ref := contents.answered_by(draft):
            answers[ref] = draft
            del contents.waiting[ref]
        else:
            new_drafts.append(draft)
    return TraceEvents(new_drafts, answers, reasons)


def _drafts(spans: Iterable[Span], contents: TraceContents, reasons: dict[str, str]) -> dict[str, EventDraft]:
    """The events that the spans tell, by their refs; spans that cannot be read go into `reasons`."""
    readings = sorted(((span, conventions.read(span)) for span in spans), key=lambda pair: _moment(pair[0].start))
    drafts: dict[str, EventDraft] = {}
    for span, attributes in readings:
        if attributes and attributes.call:
            _keep(_of_call(span, attributes.call), drafts, reasons, span)
    tools = contents.tools | {draft.tool for ref, draft in drafts.items() if ref.startswith(OF_SPAN)}
    for span, attributes in readings:
        if attributes and (attributes.inputs or attributes.outputs):
            _keep(_of_messages(span, attributes.inputs, attributes.outputs, tools), drafts, reasons, span)
    if not contents.user_spoke and not any(draft.role == roles.USER for draft in drafts.values()):
        for span, attributes in readings:
            if attributes and not span.parent and (attributes.request or attributes.reply):
                _keep(_of_run(span, attributes), drafts, reasons, span)
    return drafts


def _moment(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0


def _order(draft: EventDraft) -> tuple[bool, float]:
    """Sort key of two events of one ref: the one with a result is kept, then the earlier."""
    return UNANSWERED_CALL in draft.flags, _moment(draft.at)


def _keep(new_drafts: Iterable[EventDraft], drafts: dict[str, EventDraft], reasons: dict[str, str], span: Span) -> None:
    try:
        for draft in list(new_drafts):
            former = drafts.get(draft.ref, draft)
            preferred, other = sorted((former, draft), key=_order)
            if isinstance(other.args, dict) and not isinstance(preferred.args, dict):
                preferred.args = other.args  # spans of LangChain tell a single argument without its name
            drafts[draft.ref] = preferred
    except Invalid as invalid:
        reasons[span.id] = "; ".join(f"{error.pointer} {error.detail}".strip() for error in invalid.errors[:3])


def _of_call(span: Span, call: ToolCall) -> Iterator[EventDraft]:
    """The call of a span of its own. `ok` is what its status says: unset is unknown."""
    messages = [
        {"role": "assistant", "tool_calls": [{"function": {"name": call.tool[:LONGEST_NAME], "arguments": call.args}}]}
    ]
    answer = {"role": "tool", "name": call.tool[:LONGEST_NAME], "content": conventions.as_content(call.result)}
    [draft, *_others] = Reader().read([*messages, answer])
    draft.ref = call.id[:LONGEST_NAME] or f"{OF_SPAN}{span.id}"
    draft.ok = None if span.failed is None else not span.failed
    draft.at = span.start
    if span.start and span.end and span.end >= span.start:
        draft.latency_ms = (span.end - span.start).total_seconds() * 1000
    yield draft


def _of_messages(span: Span, inputs: Messages, outputs: Messages, tools: Collection[str]) -> Iterator[EventDraft]:
    """The messages of a model's span, and its calls of tools that have no span of their own."""
    times: Counter[str] = Counter()
    for messages, at in ((inputs, span.start), (outputs, span.end or span.start)):
        for draft in Reader().read([_cut_message(message) for message in messages]):
            draft.at = at
            if draft.kind == "message":
                name = _digest([roles.of(draft.role), draft.text])
            elif draft.kind == "tool_call" and draft.tool not in tools:
                name = draft.ref or _digest([draft.tool, draft.args])
            else:
                continue  # a span tells it
            times[name] += 1
            draft.ref = name if draft.kind == "tool_call" and draft.ref else f"{name}:{times[name]}"
            yield draft


def _of_run(span: Span, content: conventions.SpanContent) -> Iterator[EventDraft]:
    for role, text, at in ((roles.USER, content.request, span.start), (roles.ASSISTANT, content.reply, span.end)):
        if text:
            ref = f"{_digest([role, text])}:1"
            yield EventDraft("message", role, ref=ref, text=cut(text), at=at)


def _cut_message(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    return {**message, "content": cut(content)} if isinstance(content, str) and len(content) > LONGEST_TEXT else message


def _digest(words: list[Any]) -> str:
    return hashlib.sha256(json.dumps(words, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:24]
