"""The hall's operations in words, with an example each."""

from typing import Any

from memories.api.described import Answer, Operation
from memories.api.examples import ID, memory
from memories.api.parameters import query
from memories.choices import Type
from memos_site.api.schema import Decided, Dismissal, InboxPage, OpenApiDocument, Promotion, Restoration, Undone

TAG = "Decisions"
DECIDED: dict[int, Answer] = {200: Decided}
REFUSES = frozenset({404, 409})
KIND = query("kind", {"type": "string", "enum": Type.values}, "Of this type only.")
_ITEM: dict[str, Any] = {"kind": "semantic", "memory": memory("semantic", status="candidate")}

PROMOTE_MEMORY = Operation(
    "PromoteMemory",
    TAG,
    "Believe it",
    "A candidate becomes confirmed, or applied. Of a skill the proposed version is published.",
    DECIDED,
    method="POST",
    takes=Promotion,
    example={"to": "confirmed", "why": "checked against the handbook"},
    refuses=REFUSES,
)
DISMISS_MEMORY = Operation(
    "DismissMemory",
    TAG,
    "Do not believe it",
    "It leaves what agents read.",
    DECIDED,
    method="POST",
    takes=Dismissal,
    example={"reason": "stale"},
    refuses=REFUSES,
)
RESTORE_MEMORY = Operation(
    "RestoreMemory",
    TAG,
    "Let a dismissed one wait again",
    "It becomes a candidate.",
    DECIDED,
    method="POST",
    takes=Restoration,
    example={"why": "it was right after all"},
    refuses=REFUSES,
)
UNDO_DECISION = Operation(
    "UndoDecision",
    TAG,
    "Undo a decision",
    "Everything of a batch that still is as the decision left it. Undo of undo is redo. Takes no body.",
    {200: Undone},
    method="POST",
    example={"batch": ID, "undone": [ID], "refused": []},
    refuses=REFUSES,
)
LIST_INBOX = Operation(
    "ListInbox",
    TAG,
    "What waits for a person",
    "Most supported first, then newest. A skill waits again when a new version of it is proposed.",
    {200: InboxPage},
    example={"next": None, "previous": None, "results": [{**_ITEM, "why": "2 occasions speak for it"}]},
    parameters=(KIND,),
)
GET_SCHEMA = Operation(
    "GetSchema",
    "Caller",
    "This document",
    "The OpenAPI schema of everything under /api/v1/. `/api/docs/` shows it to people.",
    {200: OpenApiDocument},
    example={"openapi": "3.1.0", "info": {"title": "Memos", "version": "1"}, "paths": {}},
)
