"""Search: ranking by meaning and words. `run.py` executes one, on this way:

    question.py, lexemes.py         the question as words and a vector; which words are sought where all are too many
    emphasis.py                     how much each turn counts where the question is a conversation
    filters.py, plan.py             which rows the caller may find, and by which index they are read
    candidates.py                   the best passages by words and by meaning, in one statement
    ranking.py, late_interaction.py their order
    relevance.py                    how much of the question each answers
    ranking_memories.py             memories by their passages, or that there is no answer; skills also by what
                                    runs say (run_votes.py, selector.py)
    updates.py                      the newer of two states of one thing comes first
    results.py, dismissed_words.py  the answer, without sentences that people dismissed

`context/` makes the block for a prompt, `former_words.py` searches as of a former instant, `subjects.py` lists the
subjects that memories name.
"""

from memories.search.request import SearchRequest, check
from memories.search.results import PassageHit, Result, SearchResults
from memories.search.run import find, search
