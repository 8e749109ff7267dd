"""What the tests of contexts share: a short way to ask, and what one looks at."""

from datetime import datetime
from typing import Any

from memories.models import Memory
from memories.models.passage import of_memories, write
from memories.search import context
from memories.search.context import Context
from memories.search.context.assembling import ANSWER_WITHIN
from memories.search.context.time_budget import Allowance
from memories.values.choices import Status, Type
from memories.values.trust import Trust
from tests.deciding import make_applied
from tests.make import AT
from tests.memories.revising import agent
from tests.memories.searched import known

PATH = "skills/refund/1.zip"


def ask(task: str = "", *, by: Trust | None = None, at: datetime = AT, **asked: Any) -> Context:
    request, trust = context.check({"task": task, **asked}), by or agent()
    given = context.assemble(request, trust=trust, at=at)
    return context.with_quotes(given, request, trust=trust, at=at, allowance=Allowance(ANSWER_WITHIN))


def said(given: Context) -> list[str]:
    return [item.memory.content for item in given.items]


def applied(content: str, **facts: Any) -> Memory:
    """An applied preference that can be found; its notice waits for P01."""
    memory = make_applied(content, **facts)
    write(of_memories([memory]))
    return memory


def skill(content: str, **facts: Any) -> Memory:
    published = {"skill": {"name": "refund", "version": 1, "path": PATH}}
    return known(content, **{"type": Type.COMPETENCE, "confidence": 80, "payload": published} | facts)


NOT_GIVEN: dict[str, dict[str, Any]] = {
    "a candidate": {"status": Status.CANDIDATE},
    "contested": {"status": Status.CONTESTED},
    "dismissed": {"status": Status.DISMISSED},
    "past its TTL": {"expires_at": AT},
    "not yet valid": {"valid_from": datetime.max.replace(year=2999, tzinfo=AT.tzinfo)},
    "not valid any more": {"valid_to": AT},
    "flagged": {"flags": ["secret"]},
    "above the caller": {"sensitivity": 3},
    "of another scope": {"scope": "project:b"},
    "of another company": {"company_id": "globex"},
    "a working state": {"type": Type.WORKING, "thread_id": "t1"},
    "a plan": {"type": Type.PLAN_GRAPH},
    "a skill that is not published": {"type": Type.COMPETENCE},
}
