"""Search results and their retrieval: two SQL statements, however many results there are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings

from memories.models import Memory, bulk_rows
from memories.models.as_of import AsOf
from memories.models.built import IDS, BuiltRows
from memories.models.former_state import with_recorded
from memories.models.memory import MemoryQuerySet
from memories.scanning import INSTRUCTION, prompt_injection
from memories.search import selector, updates
from memories.search.former_words import FormerWords
from memories.search.ranking import Candidate, ScoredPassage, weights_of
from memories.search.ranking_memories import RankedMemory
from memories.search.request import SearchRequest
from memories.search.run_votes import OF_BEST, SELECTED_TYPES
from memories.search.selector import Option, Selection
from memories.values.choices import Hold, Type
from memories.values.trust import Trust

MOST_PASSAGES = 3  # most passages of one memory
RELEVANT = 0.3  # what is selected from: as relevant as this, and as OF_BEST of the most relevant
RECORD = {Type.EPISODIC: "episode", Type.COMPETENCE: "performance", Type.PLAN_GRAPH: "performance"}


class PassageHit(NamedTuple):
    """A passage of a result with its scores. `ref` is the caller's id of its event."""

    event_id: UUID | None
    ref: str | None
    position: int
    actor: str
    at: datetime
    text: str
    score: float

    @property
    def flags(self) -> list[str]:
        """Only instructions to a model are flagged: secrets are masked wherever they are shown."""
        return [INSTRUCTION] if prompt_injection.is_in(self.text) else []


@dataclass(frozen=True)
class Result:
    """A found memory.

    `score` orders the results, and its best one is the greatest relevance among them; `parts` explains it.
    `relevance`: how much of the question it answers, 0 to 1, independent of other results; None without a question.
    `words_matched`: how many of the question's words its best passage holds. `nearest`: the id of its passage nearest
    in meaning, `cosine` of that one, uncentred; None without vectors. `vote`: of similar runs for a skill, as a share
    of the best one's; None without votes. `until`: when a newer state of the same thing was stored, which is ranked
    before it.
    """

    memory: Memory
    score: float
    relevance: float | None = None
    passages: list[PassageHit] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)
    words_matched: int = 0
    cosine: float | None = None
    nearest: int | None = None
    vote: float | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class SearchResults:
    """The answer of a search.

    `stubs`: memories exactly one level above the caller, if requested. `degraded`: failed parts. `moment`: as of which
    it searched, None: now.
    """

    results: list[Result]
    stubs: list[Memory] = field(default_factory=list)
    selection: Selection | None = None
    degraded: tuple[str, ...] = ()
    took_ms: float = 0.0
    moment: AsOf | None = None


def fetch(
    entries: Sequence[RankedMemory],
    request: SearchRequest,
    trust: Trust,
    former: FormerWords | None = None,
    *,
    scale: float = 1.0,
) -> list[Result]:
    """Load the ranked memories and passages, without those deleted, or raised above the caller's clearance, meanwhile.

    `former`: the words of a search as of an instant. `scale`: scores and their parts are multiplied by it.
    """
    types_by_id = {entry.memory_id: entry.passages[0].candidate.type for entry in entries}
    record_names = sorted({RECORD[Type(type)] for type in types_by_id.values() if type in RECORD})
    memories = {row.pk: row for row in _memories(types_by_id, record_names, trust, former.moment if former else None)}
    shown_passages = {id(entry): entry.passages[:MOST_PASSAGES] for entry in entries if _shows_passages(entry, request)}
    passages = _passages(
        [passage.candidate.passage for scored_passages in shown_passages.values() for passage in scored_passages]
    )
    passages |= former.rows if former else {}
    results = []
    for entry in entries:
        if memory := memories.get(entry.memory_id):
            scored_passages = shown_passages.get(id(entry), [])
            rows_with_scores = (
                (passages.get(passage.candidate.passage), passage.score * scale) for passage in scored_passages
            )
            hits = [PassageHit._make([*row, score]) for row, score in rows_with_scores if row]
            results.append(_result(memory, entry, hits, request, scale))
    return results


def newer_states_first(results: Sequence[Result]) -> list[Result]:
    """The results by score, but newer states of a thing before older ones; their scores are raised to theirs."""
    ordered_results: list[Result] = []
    for result, until in reversed(updates.newest_first(results, attrgetter("memory"))):
        score = max(result.score, ordered_results[-1].score) if ordered_results else result.score
        update_part = {"update": score - result.score} if score > result.score else {}
        ordered_results.append(replace(result, until=until, score=score, parts=result.parts | update_part))
    return ordered_results[::-1]


def repeats_last(results: Sequence[Result]) -> list[Result]:
    """The results, with repeated claims moved to the end, so that a claim stored often takes one place. Of claims that
    say the same, the one that people decided stays, else the best, with the greatest score of them."""
    firsts, repeats = [], []
    for group in updates.by_claim(
        results, lambda result: result.memory.content if result.memory.type == Type.SEMANTIC else ""
    ):
        first = next((result for result in group if result.memory.hold == Hold.FLOOR), group[0])
        firsts.append(_with_score(first, group[0].score))
        repeats += [result for result in group if result is not first]
    return [*firsts, *(_with_score(result, min(result.score, firsts[-1].score)) for result in repeats)]


