"""Skills by what finished runs say of a task, told by the room that compares runs: it stands above this one.

A user's wish shares few words with the text of a skill, and what runs with such a wish did tells more. A text that
names a skill is answered by its words.
"""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.utils.module_loading import import_string

from memories.search.ranking import Scored
from memories.values.choices import Type
from memories.values.trust import Trust

TOLD_BY = "consolidation.guidance.skill_votes.of_skills"  # imported when it is asked
NAMED = 0.6  # relevance from which a text names a skill: of 100 recorded wishes the most relevant skill has 0.57
OF_BEST = 0.5  # of the vote for the best skill: less does not fit
SELECTED_TYPES = (Type.COMPETENCE, Type.PLAN_GRAPH)


def are_asked_for(types: Collection[str]) -> bool:
    """Whether a search is for skills and plans alone."""
    return Type.COMPETENCE in types and set(types) <= set(SELECTED_TYPES)


def votes(text: str, scored: Sequence[Scored], trust: Trust) -> Mapping[str, float]:
    """The votes of similar runs for skills, by a candidate's memory, as shares of the best one's. Empty: there is no
    skill among the passages, the text names one, or nothing is known of such tasks.
    """
    relevance = [one.relevance for one in scored if one.candidate.type == Type.COMPETENCE]
    if not relevance or max(relevance) >= NAMED:
        return {}
    found: Mapping[UUID, float] = import_string(TOLD_BY)(text, trust=trust)
    most = max(found.values(), default=0.0)
    return {str(skill): share / most for skill, share in found.items()} if most else {}
