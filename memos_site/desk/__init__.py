"""The desk: what waits for a person, whatever room it belongs to, and the verbs by which it is decided."""

from memos_site.desk.bulk import CHUNK, MOST_AT_ONCE, Many, by_filter, by_ids
from memos_site.desk.deciding import (
    EXPERIENCE,
    REASONS,
    VERBS,
    Decision,
    accept,
    decide,
    lift,
    reject,
    revert,
    stand,
)
from memos_site.desk.snoozing import put_off
from memos_site.desk.undoing import Undone, undo
from memos_site.desk.waiting import (
    ORDER,
    PROPOSALS,
    VERSION,
    kind_of,
    kinds,
    proposed,
    to_go,
    waiting,
    why,
    why_proposed,
)

__all__ = [
    "CHUNK",
    "EXPERIENCE",
    "MOST_AT_ONCE",
    "ORDER",
    "PROPOSALS",
    "REASONS",
    "VERBS",
    "VERSION",
    "Decision",
    "Many",
    "Undone",
    "accept",
    "by_filter",
    "by_ids",
    "decide",
    "kind_of",
    "kinds",
    "lift",
    "proposed",
    "put_off",
    "reject",
    "revert",
    "stand",
    "to_go",
    "undo",
    "waiting",
    "why",
    "why_proposed",
]
