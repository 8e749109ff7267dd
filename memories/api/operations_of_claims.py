"""How claims come in and are found by key, in words, with an example each."""

from typing import Any

from memories.api import examples
from memories.api.described import Operation
from memories.api.schema.claims import ClaimBody, NotStored, StoredClaim
from memories.api.schema.trails import MemoryWithTrails
from memories.intake.reports.claims import TeachingReport

TAG = "Memories"
NOTE: dict[str, Any] = {
    "key": "acme-terms",
    "category": "fact",
    "content": "Acme pays on net-30 terms",
    "source": "refund-agent",
    "scope": "project:shop",
    "thread_id": "ticket-812",
}
LESSON: dict[str, Any] = {"content": "Never send proposals on Fridays", "scope": "project:shop"}
ANSWERS: dict[int, Any] = {201: StoredClaim, 200: StoredClaim, 202: NotStored}

STORE_MEMORY = Operation(
    "StoreMemory",
    TAG,
    "Store a claim",
    "New under its scope and key it becomes a candidate (201). Else it is heard as what the live memory of that key "
    "says again: the same claim or a rewording confirms it, once an episode and once a day for each thread (200). "
    "Another claim takes the place of a candidate, which begins anew (`reset`); of what is confirmed or held by a "
    "person only a revision is proposed (202). What people dismissed is suppressed (200). With `type` a whole typed "
    "memory.",
    ANSWERS,
    method="POST",
    takes=ClaimBody,
    example=NOTE,
    refuses=frozenset({404}),
)
TEACH = Operation(
    "TeachMemory",
    TAG,
    "Teach: a person's deliberate statement",
    "Confirmed at once, and no rule takes it lower or replaces its words. The category is detected and the key "
    "proposed unless they are given. Something like it, or a dismissal of it, answers 409 with `candidates` unless "
    "`resolve` says what is meant: `update` the nearest (or `memory_id`), keep both `separate`, or `restore` what was "
    "dismissed.",
    ANSWERS,
    method="POST",
    takes=TeachingReport,
    example=LESSON,
    refuses=frozenset({404, 409}),
)
GET_MEMORY_BY_KEY = Operation(
    "GetMemoryByKey",
    TAG,
    "The memory of a key, whatever its status",
    "The live one, else the one that was closed last. Counts as a use when an agent asks. The ETag is its version.",
    {200: MemoryWithTrails},
    example=examples.memory("semantic", key="acme-terms", category="fact"),
    refuses=frozenset({404}),
)
