"""Review: what waits for a person, from every app, and the decisions about it."""

from memories.values.choices import REASONS
from memos_site.review.bulk import CHUNK, MOST_AT_ONCE, Bulk, by_filter, by_ids, ids_matching
from memos_site.review.bulk_run import MOST_IN_A_RUN, options_of, order, order_undo
from memos_site.review.consent import Question, question
from memos_site.review.decide import DecisionResult, decide
from memos_site.review.decide_rows import OF_PROPOSALS, accept, lift, reject, revert, version_token
from memos_site.review.explain import Explanation, explain, first_speaker
from memos_site.review.past_decisions import COUNTED_ACTIONS, History, PastDecision, history, past_decisions, tally
from memos_site.review.settle import merge, settle
from memos_site.review.undo import BatchState, UndoResult, batch_state, is_large, undo
from memos_site.review.waiting import (
    EXACT,
    FLAGGED,
    ORDER,
    ORDERS,
    PROPOSALS,
    RESEMBLES,
    SNOOZED,
    SNOOZED_ORDER,
    SNOOZED_PROPOSALS,
    VERSION,
    WITHHELD,
    kind_of,
    open_proposals,
    rows_of_parts,
    waiting_memories,
    waiting_parts,
)
from memos_site.review.waiting_counts import (
    BULK_ORDERS,
    MAKER,
    MOST_COUNTED,
    MOST_OF_VIEW,
    MOST_OFFERED,
    crowding,
    kinds,
    new_count,
    rail_counts,
    values_of_waiting,
    waiting_count,
)
