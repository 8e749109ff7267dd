"""Statements of users become candidate notes: those that they ask to keep, of themselves, and of how things are in
general, by which they correct an agent. Recognised while an episode is digested, written after that.

The message's row in the queue is put by the transaction that digests its episode and removed by the one that writes its
statements; an episode is one occasion of a claim. So a crash in between loses nothing and doubles nothing.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import F, Func, IntegerField, Q, QuerySet
from django.db.models.functions import Left, Length

from consolidation.learning.runs.run import Run
from consolidation.learning.statements.explicit_statements import (
    LONGEST_MESSAGE,
    TRIGGERS,
    ExplicitStatement,
    explicit_statements,
)
from consolidation.learning.statements.general_forms import REJECTION
from consolidation.learning.statements.general_statements import LONGEST_REPLY, general_statements
from consolidation.learning.statements.personal_forms import TRIGGERS as PERSONAL_TRIGGERS
from consolidation.learning.statements.personal_statements import (
    customer_of,
    is_of_speaker,
    names_a_customer,
    personal_statements,
    with_owner,
)
from consolidation.learning.statements.text_edits import LONGEST as LONGEST_TEXT
from consolidation.learning.statements.text_edits import draft_of, edits, final_text, kept_words
from consolidation.learning.statements.text_statements import (
    kind_of_text,
    names_of_kind,
    speaks_of_style,
    text_rules,
)
from consolidation.models.statement_messages import StatementMessage
from consolidation.patterns.text_edits import count_edits
from consolidation.pipelines import recorded
from consolidation.pipelines.attempts import Checkpoint, attempt_one, no_checkpoint
from memories import claims
from memories.claims import Likeness
from memories.intake.claims import Occasion, Statement, category_of, key_of, nearest, remember
from memories.intake.claims.near_duplicates import compare_with
from memories.intake.claims.reinforcement import Meeting, reinforce
from memories.intake.claims.writing import live_row, lock_key
from memories.intake.evidence import record_suppressed
from memories.intake.statements import WriteResult, evidence_sensitivity
from memories.lifecycle.ladder import Ladder
from memories.models import Episode, Event, Evidence, Memory, Passage
from memories.search.context.queries import ALL_TEXTS
from memories.values import roles, text
from memories.values.choices import LIVE, ActorKind, Category, Origin, Sensitivity, Status, Type
from memories.values.trust import Actor, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "consolidation")
TRUST = everything(BY)
ANY_TRIGGER = "|".join((*TRIGGERS, *PERSONAL_TRIGGERS))
REJECTED = REJECTION.replace(r"\b", r"\y")  # as PostgreSQL writes it
LONGEST_REQUEST = 400  # characters of a request in which a kind of text may be named
SHORTEST_DRAFT = 80  # characters
BYTES = 4  # that a character takes at most


def queue_messages(episodes: Iterable[Episode]) -> None:
    """Queue the user messages of these episodes that hold a statement. The database reads all of them, once; only those
    with a trigger leave it."""
    size = Func(F("text"), function="octet_length", output_field=IntegerField())  # does not unpack a long text
    messages = Event.objects.spoken_by(roles.USER).filter(episode__any=[episode.pk for episode in episodes], tool="")
    short = Q(size__gt=0, size__lte=BYTES * LONGEST_MESSAGE, letters__lte=LONGEST_MESSAGE)
    rejecting = Q(letters__lte=LONGEST_REPLY, text__iregex=REJECTED)
    kinds = _kinds_of_texts(messages)
    of_texts = Q(size__gt=0, size__lte=BYTES * LONGEST_TEXT, letters__lte=LONGEST_TEXT, episode__in=kinds)
    candidates = (
        messages.annotate(size=size, letters=Length("text"))
        .filter((short & (Q(text__iregex=ANY_TRIGGER) | rejecting)) | of_texts)
        .select_related("episode")
        .only("text", "episode__scope")
    )
    with_statements = [
        message
        for message in candidates.order_by()
        if statements_of(message.text)
        or general_statements(message.text)
        or (message.episode_id in kinds and _is_of_text(message.text, kinds[message.episode_id]))
    ]
    if with_statements:
        StatementMessage.objects.put(with_statements)


def _is_of_text(message: str, kind: str) -> bool:
    return bool(text_rules(message, "", kind) or final_text(message))


def _kinds_of_texts(messages: QuerySet[Event]) -> dict[UUID, str]:
    """The kind of text that each episode's first of these messages asks for, of those that ask for one."""
    first = messages.order_by("episode", "position").distinct("episode")
    starts = first.annotate(start=Left("text", LONGEST_REQUEST)).values_list("episode", "start")
    return {episode: kind for episode, start in starts if (kind := kind_of_text(start))}


