"""The three queries of a context: by the task's words and meaning, by its company, by its source.

Each returns memories that are believed, unexpired, unflagged, and about that company or none.
"""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Q

from memories.embedding import Array
from memories.models import Memory
from memories.models.as_of import AsOf
from memories.models.memory import MemoryQuerySet
from memories.models.vector import Serving
from memories.search import filters, floor
from memories.search.candidates import pool
from memories.search.context.selection import Hit
from memories.search.former_words import FormerWords
from memories.search.late_interaction import by_passage
from memories.search.plan import SearchPlan
from memories.search.question import read_question
from memories.search.ranking import Scores, weights_of
from memories.search.ranking_memories import Ranked, by_memory, different
from memories.values.choices import Category, Type
from memories.values.conditions import Filter
from memories.values.trust import Trust

BY_TASK, BY_COMPANY, BY_SOURCE = 5, 3, 2
FLOOR = 0.3  # least centred similarity without a common word
OF_SKILL = 0.3  # least relevance of a skill that people brought in
OF_SOURCE = "source"
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


def by_company(wanted: ContextQuery) -> list[Hit]:
    return _best(wanted, Q(company_id__in=wanted.companies), "company", BY_COMPANY) if wanted.companies else []


def by_source(wanted: ContextQuery, source: str) -> list[Hit]:
    return _best(wanted, Q(source=source), OF_SOURCE, BY_SOURCE)


def _best(wanted: ContextQuery, asked: Q, why: str, most: int) -> list[Hit]:
    """The best memories of one query, without skills: these are only found by the task itself."""
    rows = wanted.rows().filter(asked, type=Type.SEMANTIC).order_by(*BEST_FIRST)
    pairs = rows.values_list("pk", "category")[:most]
    return [Hit(id, why, is_wish=category == Category.PREFERENCE) for id, category in pairs]


def by_task(
    wanted: ContextQuery,
    task: str,
    vector: Array | None,
    model: Serving,
    *,
    former: FormerWords | None = None,
) -> Scores:
    """The passages that may fit the task, best first; none where nothing is known of it."""
    question = read_question(task, model, vector, wanted.filter)
    candidates = pool(SearchPlan(question, wanted.filter, wanted.at, former))
    scored = by_passage(candidates, task, weights_of(settings.SEARCH_WEIGHTS))
    return scored if floor.is_answered(scored, candidates) else Scores.nothing()


def best(scored: Scores, *, most: int) -> list[Hit]:
    """The best memories that share a word with the task, or are similar enough in meaning; what says the same as one of
    them comes with it."""
    ranked = [one for one in by_memory(scored, weights_of(settings.SEARCH_WEIGHTS), holds=_fits) if _why(one)]
    return [Hit(one.memory_id, _why(one), one.score) for one in different(ranked, most, lambda one: one)]


def _fits(one: Ranked) -> bool:
    return floor.holds(one) and (one.relevance >= OF_SKILL or one.passages[0].candidate.type != Type.COMPETENCE)


def _why(one: Ranked) -> str:
    """How a result fits the task: words, meaning, or blank for neither."""
    if any(scored.candidate.matched for scored in one.passages):
        return "words"
    alike = max((scored.candidate.similarity or 0.0 for scored in one.passages), default=0.0)
    return "meaning" if alike >= FLOOR else ""
