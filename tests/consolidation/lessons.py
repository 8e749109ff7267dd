"""A scope in which refusing ends well and cancelling ends ill, and lessons that a scripted model writes about it."""

from datetime import timedelta
from typing import Any

from rest_framework.test import APIClient

from consolidation import lessons_run
from consolidation.models import Lesson, Run
from memories.models import Memory
from memories.values.choices import Sensitivity
from tests.consolidation.contrasted import LATER
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import SCOPE, WISH, learn

Json = dict[str, Any]
TASK = WISH.format(n="T7007")
LINE: Json = {
    "when": "the fare is basic and the plans have changed",
    "do": False,
    "what": "call `cancel_ticket`",
    "tool": "cancel_ticket",
    "argument": "",
    "value": "",
    "sign": '"fare": "basic"',
    "success_quote": "my plans have changed",
    "failure_quote": '{"ticket": "T',
}
SENTENCE = "When the fare is basic and the plans have changed, do not call `cancel_ticket`"


def learned(**fields: Any) -> None:
    """Of one case a run refused and ended well, and one cancelled and failed; three others refused, two cancelled."""
    learn(0, **fields)
    learn(0, "cancel_ticket", outcome="failure", **fields)
    for n in range(1, 4):
        learn(n)
    for n in (4, 5):
        learn(n, "cancel_ticket", outcome="failure")
    consolidated()


def lines(*changed: Json) -> Json:
    return {"lines": [{**LINE, **one} for one in changed]}


def compare(*, scope: str = SCOPE, level: int = Sensitivity.MEDIUM, minutes: float = 0) -> Run:
    """The unfinished run about the scope, or a new one, as a worker leaves it."""
    run = lessons_run.request(scope, level, trigger=Run.Trigger.PAGE, at=LATER)
    lessons_run.process_queue(now=lambda: LATER + timedelta(minutes=minutes))
    run.refresh_from_db()
    return run


def lesson() -> Memory:
    return Lesson.objects.select_related("memory").get().memory


def context(client: APIClient, **body: Any) -> str:
    answer: Any = client.post("/api/v1/context", {"task": TASK, "scopes": [SCOPE], **body}, format="json")
    return str(answer.json()["block"])
