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
from memories.search.context.selection import Hit, Merged, Rationed
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
    """An assembled context. `items` in the order of the block's lines. `unknown`: the task, where nothing is known of
    it; `quotes`: what was said of that. `degraded`: which parts are missing.
    """

    items: list[Item] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    degraded: tuple[str, ...] = ()
    token_budget: int = 0
    unknown: ReadTask | None = None

    @property
    def block(self) -> str:
        known = rendering.block(item.line for item in self.items)
        left = self.token_budget - -(-rendering.quarters(f"{known}\n\n") // 4)
        return "\n\n".join(part for part in (known, quotes.block(self.quotes, token_budget=left)) if part)

    @property
    def memory_status(self) -> str:
        return status_of(self.degraded)


def assemble(
    request: ContextRequest,
    *,
    trust: Trust,
    at: datetime,
    without: Collection[UUID] = (),
    rationed: Rationed | None = None,
    kinds: Sequence[str] = (),
) -> Context:
    """Assemble a context for a task; for an agent the uses are counted, recorded and adaptations announced, unless it
    is one of then (`as_of`). `without`: memories that are left out; `rationed`: those of which few are given; `kinds`:
    of the text that is asked for, the wider one last; their rules come first, and beside `limit`.

    Answers within two seconds with what it has. OperationalError, InterfaceError: the database is unavailable. Must not
    be called inside a transaction: an endpoint may embed the task.
    """
    allowance = Allowance(ANSWER_WITHIN)
    seen, task = request.narrows(trust), request.task.strip()
    source = request.source or trust.actor.name
    moment = AsOf.of(request.as_of, max_sensitivity=seen.max_sensitivity, now=at)
    companies = _companies(request, seen, task, moment, allowance)
    wanted = ContextQuery(seen, companies, moment.at if moment else at, moment)
    standing = _standing(wanted, source, kinds, allowance)
    asked = _asked(task, allowance)
    by_task = _by_task(request, wanted, asked, allowance) if asked else None
    hits = [*(by_task or ()), *(standing if by_task != [] else _of_any_task(standing))]
    unknown = asked if by_task == [] and not moment else None
    choice = partial(_chosen, request, wanted, hits, without, rationed, kinds)
    chosen, rows, directives, ended = allowance.part("memories", choice, keeping=0.1) or ([], [], set(), {})
    notices = None
    if trust.actor.kind == ActorKind.AGENT and moment is None:
        withheld = _withheld(rationed, rows, allowance)
        chosen = [candidate for candidate in chosen if candidate.memory not in withheld]
        rows = [row for row in rows if row.pk not in withheld]
        given = InjectedContext(trust, source, chosen, rows, status_of(allowance.degraded))
        with replicas.primary():
            allowance.part("use", lambda: recording.count(given, request, wanted), keeping=0.05)
            if not trust.sources or source in trust.sources:
                notices = allowance.part("notices", lambda: recording.announce(wanted, source))
    shown = sorted(rows, key=lambda row: -row.confidence)
    dated = updates.newest_first(shown, lambda row: row)
    items = [Item(row, row.pk in directives, filters.is_marked(row, trust), ended[row.pk]) for row, _ in dated]
    degraded = tuple(dict.fromkeys(allowance.degraded))
    return Context(items, notices or [], degraded=degraded, token_budget=request.token_budget, unknown=unknown)


def with_quotes(
    given: Context, request: ContextRequest, *, trust: Trust, at: datetime, allowance: Allowance
) -> Context:
    """The context with what was said before, where nothing is known of the task."""
    if given.unknown is None or not request.quotes:
        return given
    text, model, vector = given.unknown
    facts: dict[str, Any] = {"most": request.quotes, "thread_id": request.thread_id or ""}
    search = partial(quotes.quotes, text, vector, model, trust=request.narrows(trust), at=at, **facts)
    return replace(given, quotes=allowance.part("quotes", search) or [])


def _withheld(rationed: Rationed | None, rows: Collection[Memory], allowance: Allowance) -> Collection[UUID]:
    """Those of the chosen that an agent's run does without."""
    few = [row for row in rows if rationed and rationed.has(row)]
    if rationed is None or not few:
        return ()
    with replicas.primary():
        return allowance.part("use", partial(rationed.withheld, few), keeping=0.05) or ()


def _companies(
    request: ContextRequest, seen: Trust, task: str, moment: AsOf | None, allowance: Allowance
) -> tuple[str, ...]:
    if request.company_id:
        return (request.company_id,)
    companies = partial(company_in, task, trust=seen, moment=moment)
    return (allowance.part("company", companies, keeping=0.7) or ()) if task else ()


def _asked(task: str, allowance: Allowance) -> ReadTask | None:
    """None: there is no task."""
    if not task:
        return None
    text, serving = emphasis.bounded(task), EmbeddingModel.objects.serving_with_mean
    model = allowance.part("embedding", serving, keeping=FOR_THE_SEARCH) or Serving("", None)
    return ReadTask(text, model, _vector(text, model, allowance))


def _by_task(request: ContextRequest, wanted: ContextQuery, asked: ReadTask, allowance: Allowance) -> list[Hit] | None:
    """Empty: nothing is known of the task. None: it could not be searched."""
    text, model, vector = asked

    def search() -> Scores:
        former = FormerWords.of(wanted.filter, wanted.moment, model=model.name) if wanted.moment else None
        allowance.degraded += former.degraded if former else ()
        return queries.answering(text, vector, model, wanted.filter, at=wanted.at, former=former)

    answer = allowance.part("search", search, keeping=FOR_THE_ANSWER)
    return None if answer is None else queries.best(answer, most=max(queries.BY_TASK, request.limit))


def _standing(wanted: ContextQuery, source: str, kinds: Sequence[str], allowance: Allowance) -> list[Hit]:
    """What is given beside what the task finds."""
    of_kind = allowance.part("memories", lambda: queries.by_kind(wanted, kinds), keeping=0.6) or []
    about = allowance.part("company", lambda: queries.by_company(wanted), keeping=0.6) or []
    return of_kind + about + (allowance.part("source", lambda: queries.by_source(wanted, source), keeping=0.5) or [])


def _of_any_task(standing: list[Hit]) -> list[Hit]:
    """Where nothing is known of the task: what is about its company, and of its source only wishes."""
    return [hit for hit in standing if hit.why != queries.OF_SOURCE or hit.is_wish]


def _vector(task: str, model: Serving, allowance: Allowance) -> Array | None:
    if not model.name:
        return None
    try:
        patience = max(0.05, allowance.left(keeping=FOR_THE_SEARCH))
        return vector_of(task, model, patience=patience)
    except EmbeddingError as error:
        allowance.missing("embedding", error)
        return None


def _chosen(
    request: ContextRequest,
    wanted: ContextQuery,
    hits: list[Hit],
    without: Collection[UUID],
    rationed: Rationed | None,
    kinds: Sequence[str],
) -> tuple[list[Merged], list[Memory], set[UUID], dict[UUID, datetime | None]]:
    """Reload the selected memories, leaving out those deleted, or raised above the caller, since the search.

    The ids are those of directives; the times those at which a newer state was stored, also of one that does not fit.
    """
    merged_hits = [hit for hit in selection.merged(hits) if hit.memory not in without]
    ids = [merged_hit.memory for merged_hit in merged_hits]
    rows = {row.pk: row for row in wanted.rows().filter(pk__in=ids)} if ids else {}
    rows = {id: row for id, row in rows.items() if not _is_of_other_texts(row, kinds)}
    order = selection.ranked(merged_hits, {id: row.confidence for id, row in rows.items()})
    decided = {id for id, row in rows.items() if row.hold == Hold.FLOOR}
    order = selection.said_once(order, {id: row.content for id, row in rows.items()}, decided)
    order = rationed.best(order, rows) if rationed else order
    dated = updates.newest_first(order, lambda one: rows[one.memory])
    ended = {one.memory: until for one, until in dated}
    lines = {id: _line(rows[id], wanted.trust, until) for id, until in ended.items()}
    of_kind, others = ([one for one, _ in dated if (queries.OF_KIND in one.whys) is kind] for kind in (True, False))
    budget = request.token_budget
    chosen = selection.fitting(of_kind, lines, limit=queries.BY_KIND, token_budget=int(FOR_KIND * budget))
    chosen += selection.fitting(others, lines, limit=request.limit, token_budget=budget, beside=chosen)
    kept = [rows[candidate.memory] for candidate in chosen]
    return chosen, kept, directives_among(kept, wanted.moment), ended


def _is_of_other_texts(row: Memory, kinds: Sequence[str]) -> bool:
    """Whether it is a rule for another kind of text than is asked for, which somebody said of a draft."""
    if (row.origin, row.category) != (Origin.EXTRACTED, Category.PREFERENCE):
        return False
    own = next((tag for tag in row.tags if row.content.casefold().startswith(f"{tag.casefold()}: ")), None)
    return own is not None and own not in kinds and kinds[:1] != [row.tags[-1]]


def _line(row: Memory, trust: Trust, until: datetime | None) -> str:
    return Item(row, unreviewed=filters.is_marked(row, trust), until=until).line


def directives_among(memories: Collection[Memory], moment: AsOf | None = None) -> set[UUID]:
    """The ids of directives: memories that a person taught, or promoted to applied without a later demotion.

    `moment`: of which the rows are. Confidence alone never makes a directive, however often something was reported.
    """
    held = [row for row in memories if row.hold == Hold.FLOOR]
    taught = {row.pk for row in held if row.origin == Origin.TAUGHT}
    applied = {row.pk for row in held if row.status == Status.APPLIED} - taught
    entries = AuditEntry.objects.filter(at__lte=moment.at) if moment else AuditEntry.objects.all()
    return taught | (applied - entries.applied_by_a_rule(applied) if applied else set())