def statements_of(message: str) -> list[ExplicitStatement]:
    """What a user's message asks to keep, and what it plainly tells of the user; of a sentence one of the two."""
    explicit = explicit_statements(message)
    quotes = {statement.quote for statement in explicit}
    return [
        *explicit,
        *(
            personal_statement
            for personal_statement in personal_statements(message)
            if personal_statement.quote not in quotes
        ),
    ]


def write_statements(scope: str, *, at: datetime, checkpoint: Checkpoint = no_checkpoint) -> Counter[str]:
    """Write the statements of the scope's queue, a transaction each message.

    Counters: facts_created, facts_reinforced, patterns_created, suppressed, failed.
    """
    counters: Counter[str] = Counter()
    for message in StatementMessage.objects.due().filter(scope=scope).order_by("pk"):
        counters.update(attempt_one(message, partial(_write, message, at=at)))
        checkpoint(0, counters)
    return counters


@transaction.atomic
def _write(message: StatementMessage, *, at: datetime) -> Counter[str]:
    counters: Counter[str] = Counter()
    event = Event.objects.select_related("episode__memory").filter(pk=message.pk).first()
    if event is not None and not _came_before(event):
        run = recorded.read([event.episode])[0].run
        customer = customer_of(run)
        kind = _kind_of_draft(event, run, customer)
        rules = text_rules(event.text, run.user_messages[0].text, kind) if kind else []
        if kind and (final := final_text(event.text)):
            counters += _count_edits(event, run, kind, final, at=at)
            event.text = event.text.strip().partition("\n")[0]  # what the text says is no statement
        statements = _unquoted(_stated(event, run, customer), rules)
        corrections = [*rules, *_unquoted(_corrections(event, run, customer), [*statements, *rules])]
        for explicit in [*statements, *corrections]:
            result = _remember(explicit, event, customer, kind=kind if explicit in rules else "", at=at)
            if explicit in corrections and result.memory and not result.suppressed:
                Passage.objects.write_request(result.memory, _request_of(event.episode))
            counters["facts_created"] += result.created
            counters["facts_reinforced"] += result.reinforced
            counters["suppressed"] += result.suppressed
    StatementMessage.objects.filter(pk=message.pk).delete()
    return +counters


def _count_edits(event: Event, run: Run, kind: str, final: str, *, at: datetime) -> Counter[str]:
    draft = draft_of(final, run, event.position)
    return count_edits(event, kind, edits(draft, final, kind), kept_words(draft, final), at=at) if draft else Counter()


def _stated(event: Event, run: Run, customer: str) -> list[ExplicitStatement]:
    """What a message states; of the request of a text, which holds what that is to say, only how it is written.

    Where calls name customers, and nobody can tell which of them speaks, only what is to be kept: "I usually pay by
    card" of one of many is no use to anybody, and wrong of the next.
    """
    is_known = customer or event.actor or event.episode.memory.company_id
    is_of_anybody = names_a_customer(run) and not is_known
    statements = explicit_statements(event.text) if is_of_anybody else statements_of(event.text)
    is_request = bool(run.user_messages) and run.user_messages[0].text == event.text
    if is_request and kind_of_text(event.text):
        return [statement for statement in statements if speaks_of_style(statement.quote)]
    return statements


def _unquoted(
    statements: Iterable[ExplicitStatement], other_statements: Iterable[ExplicitStatement]
) -> list[ExplicitStatement]:
    """Those of sentences that none of the others is of."""
    quotes = {other.quote for other in other_statements}
    return [statement for statement in statements if statement.quote not in quotes]


def _kind_of_draft(event: Event, run: Run, customer: str) -> str:
    """The kind of text of whose draft a message may speak; "" where none was asked for, and of a customer."""
    kind = kind_of_text(run.user_messages[0].text) if run.user_messages and not customer else ""
    return kind if _is_of_work(event, run) else ""


def _corrections(event: Event, run: Run, customer: str) -> list[ExplicitStatement]:
    """How things are in general, said by somebody who corrects an agent at work or its text: no customer."""
    return general_statements(event.text) if not customer and _is_of_work(event, run) else []


def _is_of_work(event: Event, run: Run) -> bool:
    """Whether a message is no first request and comes after work: calls, or the draft of a text that was asked for."""
    if run.user_messages[:1] and run.user_messages[0].text == event.text:
        return False
    drafts = (
        m for m in run.messages_of(roles.ASSISTANT) if m.position < event.position and len(m.text) >= SHORTEST_DRAFT
    )
    return bool(run.steps) or (bool(run.user_messages and kind_of_text(run.user_messages[0].text)) and any(drafts))


