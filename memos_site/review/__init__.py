"""The desk: what waits for a person, whatever room it belongs to, and the verbs by which it is decided."""

from memos_site.review.bulk import CHUNK, MOST_AT_ONCE, Many, by_filter, by_ids, ids_matching
from memos_site.review.consent import Question, question
from memos_site.review.decide import (
    REASONS,
    VERBS,
    Decision,
    accept,
    decide,
    lift,
    put_off,
    reject,
    revert,
    stand,
)
from memos_site.review.explain import to_go, why, why_proposed
from memos_site.review.figures import tally
from memos_site.review.history import History, history
from memos_site.review.undo import Undone, undo
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
    proposed,
    waiting,
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
    "Decision",
    "History",
    "Many",
    "Question",
    "Undone",
    "accept",
    "by_filter",
    "by_ids",
    "decide",
    "history",
    "ids_matching",
    "kind_of",
    "kinds",
    "lift",
    "proposed",
    "put_off",
    "question",
    "reject",
    "revert",
    "stand",
    "tally",
    "to_go",
    "undo",
    "waiting",
    "why",
    "why_proposed",
]
