"""What runs say of skills: votes for those that did what runs with such a task did; and which ones a run does without.

A user's wish shares few words with the text of a skill, and what runs with such a wish did tells more. A text that
names a skill is answered by its words. Runs are compared, and lots drawn, by the room above this one, which registers
its functions in PROVIDERS and WITHHOLDING when it starts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from uuid import UUID

from memories.search.ranking import Scored
from memories.search.request import AskingRun
from memories.values.choices import Type
from memories.values.trust import Trust

NAMED = 0.6  # relevance from which a text names a skill: of 100 recorded wishes the most relevant skill has 0.57
OF_BEST = 0.5  # of the vote for the best skill: less does not fit
SELECTED_TYPES = (Type.COMPETENCE, Type.PLAN_GRAPH)


# Of a text and a trust the share of the vote for each skill, by memory. Empty: nothing is known of such tasks.
PROVIDERS: list[Callable[[str, Trust], Mapping[UUID, float]]] = []
# Of a run and a trust the skills that are withheld from it, to measure what they are worth, by memory.
WITHHOLDING: list[Callable[[str, Trust], frozenset[UUID]]] = []


def withheld(request: AskingRun, trust: Trust) -> frozenset[UUID]:
    """The skills that the run that asks does without; none where it is not named."""
    return frozenset().union(*(votes_of(request.for_run, trust) for votes_of in WITHHOLDING if request.for_run))


def applies_to(types: Collection[str]) -> bool:
    """Whether a search is for skills and plans alone."""
    return Type.COMPETENCE in types and set(types) <= set(SELECTED_TYPES)


def votes(text: str, scored: Sequence[Scored], trust: Trust) -> Mapping[str, float]:
    """The votes of similar runs for skills, by a candidate's memory, as shares of the best one's. Empty: there is no
    skill among the passages, the text names one, or nothing is known of such tasks.
    """
    relevance = [passage.relevance for passage in scored if passage.candidate.type == Type.COMPETENCE]
    if not relevance or max(relevance) >= NAMED:
        return {}
    by_memory: dict[UUID, float] = {}
    for provider in PROVIDERS:
        by_memory.update(provider(text, trust))
    most = max(by_memory.values(), default=0.0)
    return {str(skill): share / most for skill, share in by_memory.items()} if most else {}
