"""The least relevance of an answer: a question of which the store knows nothing gets none. Pure.

Measured on recorded questions (docs/learning.md): of 785 that can be answered all keep their answers, of 400 that have
nothing to do with the store one in twenty gets any.
"""

import math

from memories.search.candidates import Pool
from memories.search.ranking import NUMBERS, Scores
from memories.search.ranking_memories import Ranked
from memories.search.relevance import count
from memories.values.choices import Type

FLOOR = 0.25  # of the most relevant passage
OF_KNOWLEDGE = 0.1  # of one claim among others; an event may be found by what was said beside it
OF_BEST = 0.5  # of the score of the best quote: less says something else
BEST = 20  # passages that are looked at
OF_MEANING = 0.45  # of the passage nearest in meaning, centred: a paraphrase shares no word
USUAL_WORDS = 12  # of a question; each passage answers less of a longer one
OF_LONG = 0.12
RELEVANCE = NUMBERS.index("relevance")


def least(words: float) -> float:
    """The least relevance that the best answer to a question of so many words must have."""
    return max(OF_LONG, FLOOR * math.sqrt(min(1.0, USUAL_WORDS / max(words, 1))))


def is_answered(scored: Scores, found: Pool) -> bool:
    """Whether the store knows anything of the question, whose candidates were `found`."""
    best = scored.order[:BEST]
    alike = max((scored.rows[n].similarity or 0.0 for n in best.tolist()), default=0.0)
    relevance = scored.lines[RELEVANCE, best].max(initial=0.0)
    return bool(relevance >= least(count(found.words)) or alike * found.meant >= OF_MEANING)


def holds(one: Ranked) -> bool:
    """Whether a memory is relevant enough to stand among the answers."""
    is_claim = one.passages[0].candidate.type == Type.SEMANTIC
    return one.vote is not None or not is_claim or one.relevance >= OF_KNOWLEDGE
