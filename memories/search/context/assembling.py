"""Assembly of a context, from the task to the text block. Parts that fail or take too long are left out and named."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from memories.embedding import Array, EmbeddingError
from memories.models import AuditEntry, EmbeddingModel, Memory
from memories.models.as_of import AsOf
from memories.models.vector import Serving
from memories.search import emphasis, filters, updates
from memories.search.context import queries, quotes, recording, rendering, selection
from memories.search.context.queries import ContextQuery, company_in
from memories.search.context.quotes import Quote
from memories.search.context.recording import InjectedContext
from memories.search.context.selection import Hit, MemoryWithQueries, Ration
from memories.search.context.time_budget import Allowance
from memories.search.former_words import FormerWords
from memories.search.question import vector_of
from memories.search.ranking import Scores
from memories.search.request import ContextRequest
from memories.values import links
from memories.values.choices import ActorKind, Category, Hold, Origin, Status, Type
from memories.values.trust import Trust
from memos_site.platform.postgres import replicas

ANSWER_WITHIN = 1.8  # seconds, of the two that are promised
FOR_THE_SEARCH, FOR_THE_ANSWER = 0.45, 0.2  # shares of it reserved for later parts
FOR_KIND = 2 / 3  # of the tokens, for the rules of a kind of text
SKILL = "skill"


def status_of(degraded: Collection[str]) -> str:
    return "degraded" if degraded else "ok"


@dataclass(frozen=True)
class Item:
    """One line of a context. A directive is to be followed; anything else is a hint, to be overridden for a reason.

    `unreviewed`: the line says that one other agent alone has said it. `until`: that it held until then.
    """

    memory: Memory
    directive: bool = False
    unreviewed: bool = False
    until: datetime | None = None

    @property
    def category(self) -> str:
        return SKILL if self.memory.type == Type.COMPETENCE else self.memory.category or "fact"

    @property
    def overridable(self) -> bool:
        return not self.directive

    @property
    def url(self) -> str | None:
        """The download URL of a skill's package, else None."""
        skill = self._skill
        return links.skill_package(skill["name"], skill["version"], scope=self.memory.scope) if skill else None

    @property
    def name(self) -> str | None:
        """The name of a skill, else None."""
        return self._skill["name"] if self._skill else None

    @property
    def line(self) -> str:
        skill, text = self._skill, self.memory.content
        if skill:
            text = f"{skill['name']}: {text} ({self.url})"
        kind = f"{self.category}, {filters.MARK}" if self.unreviewed else self.category
        kind += f", until {self.until:%Y-%m-%d}" if self.until else ""
        return rendering.line(kind, text, self.memory.confidence)

    @property
    def _skill(self) -> dict[str, Any]:
        return self.memory.payload.get("skill") or {} if self.memory.type == Type.COMPETENCE else {}


class ReadTask(NamedTuple):
    """The text of a task that is compared, with its vector by the serving model."""

    text: str
    model: Serving
    vector: Array | None


