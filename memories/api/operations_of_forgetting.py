"""What time and people take away, in words, with an example each."""

from typing import Any

from memories.api import examples
from memories.api.described import Operation
from memories.api.schema.forgetting import Penalty, Receipt, Reinforcement
from memories.api.schema.memory import Memory

TAG = "Forgetting"
RECEIPT: dict[str, Any] = {
    "memory": examples.ID,
    "adaptations_reverted": 1,
    "relations": 0,
    "evidence": 4,
    "events": 0,
    "skills_withdrawn": 0,
}
FINAL = " Of the history stays who did what when, without a word of what it said. It cannot be undone."
OWN = " An agent forgets what is its own, and may store it again; what a person forgets is not stored again."

FORGET_MEMORY = Operation(
    "ForgetMemory",
    TAG,
    "Forget a memory",
    "Row, evidence, events, vectors and every quotation of it go; behaviour that it caused ends." + OWN + FINAL,
    {200: Receipt},
    method="DELETE",
    example=RECEIPT,
    refuses=frozenset({404, 409}),
)
FORGET_MEMORY_BY_KEY = Operation(
    "ForgetMemoryByKey",
    TAG,
    "Forget what a key names",
    "The live memory of that key, else the one that was closed last. A key that nobody has is a 404 with at most three "
    "`suggestions`." + OWN + FINAL,
    {200: Receipt},
    method="DELETE",
    example=RECEIPT,
    refuses=frozenset({404, 409}),
)
ERASE_MEMORY = Operation(
    "EraseMemory",
    TAG,
    "Erase every trace of a memory",
    "As forgetting, and its keys, its tombstone and its history go too; also of what was forgotten before. "
    "Administrators only.",
    {200: Receipt},
    method="POST",
    example=RECEIPT,
    refuses=frozenset({404, 409}),
)
REINFORCE_MEMORY = Operation(
    "ReinforceMemory",
    TAG,
    "Make a memory more salient",
    "Salience as of now rises by `amount`, to 1 at most. Nothing else moves.",
    {200: Memory},
    method="POST",
    takes=Reinforcement,
    example={"amount": 0.1},
    refuses=frozenset({404}),
)
PENALIZE_MEMORY = Operation(
    "PenalizeMemory",
    TAG,
    "Make a memory less salient",
    "Salience as of now falls by `amount`, to the memory's least at most. Nothing else moves. Of experience, which is "
    "removed when it has faded, an agent penalizes only its own.",
    {200: Memory},
    method="POST",
    takes=Penalty,
    example={"amount": 0.25},
    refuses=frozenset({404}),
)