def _with_score(result: Result, score: float) -> Result:
    if score == result.score:
        return result
    return replace(result, score=score, parts=result.parts | {"repeated": score - result.score})


def _memories(ids: Collection[UUID], beside: Collection[str], trust: Trust, moment: AsOf | None) -> list[Memory]:
    """Those of these memories that may be offered, with their records `beside`."""
    if moment is None:
        return _offered_rows(trust, tuple(beside)).read(ids=ids) if ids else []
    rows = with_recorded(Memory.objects.as_of(moment), moment).offered_to(trust).filter(pk__any=ids)
    return list(rows.select_related(*beside) if beside else rows)


@lru_cache(maxsize=128)
def _offered_rows(trust: Trust, beside: tuple[str, ...]) -> BuiltRows[Memory]:
    rows = Memory.objects.offered_to(trust).filter(pk__any=IDS)
    return BuiltRows(rows.select_related(*beside) if beside else rows, prepared=True)


def _shows_passages(entry: RankedMemory, request: SearchRequest) -> bool:
    """Whether to load passages: of knowledge the memory itself shows the text."""
    return request.unit == "passage" or entry.passages[0].candidate.type == Type.EPISODIC


def _passages(ids: list[int]) -> dict[int, list[Any]]:
    """The fields of PassageHit except `score`, by passage id. By plain SQL: model instances would be too slow."""
    if not ids:
        return {}
    with bulk_rows.prepared() as cursor:
        cursor.execute(
            "SELECT p.id, p.event_id, nullif(e.ref, ''), p.position, p.actor, p.at, p.text FROM memories_passage p"
            " LEFT JOIN memories_event e ON e.id = p.event_id WHERE p.id = ANY(%s)",
            [ids],
        )
        return {id: rest for id, *rest in cursor.fetchall()}


def _result(
    memory: Memory, entry: RankedMemory, hits: list[PassageHit], request: SearchRequest, scale: float
) -> Result:
    best: ScoredPassage = entry.passages[0]
    parts = {name: getattr(best, name) for name in ("words", "neighbours", "meaning", "actor", "pieces")}
    if request.unit == "memory":
        weights = weights_of(settings.SEARCH_WEIGHTS)
        parts["relevance"] = weights.relevance * entry.of_best
        parts["salience"] = weights.salience * best.candidate.salience
        parts["confidence"] = weights.confidence * best.candidate.confidence / 100
    parts = {name: value * scale for name, value in parts.items()}
    nearest_row = max((row for row, *_ in entry.passages if row.cosine is not None), key=_cosine, default=None)
    cosine, nearest = (nearest_row.cosine, nearest_row.passage) if nearest_row else (None, None)
    words_matched = best.candidate.matched.bit_count()
    return Result(memory, entry.score * scale, entry.relevance, hits, parts, words_matched, cosine, nearest, entry.vote)


def _cosine(row: Candidate) -> float:
    return -1.0 if row.cosine is None else row.cosine


def most_salient(rows: MemoryQuerySet, *, at: datetime, limit: int, by_parts: Collection[bool] = ()) -> list[Result]:
    """Results without a question: by salience now, then newest; `by_parts`: as in the QuerySet's `most_salient`."""
    salient_rows = rows.select_related("episode", "performance").most_salient(at, limit, by_parts=by_parts)
    return [Result(row, row.salience_on(at), parts={"salience": row.salience_on(at)}) for row in salient_rows]


def selection(request: SearchRequest, results: Sequence[Result], *, at: datetime) -> Selection | None:
    """Select among the fitting competences and plans of the results; None where none were requested and none found."""
    candidates = [result for result in results if result.memory.type in SELECTED_TYPES]
    if not candidates and not set(SELECTED_TYPES) & set(request.types):
        return None
    requested_threshold = request.selection_confidence_threshold
    threshold = settings.SELECTION_CONFIDENCE_THRESHOLD if requested_threshold is None else requested_threshold
    options = {result.memory.pk: _option(result) for result in reversed(_fitting(candidates))}
    return selector.select(list(options.values()), at=at, threshold=threshold)


def _fitting(results: list[Result]) -> list[Result]:
    """Relevant competences and plans only, or those that similar runs speak for: weak matches would keep the best one
    from standing out.
    """
    relevances = [result.relevance for result in results if result.relevance is not None and result.vote is None]
    least = max(RELEVANT, OF_BEST * max(relevances, default=0.0))
    return [
        result
        for result in results
        if (
            result.vote >= OF_BEST if result.vote is not None else result.relevance is None or result.relevance >= least
        )
    ]


def _option(result: Result) -> Option:
    """The option of a result; its success rate is the lower end of the interval, so that 2 of 2 count less
    than 90 of 100.
    """
    memory = result.memory
    record = getattr(memory, "performance", None)
    return Option(
        memory.pk,
        memory.confidence,
        cosine=result.cosine,
        success_rate=record.reliability if record and record.uses else None,
        reinforced_at=memory.reinforced_at or memory.created_at,
    )
