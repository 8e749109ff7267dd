"""Tools over memories: store, find, read, forget. Each calls the verb that its endpoint calls."""

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from pydantic import AliasChoices, Field, model_validator

from memories import lifecycle, models, redaction, search
from memories.api import provenance
from memories.api.episodes import Event, events_of
from memories.api.memory_shape import RELATED, Accepted, Memory, Stub, flags_of
from memories.api.search import Selected
from memories.api.shapes import Json
from memories.api.tool import ToolCall, tool
from memories.api.tool_reply import Reply, dumps, non_empty, shorten
from memories.intake import claims
from memories.intake.reports.claims import NoteReport
from memories.intake.reports.events import check
from memories.models.memory import MemoryQuerySet
from memories.search import Result, SearchRequest, dismissed_words, filters
from memories.search.request import AskingRun, InScopes, Scopes
from memories.values.choices import ActorKind, Permission, Type
from memories.values.exceptions import NotFound, UnknownKey, one_of
from memories.values.field_types import CategoryName, Described, Given, NotBoolean, ScopeName, Text, YesNo
from memories.values.speakers import agents_of, review_of
from memories.values.trust import Trust

BRIEF = (
    *("id", "type", "scope", "key", "category", "content", "source", "company_id", "thread_id", "tags", "status"),
    *("confidence", "expires_at", "created_at", "updated_at"),
)
LONG_CONTENT = 1_000  # of one memory among others; memory_get has all of it
KNOWLEDGE = [Type.SEMANTIC.value, Type.WORKING.value, Type.COMPETENCE.value, Type.PLAN_GRAPH.value]
MOST_EVENTS = 1_000


class MemoryQuestion(AskingRun, InScopes):
    text: Text
    """A question or words, in any language"""
    category: CategoryName | None = None
    scopes: Scopes = []
    """Of the caller's; what has no scope is found in each"""
    include_candidates: YesNo = False
    """Also what is not decided yet"""
    limit: Annotated[int, Field(ge=1, le=100), NotBoolean] = 5


class ListQuestion(InScopes):
    limit: Annotated[int, Field(ge=1, le=100), NotBoolean] = 10


class CompanyQuestion(ListQuestion):
    company_id: Given


class PluginQuestion(ListQuestion):
    plugin: Given = Field(validation_alias=AliasChoices("plugin", "source", "source_plugin"))
    """The source of the memories: the name of a plugin or an agent"""


class OneMemory(Described):
    """By `id`, or by `key` and perhaps `scope`."""

    id: UUID | None = None
    key: Text | None = None
    scope: ScopeName | None = None

    @model_validator(mode="after")
    def _by_one_of_them(self) -> "OneMemory":
        if (self.id is None) == (self.key is None):
            raise ValueError("give id or key, one of the two")
        return self


class ForgetMemory(OneMemory):
    dry_run: YesNo = False
    """Only say what would go"""


@tool(NoteReport, Permission.INGEST)
def memory_store(call: ToolCall) -> Reply:
    """Store one statement under a key: new it waits as a candidate, the same again confirms it, and a different one
    about something confirmed becomes a proposal for people.
    """
    result = claims.store(check(NoteReport, call.arguments), trust=call.trust, at=call.at)
    if result.accepted:
        return Reply(Accepted.answer)
    flags = {
        name: True for name in ("created", "reinforced", "suppressed", "forgotten", "reset") if getattr(result, name)
    }
    details = {"proposal": result.proposal, "ignored_fields": result.ignored_fields, "notice": result.notice}
    return Reply({"memory": brief(result.memory, call.trust) if result.memory else None, **flags, **non_empty(details)})


@tool(MemoryQuestion, Permission.READ, read_only=True)
def memory_query(call: ToolCall) -> Reply:
    """Find what is known (facts, preferences, contacts, ways of working, skills) by meaning and words, best first."""
    question = check(MemoryQuestion, call.arguments)
    narrowing = {
        "scopes": list(question.named_scopes),
        "categories": [question.category] if question.category else [],
    }
    options = question.model_dump(include={"limit", "include_candidates", "for_run"})
    return _search_reply(call, SearchRequest(query=question.text, types=KNOWLEDGE, **narrowing, **options))


@tool(SearchRequest, Permission.READ, name="search", read_only=True)
def search_everything(call: ToolCall) -> Reply:
    """Search everything that was learned and everything that happened: knowledge, skills, and each event of past
    runs, best first.
    """
    question = search.check(call.arguments)
    call.trust.check_statuses(question.statuses)
    return _search_reply(call, question)


@tool(OneMemory, Permission.READ, read_only=True)
def memory_get(call: ToolCall) -> Reply:
    """Read one memory in full by its id or its key, whatever its status, with where it came from."""
    question = check(OneMemory, call.arguments)
    rows = _rows_named(call, question, scope=call.trust.scope_to_read(question.scope) if question.key else None)
    row = one_of(rows.filter(filters.shown_to(call.trust).q()))
    _count_use(call, [row.pk])
    dismissed_words.leave_out([row], call.trust)
    memory = _full_answer(row, call)
    if row.type == Type.EPISODIC:
        events = events_of(row.pk)[:MOST_EVENTS]
        utterances = [dismissed_words.Utterance(event.words, row.scope, event.actor) for event in events]
        texts = dismissed_words.without_dismissed(utterances, call.trust)
        items = [non_empty({**Event.of(event), "text": text}) for event, text in zip(events, texts, strict=True)]
        return Reply({"memory": _without(memory, "payload")}, items=items, items_name="events")
    payload = non_empty({name: value for name, value in memory["payload"].items() if name != "kind"})
    text = f"{row.content}\n\n{dumps(payload)}" if payload else row.content
    mark = filters.MARK if filters.is_marked(row, call.trust) else ""
    return Reply({"memory": _without(memory, "payload", "content")}, text=text, text_name="content", mark=mark)


