"""The hall's operations in words, with an example each."""

from typing import Any

from memories.api.described import Answer, Operation
from memories.api.examples import AT, HISTORY_ENTRY, ID, memory
from memories.api.parameters import query, some_of
from memories.api.preconditions import IF_MATCH
from memories.models import Proposal
from memories.models.proposal import STILL_OPEN
from memories.values.choices import Category, Type
from memos_site import review
from memos_site.api import schema
from skills.api.operations import NAME, NUMBER, SCOPE

TAG = "Decisions"
BESIDE = "Beside memories"
DECIDED: dict[int, Answer] = {200: schema.Decided}
REFUSES = frozenset({404, 409})
STALE = frozenset({404, 409, 412})
DECISIONS = [STILL_OPEN, *Proposal.Decision.values]
KINDS = [*Type.values, review.VERSION, *review.PROPOSALS]
KIND = query("kind", {"type": "string", "enum": KINDS}, "Of this type of memory or kind of proposal only.")
CATEGORY = query("category", {"type": "string", "enum": Category.values}, "Of this category only.")
SOURCE = query("source", {"type": "string"}, "Of exactly this source (also as `source_plugin`).")
COMPANY = query("company_id", {"type": "string"}, "About exactly this company.")
ACTIVE = query("active", {"type": "string", "enum": ["true", "false"]}, "Those that hold, or those that ended.")
SUBJECT = query("subject", {"type": "string", "format": "uuid"}, "About exactly this one.")
BATCH = query("batch", {"type": "string", "format": "uuid"}, "Of one decision.")
ACTION = query("action", {"type": "string"}, "promote, dismiss, revise, ...")
ACTOR = query("actor", {"type": "string"}, "By whom, by name.")
PROPOSAL: dict[str, Any] = {
    "id": ID,
    "kind": "revision",
    "memory": ID,
    "others": [],
    "change": {"verb": "edit", "content": "Acme pays within 60 days"},
    "resembles": None,
    "why": "new contract",
    "score": None,
    "made_by": "refund-agent",
    "evidence": [],
    "scope": "project:shop",
    "sensitivity": "low",
    "opened_at": AT,
    "snoozed_until": None,
    "decided_at": None,
    "decided_by": "",
    "decision": None,
}
TOMBSTONE: dict[str, Any] = {
    "id": ID,
    "scope": "project:shop",
    "key": "acme-terms",
    "memory_id": ID,
    "category": "fact",
    "reason": "wrong",
    "by": "anna",
    "at": AT,
    "blocks": True,
    "hits": 7,
    "last_hit_at": AT,
    "lifted_at": None,
}
ADAPTATION: dict[str, Any] = {
    "id": ID,
    "memory_id": ID,
    "memory_key": "reply-language",
    "plugin": "refund-agent",
    "description": "Now following the preference: reply in German",
    "applied_at": AT,
    "applied_by": "anna",
    "reverted_at": None,
    "revert_reason": None,
}


def _page(*results: Any) -> dict[str, Any]:
    return {"next": None, "previous": None, "results": list(results)}


def _verb(id: str, summary: str, words: str, takes: Any, example: Any, answers: Any = DECIDED) -> Operation:
    """One that answers the memory as it now stands."""
    about: dict[str, Any] = {"method": "POST", "parameters": (IF_MATCH,), "refuses": STALE}
    return Operation(id, TAG, summary, words, answers, takes=takes, example=example, **about)


