"""The queries of a context: by the task's words and meaning, by the kind of text that it asks for, by the company that
it names, by its source.

Each returns memories that are believed, unexpired, unflagged, and about that company or none.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Lower

from memories.embedding import Array
from memories.lexicon.english_words import STOP
from memories.models import Memory
from memories.models.as_of import AsOf
from memories.models.memory import MemoryQuerySet
from memories.models.vector import Serving
from memories.search import filters
from memories.search.candidates import pool
from memories.search.context.selection import Hit
from memories.search.former_words import FormerWords
from memories.search.late_interaction import by_passage
from memories.search.plan import SearchPlan
from memories.search.question import read_question
from memories.search.ranking import Scores, weights_of
from memories.search.ranking_memories import RankedMemory, by_memory, distinct_claims, is_answer, is_answered
from memories.values.choices import Category, Type
from memories.values.conditions import Filter
from memories.values.text import UNSPACED, plain_name
from memories.values.trust import Trust

LONGEST_READ = 10_000  # characters of a task
MOST_NAMES = 20_000
MOST_WORDS, MOST_UNSPACED = 6, 12  # most words of a name
MOST_KNOWN = 50
_ONE = UNSPACED.pattern.removesuffix("+")  # a character of a script without spaces is a word
_WORD = re.compile(rf"{_ONE}|(?:(?!{_ONE})\w)+")
_ENDS = ".!+)"  # may end a name: Acme Inc.

Span = tuple[int, int]


def company_in(task: str, *, trust: Trust, moment: AsOf | None = None) -> tuple[str, ...]:
    """The spellings of the id of the one known company that a task names; empty for none or several.

    Companies that the caller may not see are unknown; with `moment` those known then.
    """
    places = names_in(task)
    if not places:
        return ()
    rows = Memory.objects.visible_to(trust).as_of(moment).live().filter(company_id__isnull=False)
    rows_with_name = rows.annotate(name=Lower("company_id")).filter(name__any=list(places))  # thousands
    company_ids = rows_with_name.order_by().values_list("company_id", flat=True).distinct()[:MOST_KNOWN]
    return only_company([company for company in company_ids if company], places)


def names_in(task: str) -> dict[str, list[Span]]:
    """Candidate names in a task, in lower case and with each way to join their words, and their positions. Pure."""
    spans: dict[str, list[Span]] = {}
    text = task[:LONGEST_READ]
    words = list(_WORD.finditer(text))
    for number, first in enumerate(words):
        most = MOST_UNSPACED if UNSPACED.match(first.group()) else MOST_WORDS
        for last in words[number : number + most]:
            for span in _span_variants(text, first.start(), last.end()):
                for name in _name_variants(text[slice(*span)]):
                    spans.setdefault(name, []).append(span)
        if len(spans) > MOST_NAMES:
            break
    return spans


def only_company(company_ids: Collection[str], places: Mapping[str, list[Span]]) -> tuple[str, ...]:
    """The spellings of the id of the one company that the task names; empty for none or several.

    A name inside a longer one does not count (Acme in Acme Labs). Pure.
    """
    ids_by_name: dict[str, list[str]] = {}
    for id in company_ids:
        if id.lower() in places:
            ids_by_name.setdefault(plain_name(id), []).append(id)
    spans = {name: [span for id in ids for span in places[id.lower()]] for name, ids in ids_by_name.items()}
    names = [
        name for name, name_spans in spans.items() if not all(_within_another(span, name, spans) for span in name_spans)
    ]
    return tuple(sorted(ids_by_name[names[0]])) if len(names) == 1 else ()


def _span_variants(text: str, start: int, end: int) -> Iterator[Span]:
    yield start, end
    if text[end : end + 1] in tuple(_ENDS):
        yield start, end + 1


def _name_variants(text: str) -> Iterator[str]:
    name = plain_name(text)
    if len(name) < 2 and not UNSPACED.match(name):
        return
    if name in STOP:
        return
    yield from {text.lower(), name, name.replace(" ", "-"), name.replace(" ", "_")}


def _within_another(span: Span, name: str, spans: Mapping[str, list[Span]]) -> bool:
    other_spans = (other for other_name, name_spans in spans.items() if other_name != name for other in name_spans)
    return any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in other_spans)


BY_TASK, BY_COMPANY, BY_SOURCE, BY_KIND = 5, 3, 2, 12
FLOOR = 0.3  # least centred similarity without a common word
OF_SKILL = 0.3  # least relevance of a skill that people brought in
OF_SOURCE, OF_KIND = "source", "kind of text"
ALL_TEXTS = "all texts"  # the tag of what holds for every kind of text
BEST_FIRST = ("-confidence", "-created_at", "-pk")


@dataclass(frozen=True)
class ContextQuery:
    """The parameters of the queries: `trust` as narrowed by the request, `companies` the ids of the recognised one.

    `moment`: of which memories are read, `at` being its instant; None: now.
    """

    trust: Trust
    companies: tuple[str, ...]
    at: datetime
    moment: AsOf | None = None

    @property
    def filter(self) -> Filter:
        return filters.of_context(self.trust, self.companies, self.at)

    def rows(self) -> MemoryQuerySet:
        return Memory.objects.as_of(self.moment).filter(self.filter.q())


def by_company(query: ContextQuery) -> list[Hit]:
    return _best(query, Q(company_id__in=query.companies), "company", BY_COMPANY) if query.companies else []


def by_source(query: ContextQuery, source: str) -> list[Hit]:
    return _best(query, Q(source=source), OF_SOURCE, BY_SOURCE)


def by_kind(query: ContextQuery, kinds: Sequence[str]) -> list[Hit]:
    """Rules for a kind of text, as people gave them about drafts. `kinds`: the kind of the text, then wider ones."""
    if not kinds:
        return []
    wider = [Q(tags__contains=[kind], content__istartswith=f"{kind}: ") for kind in kinds[1:]]
    of_kind = Q(tags__contains=[kinds[0]]) | Q(tags__contains=[ALL_TEXTS])
    return _best(query, reduce(or_, wider, of_kind), OF_KIND, BY_KIND)


def _best(query: ContextQuery, condition: Q, why: str, most: int) -> list[Hit]:
    """The best memories of one query, without skills: these are only found by the task itself."""
    rows = query.rows().filter(condition, type=Type.SEMANTIC).order_by(*BEST_FIRST)
    pairs = rows.values_list("pk", "category")[:most]
    return [Hit(id, why, is_wish=category == Category.PREFERENCE) for id, category in pairs]


def answering_passages(
    task: str,
    vector: Array | None,
    model: Serving,
    search_filter: Filter,
    *,
    at: datetime,
    former: FormerWords | None = None,
) -> Scores:
    """The passages that answer the task, of memories that match the filter, best first; none if none is relevant."""
    candidates = pool(SearchPlan(read_question(task, model, vector, search_filter), search_filter, at, former))
    scores = by_passage(candidates, task, weights_of(settings.SEARCH_WEIGHTS))
    return scores if is_answered(scores, candidates) else Scores.empty()


def best(scores: Scores, *, most: int) -> list[Hit]:
    """The `most` best memories that share a word with the task, or are similar enough in meaning, with those that say
    the same as one of them."""
    memories = [
        memory for memory in by_memory(scores, weights_of(settings.SEARCH_WEIGHTS), holds=_fits) if _why(memory)
    ]
    return [
        Hit(memory.memory_id, _why(memory), memory.score)
        for memory in distinct_claims(memories, most, lambda memory: memory)
    ]


def _fits(memory: RankedMemory) -> bool:
    return is_answer(memory) and (memory.relevance >= OF_SKILL or memory.passages[0].candidate.type != Type.COMPETENCE)


def _why(memory: RankedMemory) -> str:
    """How a result fits the task: words, meaning, or blank for neither."""
    if any(passage.candidate.matched for passage in memory.passages):
        return "words"
    similarity = max((passage.candidate.similarity or 0.0 for passage in memory.passages), default=0.0)
    return "meaning" if similarity >= FLOOR else ""
