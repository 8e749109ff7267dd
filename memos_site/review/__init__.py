"""Review: what waits for a person, from every app, and the decisions about it."""

from memos_site.review.bulk import CHUNK, MOST_AT_ONCE, Bulk, by_filter, by_ids, ids_matching
from memos_site.review.consent import Question, question
from memos_site.review.decide import REASONS, VERBS, Decision, decide
from memos_site.review.decide_rows import accept, lift, reject, revert, snooze_proposal, version_token
from memos_site.review.explain import Explanation, explain
from memos_site.review.history import History, history, tally
from memos_site.review.undo import UndoResult, undo
from memos_site.review.waiting import (
    EXACT,
    FLAGGED,
    ORDER,
    ORDERS,
    PROPOSALS,
    RESEMBLES,
    VERSION,
    kind_of,
    kinds,
    open_proposals,
    waiting_memories,
)

__all__ = [
    "CHUNK",
    "EXACT",
    "FLAGGED",
    "MOST_AT_ONCE",
    "ORDER",
    "ORDERS",
    "PROPOSALS",
    "REASONS",
    "RESEMBLES",
    "VERBS",
    "VERSION",
    "Bulk",
    "Decision",
    "Explanation",
    "History",
    "Question",
    "UndoResult",
    "accept",
    "by_filter",
    "by_ids",
    "decide",
    "explain",
    "history",
    "ids_matching",
    "kind_of",
    "kinds",
    "lift",
    "open_proposals",
    "question",
    "reject",
    "revert",
    "snooze_proposal",
    "tally",
    "undo",
    "version_token",
    "waiting_memories",
]