PROMOTE_MEMORY = _verb(
    "PromoteMemory",
    "Believe it",
    "A candidate becomes confirmed, or applied. Of a skill the proposed version is published.",
    schema.Promotion,
    {"to": "confirmed", "why": "checked against the handbook"},
)
DEMOTE_MEMORY = _verb(
    "DemoteMemory",
    "Believe it less",
    "An applied one becomes confirmed or a candidate, a confirmed one a candidate. Rules move it no more.",
    schema.Demotion,
    {"to": "candidate", "why": "only true of one customer"},
)
DISMISS_MEMORY = _verb(
    "DismissMemory",
    "Do not believe it",
    "It leaves what agents read, and the same claim does not come back, whatever its key and category: a tombstone "
    "counts who tries. What claims the same under another key is dismissed along (`equals`), in the same batch; not "
    "when the reason is `duplicate`, which keeps the other one.",
    schema.Dismissal,
    {"reason": "stale"},
    {200: schema.Dismissed},
)
RESTORE_MEMORY = _verb(
    "RestoreMemory",
    "Let a dismissed one wait again",
    "It becomes a candidate with the confidence that it had; its tombstone is lifted.",
    schema.Because,
    {"why": "it was right after all"},
)
PIN_MEMORY = _verb(
    "PinMemory",
    "Keep its salience",
    "Pinned, it fades no more and is never pruned; unpinned, it fades again from now on.",
    schema.Pinning,
    {"pinned": True},
)
SNOOZE_MEMORY = _verb(
    "SnoozeMemory",
    "Decide later",
    "It leaves the inbox until then.",
    schema.Snoozing,
    {"until": "2999-01-01T09:00:00Z"},
)
DECIDE_MANY = Operation(
    "DecideMany",
    TAG,
    "Decide about many at once",
    "By `ids`, or by `filter` and `as_of`: without `status` it finds what waits in the inbox, with it what a list of "
    "memories shows. Up to 5,000, each by itself: what fails is named and keeps no other from it. One batch undoes "
    "all.",
    {200: schema.DecidedMany},
    method="POST",
    takes=schema.ManyDecisions,
    example={"action": "dismiss", "ids": [ID], "why": "noise"},
)
UNDO_DECISION = Operation(
    "UndoDecision",
    TAG,
    "Undo a decision",
    "Everything of a batch that still is as the decision left it. Undo of undo is redo. Takes no body.",
    {200: schema.Undone},
    method="POST",
    example={"batch": ID, "undone": [ID], "refused": []},
    refuses=REFUSES,
)
GET_PROPOSAL = Operation(
    "GetProposal",
    BESIDE,
    "What was proposed, and what has become of it",
    "The answer to a write that needed a person names it.",
    {200: schema.Proposal},
    example=PROPOSAL,
    refuses=frozenset({404}),
)
LIST_PROPOSALS = Operation(
    "ListProposals",
    BESIDE,
    "What was proposed",
    "Open ones and decided ones, newest first. What waits for a person stands in the inbox, too.",
    {200: schema.ProposalPage},
    example=_page(PROPOSAL),
    parameters=(
        some_of("kind", Proposal.Kind.values, "Of these kinds."),
        some_of("decision", DECISIONS, "Decided so; `open`: not yet."),
        query("memory", {"type": "string", "format": "uuid"}, "About exactly this memory."),
        query("made_by", {"type": "string"}, "Proposed by, by name."),
    ),
)
ACCEPT_PROPOSAL = Operation(
    "AcceptProposal",
    TAG,
    "Do what was proposed",
    "When it does not apply any more it is a 409 and the proposal stays open. If-Match: the version of its memory.",
    {200: schema.DecidedProposal},
    method="POST",
    takes=schema.Because,
    example={"why": "the contract says so"},
    parameters=(IF_MATCH,),
    refuses=STALE,
)
REJECT_PROPOSAL = Operation(
    "RejectProposal",
    TAG,
    "Leave it as it is",
    "Nothing changes but that the proposal is decided.",
    {200: schema.DecidedProposal},
    method="POST",
    takes=schema.Because,
    example={"why": "one customer only"},
    parameters=(IF_MATCH,),
    refuses=STALE,
)
REJECT_VERSION = Operation(
    "RejectSkillVersion",
    TAG,
    "Do not publish a version",
    "A proposed version of a skill that agents have or had: they keep the published one, and consolidation does not "
    "propose this way of working again. A skill of which nothing was ever published is dismissed instead (409).",
    {200: schema.DecidedVersion},
    method="POST",
    takes=schema.Rejection,
    example={"reason": "wrong", "why": "it pays before it has looked at the order"},
    parameters=(NAME, NUMBER, SCOPE),
    refuses=REFUSES,
)
LIST_TOMBSTONES = Operation(
    "ListTombstones",
    BESIDE,
    "What was dismissed, forgotten or expired",
    "Newest first. `hits` counts the writes that it kept out.",
    {200: schema.TombstonePage},
    example=_page(TOMBSTONE),
    parameters=(ACTIVE,),
)
LIFT_TOMBSTONE = Operation(
    "LiftTombstone",
    TAG,
    "Let the claim come back",
    "A dismissed memory stays dismissed; the same claim may be stored again.",
    {200: schema.LiftedTombstone},
    method="POST",
    takes=schema.Because,
    example={"why": "it has become true"},
    refuses=REFUSES,
)
LIST_ADAPTATIONS = Operation(
    "ListAdaptations",
    BESIDE,
    "Which memories changed the agents' behaviour",
    "Newest first.",
    {200: schema.AdaptationPage},
    example=_page(ADAPTATION),
    parameters=(ACTIVE,),
)
REVERT_ADAPTATION = Operation(
    "RevertAdaptation",
    TAG,
    "End a changed behaviour",
    "Alone: its memory goes back to confirmed and rules apply it no more, under whatever key it is said. Or the memory "
    "is dismissed along.",
    {200: schema.RevertedAdaptation},
    method="POST",
    takes=schema.Reversion,
    example={"keep_memory": True, "why": "too eager"},
    refuses=REFUSES,
)
LIST_AUDIT = Operation(
    "ListAudit",
    BESIDE,
    "What was done, by whom and why",
    "Latest first. It outlives what it speaks of.",
    {200: schema.AuditPage},
    example=_page(HISTORY_ENTRY),
    parameters=(SUBJECT, BATCH, ACTION, ACTOR),
)
LIST_INBOX = Operation(
    "ListInbox",
    TAG,
    "What waits for a person",
    "Candidates and contested memories, proposed versions of skills, and proposals. Most supported first, then newest.",
    {200: schema.InboxPage},
    example=_page({"kind": "semantic", "memory": memory("semantic", status="candidate"), "why": "1 occasion"}),
    parameters=(KIND, CATEGORY, SOURCE, COMPANY),
)
GET_SCHEMA = Operation(
    "GetSchema",
    "Caller",
    "This document",
    "The OpenAPI schema of everything under /api/v1/, as JSON; also without the slash at the end. `/api/docs/` shows "
    "it to people.",
    {200: schema.OpenApiDocument},
    parameters=(query("format", {"type": "string", "enum": ["json"]}, "Only JSON is answered."),),
    example={"openapi": "3.1.0", "info": {"title": "Memos", "version": "1"}, "paths": {}},
)