def _came_before(event: Event) -> bool:
    """Whether an earlier report of its conversation holds this message: who posts one anew whenever it has grown has
    heard it once."""
    memory = event.episode.memory
    if not memory.thread_id:
        return False
    place = {
        "memory__thread_id": memory.thread_id,
        "scope": memory.scope,
        "memory__sensitivity__lte": memory.sensitivity,
    }
    earlier = Episode.objects.filter(pk__lt=memory.pk, **place)
    return Event.objects.filter(episode__in=earlier, position=event.position, text=event.text).exists()


def _request_of(episode: Episode) -> Event:
    return (
        Event.objects.spoken_by(roles.USER)
        .filter(episode=episode)
        .select_related("episode__memory")
        .earliest("position")
    )


def _remember(explicit: ExplicitStatement, event: Event, customer: str, *, kind: str, at: datetime) -> WriteResult:
    """A new candidate through the gate, or one more occasion of the live memory that claims the same. `kind`: of a rule
    for this kind of texts, by which contexts find it."""
    statement = _statement(explicit, event, customer)
    if kind:
        is_of_all = not explicit.text.casefold().startswith(f"{kind.casefold()}: ")
        tags = [ALL_TEXTS] if is_of_all else names_of_kind(kind)
        statement = replace(statement, category=Category.PREFERENCE, tags=tags)
    occasion = Occasion.episode(event.episode_id, at=event.at, event_id=event.pk, quote=explicit.quote)
    lock_key(statement.scope, statement.key)
    if row := _same(statement, at=at):
        return _reinforce(row, statement, occasion, at=at)
    if live_row(statement.scope, statement.key, at=at):  # of other words that read alike in a key
        statement = replace(statement, key=f"{statement.key[:51]}-{text.short_hash(statement.content)}")
    closed_rows = _closed(statement)
    if Evidence.objects.filter(memory__in=closed_rows, occasion=occasion.name).exists():
        return WriteResult(None)  # the episode was digested again, and has spoken before
    if retracted_row := next((row for row in closed_rows if row.status == Status.RETRACTED), None):
        record_suppressed(retracted_row, {event.at: ""}, source=statement.source)
        return WriteResult(retracted_row, suppressed=True)
    return remember(statement, occasions=[occasion], by=BY, at=at)


def _statement(explicit: ExplicitStatement, event: Event, customer: str) -> Statement:
    """What was said, with its owner: wishes and rules of a customer are his alone, what others say of themselves is
    theirs, as far as the run names them; else the case in which it was said is kept with it."""
    episode, category = event.episode, Category(category_of(explicit.text))
    of_speaker = is_of_speaker(explicit.text)
    of_customer = bool(customer) and (of_speaker or category != Category.FACT)
    content = with_owner(explicit.text, customer if of_customer else event.actor if of_speaker else "")
    return Statement(
        content=content,
        key=key_of(content),
        scope=episode.scope,
        source=episode.source,
        confidence=Ladder.of_settings().direct,
        category=category,
        origin=Origin.EXTRACTED,
        company_id=episode.memory.company_id or (customer if of_customer else None),
        thread_id=episode.thread_id if of_speaker else None,
    )


def _same(statement: Statement, *, at: datetime) -> Memory | None:
    """The live memory that claims the same, under this key or another one; locked."""
    row = live_row(statement.scope, statement.key, at=at)
    if row and row.type == Type.SEMANTIC and compare_with(row, statement.content).likeness == Likeness.SAME:
        return row
    near = nearest(statement.content, scope=statement.scope, trust=TRUST)
    same = [neighbour.memory.pk for neighbour in near if neighbour.memory and neighbour.likeness == Likeness.SAME]
    rows = Memory.objects.select_for_update(of=("self",)).live().filter(pk__in=same[:1])
    return rows.first()


def _reinforce(row: Memory, statement: Statement, occasion: Occasion, *, at: datetime) -> WriteResult:
    """Count the occasion. Words and level of the memory stay, so that no quote may stand below that of its episode."""
    if evidence_sensitivity([occasion], statement.scope, TRUST) > row.sensitivity:
        occasion = replace(occasion, quote="")
    same_words = replace(statement, content=row.content)
    return reinforce(Meeting(row, same_words, TRUST, at, Sensitivity.PUBLIC), [occasion])


def _closed(statement: Statement) -> list[Memory]:
    """Closed memories of the same words."""
    words = Q(key=statement.key) | Q(fingerprint=claims.fingerprint(statement.claim, statement.scope))
    rows = Memory.objects.filter(words, scope=statement.scope, type=Type.SEMANTIC).exclude(status__in=LIVE)
    return list(rows.order_by("-updated_at"))