@tool(CompanyQuestion, Permission.READ, read_only=True)
def memory_by_company(call: ToolCall) -> Reply:
    """List what is known about a company or client, the most certain first."""
    question = check(CompanyQuestion, call.arguments)
    return _list_reply(call, question, company_id=question.company_id)


@tool(PluginQuestion, Permission.READ, read_only=True)
def memory_by_plugin(call: ToolCall) -> Reply:
    """List what a plugin or agent has brought in, the most certain first."""
    question = check(PluginQuestion, call.arguments)
    return _list_reply(call, question, source=question.plugin)


@tool(ForgetMemory, Permission.INGEST, destructive=True, idempotent=True)
def memory_delete(call: ToolCall) -> Reply:
    """Forget a memory of the caller's own for good, with its evidence; `dry_run` only says what would go."""
    question = check(ForgetMemory, call.arguments)
    scope = call.trust.scope_to_write(question.scope) if question.key else None
    row = _rows_named(call, question, scope=scope).first()
    if row is None and question.key:
        raise UnknownKey(lifecycle.suggestions(question.key, scope=scope or "", trust=call.trust))
    if row is None:
        raise NotFound
    return Reply(asdict(lifecycle.forget(row, trust=call.trust, at=call.at, dry_run=question.dry_run)))


def brief(row: models.Memory, trust: Trust) -> Json:
    """A memory in a list: its main fields, its content cut to LONG_CONTENT."""
    fields = {name: getattr(row, name) for name in BRIEF}
    standing = {"review": review_of(row), "agents": agents_of(row), "flags": flags_of(row), **_marks(row, trust)}
    return non_empty({**fields, **standing, "content": shorten(row.content, LONG_CONTENT)})


def _marks(row: models.Memory, trust: Trust) -> Json:
    return {"unreviewed": filters.SAID_BY} if filters.is_marked(row, trust) else {}


def _rows_named(call: ToolCall, question: OneMemory, *, scope: str | None) -> MemoryQuerySet:
    rows = models.Memory.objects.told_to(call.trust).unexpired(call.at).select_related(*RELATED)
    return rows.keyed(question.key, scope=scope or "") if question.key else rows.filter(pk__in=[question.id])


def _search_reply(call: ToolCall, question: SearchRequest) -> Reply:
    """Search; only the first page counts uses."""
    verb = search.find if call.start else search.search
    answer = verb(question, trust=call.trust, at=call.at)
    items = [_result(result, call.trust, explain=question.explain) for result in answer.results]
    at = answer.moment.at if answer.moment else call.at
    items += [Stub.of(row, at=at) for row in answer.stubs]
    head = {"selection": Selected.of(answer.selection) if answer.selection else None, "degraded": list(answer.degraded)}
    return Reply(non_empty(head), items=items)


def _result(result: Result, trust: Trust, *, explain: bool) -> Json:
    passages = [
        non_empty(
            {
                "at": passage.at,
                "actor": passage.actor,
                "text": shorten(passage.text, LONG_CONTENT),
                "flags": passage.flags,
            }
        )
        for passage in result.passages
    ]
    of_episode = result.memory.type == Type.EPISODIC
    scores = {"score": round(result.score, 3), "relevance": result.relevance and round(result.relevance, 3)}
    parts = ({"parts": result.parts} if explain else {}) | ({"until": result.until} if result.until else {})
    return {**brief(result.memory, trust), **scores, **({"passages": passages} if of_episode else {}), **parts}


def _list_reply(call: ToolCall, question: ListQuestion, **exact: str) -> Reply:
    """Current knowledge with these column values, most certain first; counts a use of the rows shown."""
    rows = models.Memory.objects.offered_to(call.trust).filter(filters.shown_to(call.trust).q())
    rows = rows.knowledge().current(call.at).filter(**exact)
    scopes = question.named_scopes
    rows = rows.filter(scope__in=scopes) if scopes else rows
    rows_of_page = rows.order_by("-confidence", "-created_at", "-id")[call.start : call.start + question.limit + 1]
    page = list(rows_of_page)
    _count_use(call, [row.pk for row in page[: question.limit]])
    items = [brief(row, call.trust) for row in page[: question.limit]]
    return Reply(items=items, first=call.start, more=len(page) > question.limit)


def _count_use(call: ToolCall, ids: list[UUID]) -> None:
    if ids and call.trust.actor.kind == ActorKind.AGENT:
        models.Memory.objects.count_use(ids, at=call.at)


def _full_answer(row: models.Memory, call: ToolCall) -> Json:
    """The whole memory with the episodes behind it, and without ids that the caller may not see."""
    memory = {**Memory.of(row, at=call.at), **_marks(row, call.trust)}
    redaction.redact({"memory": memory}, call.trust)
    provenance.add_episodes({"memory": memory}, call.trust)
    return memory


def _without(fields: Json, *names: str) -> Json:
    return non_empty({name: value for name, value in fields.items() if name not in names})


MEMORY_TOOLS = (memory_store, memory_query, memory_get, memory_by_company, memory_by_plugin, memory_delete)
SEARCH_TOOLS = (search_everything,)
