"""Votes of similar runs for skills, and the skills that are withheld from a run to measure their worth.

A user's wish shares few words with the text of a skill: what runs with a similar wish did finds it better. A text that
names a skill is searched by its words. `consolidation` compares runs and draws lots; it registers its functions in
PROVIDERS and WITHHOLDING when it starts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from uuid import UUID

from memories.search.ranking import ScoredPassage
from memories.search.request import AskingRun
from memories.values.choices import Type
from memories.values.trust import Trust

NAMING_RELEVANCE = (
    0.6  # relevance from which a text names a skill: of 100 recorded wishes the most relevant skill has 0.57
)
OF_BEST = 0.5  # of the vote for the best skill: less does not fit
SELECTED_TYPES = (Type.COMPETENCE, Type.PLAN_GRAPH)


# Of a text and a trust the share of the vote for each skill, by memory. Empty: nothing is known of such tasks.
PROVIDERS: list[Callable[[str, Trust], Mapping[UUID, float]]] = []
# Of a run and a trust the skills that are withheld from it, to measure what they are worth, by memory.
WITHHOLDING: list[Callable[[str, Trust], frozenset[UUID]]] = []


def withheld_skills(request: AskingRun, trust: Trust) -> frozenset[UUID]:
    """The skills withheld from the run that a request names; none if it names none."""
    return frozenset().union(*(provider(request.for_run, trust) for provider in WITHHOLDING if request.for_run))


def applies_to(types: Collection[str]) -> bool:
    """Whether a search is for skills and plans alone."""
    return Type.COMPETENCE in types and set(types) <= set(SELECTED_TYPES)


def votes(text: str, passages: Sequence[ScoredPassage], trust: Trust) -> Mapping[str, float]:
    """The votes of similar runs for skills, by a candidate's memory, as shares of the best one's. Empty: there is no
    skill among the passages, the text names one, or nothing is known of such tasks.
    """
    relevance = [passage.relevance for passage in passages if passage.candidate.type == Type.COMPETENCE]
    if not relevance or max(relevance) >= NAMING_RELEVANCE:
        return {}
    by_memory: dict[UUID, float] = {}
    for provider in PROVIDERS:
        by_memory.update(provider(text, trust))
    most = max(by_memory.values(), default=0.0)
    return {str(skill): share / most for skill, share in by_memory.items()} if most else {}
