"""The context in words, with an example."""

from typing import Any

from memories.api import examples
from memories.api.described import Operation
from memories.search.context import ContextRequest
from memos_site.api.schema_of_context import ContextAnswer

EXAMPLE: dict[str, Any] = {
    "task": "Write to Acme about the invoice that is overdue",
    "source": "billing-agent",
    "scope": "project:shop",
    "thread_id": "ticket-812",
    "limit": 5,
    "token_budget": 300,
}
ABOUT = (
    "What is known that fits the task, as a block for the prompt: found by the words and the meaning of the task, by "
    "the company that it is about and by the source. Only what is confirmed or applied, and about that company or "
    "none. Without `company_id` it is the one known company that the task names. Answers within two seconds with what "
    "it has, and says in `degraded` what is missing. Under `## Guidance` stands what similar finished runs say of the "
    "task, when that is sure enough. Counts a use of each item when an agent asks, and tells waiting "
    "notices of adaptations once."
)
CONTEXT = Operation(
    "Context",
    "Search",
    "Get the context for a task",
    ABOUT,
    {200: ContextAnswer},
    method="POST",
    takes=ContextRequest,
    example=EXAMPLE,
    refuses=frozenset({413, 415}),
)
ANSWER: dict[str, Any] = {
    "block": "## Relevant Memories\n- [preference] Remind Acme by mail, not by phone (confidence: 95)",
    "items": [
        {
            "memory_id": examples.ID,
            "category": "preference",
            "content": "Remind Acme by mail, not by phone",
            "confidence": 95,
            "status": "applied",
            "overridable": False,
        }
    ],
    "guidance": None,
    "notices": [],
    "memory_status": "ok",
    "degraded": [],
}