@dataclass(frozen=True)
class Context:
    """An assembled context. `items` in the order of the block's lines. `unknown`: the task, if no memory fits it;
    `quotes`: for that task. `degraded`: which parts are missing.
    """

    items: list[Item] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    degraded: tuple[str, ...] = ()
    token_budget: int = 0
    unknown: ReadTask | None = None

    @property
    def block(self) -> str:
        memory_block = rendering.block(item.line for item in self.items)
        tokens_left = self.token_budget - -(-rendering.quarters(f"{memory_block}\n\n") // 4)
        return "\n\n".join(part for part in (memory_block, quotes.block(self.quotes, token_budget=tokens_left)) if part)

    @property
    def memory_status(self) -> str:
        return status_of(self.degraded)


def assemble(
    request: ContextRequest,
    *,
    trust: Trust,
    at: datetime,
    without: Collection[UUID] = (),
    ration: Ration | None = None,
    kinds: Sequence[str] = (),
) -> Context:
    """Assemble a context for a task; for an agent the uses are counted and recorded and adaptations announced, except
    with `as_of`. `without`: memories to leave out; `ration`: a limit for some of them; `kinds`: of the text to write,
    the widest last; their rules come first and do not count against `limit`.

    Answers within two seconds with what it has. OperationalError, InterfaceError: the database is unavailable. Must not
    be called inside a transaction: an endpoint may embed the task.
    """
    allowance = Allowance(ANSWER_WITHIN)
    reader, task = request.narrows(trust), request.task.strip()
    source = request.source or trust.actor.name
    moment = AsOf.of(request.as_of, max_sensitivity=reader.max_sensitivity, now=at)
    companies = _companies(request, reader, task, moment, allowance)
    query = ContextQuery(reader, companies, moment.at if moment else at, moment)
    standing_hits = _standing_hits(query, source, kinds, allowance)
    read_task = _read_task(task, allowance)
    task_hits = _task_hits(request, query, read_task, allowance) if read_task else None
    hits = [*(task_hits or ()), *(standing_hits if task_hits != [] else _hits_of_any_task(standing_hits))]
    unknown = read_task if task_hits == [] and not moment else None
    select = partial(_select, request, query, hits, without, ration, kinds)
    entries, rows, directives, end_times = allowance.part("memories", select, keeping=0.1) or ([], [], set(), {})
    notices = None
    if trust.actor.kind == ActorKind.AGENT and moment is None:
        withheld_ids = _withheld_ids(ration, rows, allowance)
        entries = [entry for entry in entries if entry.memory not in withheld_ids]
        rows = [row for row in rows if row.pk not in withheld_ids]
        context = InjectedContext(trust, source, entries, rows, status_of(allowance.degraded))
        with replicas.primary():
            allowance.part("use", lambda: recording.count(context, request, query), keeping=0.05)
            if not trust.sources or source in trust.sources:
                notices = allowance.part("notices", lambda: recording.announce(query, source))
    rows_by_confidence = sorted(rows, key=lambda row: -row.confidence)
    dated_rows = updates.newest_first(rows_by_confidence, lambda row: row)
    items = [Item(row, row.pk in directives, filters.is_marked(row, trust), end_times[row.pk]) for row, _ in dated_rows]
    degraded = tuple(dict.fromkeys(allowance.degraded))
    return Context(items, notices or [], degraded=degraded, token_budget=request.token_budget, unknown=unknown)


def with_quotes(
    context: Context, request: ContextRequest, *, trust: Trust, at: datetime, allowance: Allowance
) -> Context:
    """Add quotes of what was said before to a context that knows nothing of the task."""
    if context.unknown is None or not request.quotes:
        return context
    text, model, vector = context.unknown
    options: dict[str, Any] = {"most": request.quotes, "thread_id": request.thread_id or ""}
    search = partial(quotes.quotes, text, vector, model, trust=request.narrows(trust), at=at, **options)
    return replace(context, quotes=allowance.part("quotes", search) or [])


def _withheld_ids(ration: Ration | None, rows: Collection[Memory], allowance: Allowance) -> Collection[UUID]:
    """The chosen memories to withhold from this run."""
    rationed_rows = [row for row in rows if ration and ration.has(row)]
    if ration is None or not rationed_rows:
        return ()
    with replicas.primary():
        return allowance.part("use", partial(ration.withhold, rationed_rows), keeping=0.05) or ()


def _companies(
    request: ContextRequest, trust: Trust, task: str, moment: AsOf | None, allowance: Allowance
) -> tuple[str, ...]:
    if request.company_id:
        return (request.company_id,)
    companies = partial(company_in, task, trust=trust, moment=moment)
    return (allowance.part("company", companies, keeping=0.7) or ()) if task else ()


def _read_task(task: str, allowance: Allowance) -> ReadTask | None:
    """None: there is no task."""
    if not task:
        return None
    text, serving = emphasis.excerpt(task), EmbeddingModel.objects.serving_with_mean
    model = allowance.part("embedding", serving, keeping=FOR_THE_SEARCH) or Serving("", None)
    return ReadTask(text, model, _vector(text, model, allowance))


def _task_hits(
    request: ContextRequest, query: ContextQuery, read_task: ReadTask, allowance: Allowance
) -> list[Hit] | None:
    """The hits of the task's text. Empty: nothing is known of the task. None: it could not be searched."""
    text, model, vector = read_task

    def search() -> Scores:
        former = FormerWords.of(query.filter, query.moment, model=model.name) if query.moment else None
        allowance.degraded += former.degraded if former else ()
        return queries.answering_passages(text, vector, model, query.filter, at=query.at, former=former)

    answer = allowance.part("search", search, keeping=FOR_THE_ANSWER)
    return None if answer is None else queries.best(answer, most=max(queries.BY_TASK, request.limit))


def _standing_hits(query: ContextQuery, source: str, kinds: Sequence[str], allowance: Allowance) -> list[Hit]:
    """Hits of the other queries: by kind of text, company and source."""
    of_kind = allowance.part("memories", lambda: queries.by_kind(query, kinds), keeping=0.6) or []
    of_company = allowance.part("company", lambda: queries.by_company(query), keeping=0.6) or []
    return (
        of_kind + of_company + (allowance.part("source", lambda: queries.by_source(query, source), keeping=0.5) or [])
    )


def _hits_of_any_task(hits: list[Hit]) -> list[Hit]:
    """The hits to use when the task finds nothing: those of its company and kind, and preferences of its source."""
    return [hit for hit in hits if hit.why != queries.OF_SOURCE or hit.is_wish]


def _vector(task: str, model: Serving, allowance: Allowance) -> Array | None:
    if not model.name:
        return None
    try:
        patience = max(0.05, allowance.seconds_left(keeping=FOR_THE_SEARCH))
        return vector_of(task, model, patience=patience)
    except EmbeddingError as error:
        allowance.missing("embedding", error)
        return None


def _select(
    request: ContextRequest,
    query: ContextQuery,
    hits: list[Hit],
    without: Collection[UUID],
    ration: Ration | None,
    kinds: Sequence[str],
) -> tuple[list[MemoryWithQueries], list[Memory], set[UUID], dict[UUID, datetime | None]]:
    """Reload the selected memories, leaving out those deleted, or raised above the caller, since the search.

    Returns entries, their memories, the ids of directives, and for each memory when a newer state of it was stored,
    even if that does not fit into the block.
    """
    merged_hits = [hit for hit in selection.merge(hits) if hit.memory not in without]
    ids = [merged_hit.memory for merged_hit in merged_hits]
    rows = {row.pk: row for row in query.rows().filter(pk__in=ids)} if ids else {}
    rows = {id: row for id, row in rows.items() if not _is_of_other_texts(row, kinds)}
    order = selection.rank(merged_hits, {id: row.confidence for id, row in rows.items()})
    decided_ids = {id for id, row in rows.items() if row.hold == Hold.FLOOR}
    order = selection.without_repeats(order, {id: row.content for id, row in rows.items()}, decided_ids)
    order = ration.best(order, rows) if ration else order
    dated_entries = updates.newest_first(order, lambda entry: rows[entry.memory])
    end_times = {entry.memory: until for entry, until in dated_entries}
    lines = {id: _line(rows[id], query.trust, until) for id, until in end_times.items()}
    kind_entries, other_entries = (
        [entry for entry, _ in dated_entries if (queries.OF_KIND in entry.whys) is kind] for kind in (True, False)
    )
    budget = request.token_budget
    entries = selection.fit(kind_entries, lines, limit=queries.BY_KIND, token_budget=int(FOR_KIND * budget))
    entries += selection.fit(other_entries, lines, limit=request.limit, token_budget=budget, beside=entries)
    memories = [rows[entry.memory] for entry in entries]
    return entries, memories, directives_among(memories, query.moment), end_times


def _is_of_other_texts(row: Memory, kinds: Sequence[str]) -> bool:
    """Whether it is a rule that somebody gave about a draft of another kind of text than `kinds`."""
    if (row.origin, row.category) != (Origin.EXTRACTED, Category.PREFERENCE):
        return False
    own_tag = next((tag for tag in row.tags if row.content.casefold().startswith(f"{tag.casefold()}: ")), None)
    return own_tag is not None and own_tag not in kinds and kinds[:1] != [row.tags[-1]]


def _line(row: Memory, trust: Trust, until: datetime | None) -> str:
    return Item(row, unreviewed=filters.is_marked(row, trust), until=until).line


def directives_among(memories: Collection[Memory], moment: AsOf | None = None) -> set[UUID]:
    """The ids of directives: memories that a person taught, or promoted to applied without a later demotion.

    `moment`: as of which `memories` were read. Confidence alone never makes a directive.
    """
    decided_rows = [row for row in memories if row.hold == Hold.FLOOR]
    taught_ids = {row.pk for row in decided_rows if row.origin == Origin.TAUGHT}
    applied_ids = {row.pk for row in decided_rows if row.status == Status.APPLIED} - taught_ids
    entries = AuditEntry.objects.filter(at__lte=moment.at) if moment else AuditEntry.objects.all()
    return taught_ids | (applied_ids - entries.applied_by_a_rule(applied_ids) if applied_ids else set())
