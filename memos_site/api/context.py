"""POST context: the block for an agent's prompt: what is known that fits, and what similar runs say of the task."""

import time
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import guidance
from consolidation.guidance import Guidance
from consolidation.guidance.rendering import block
from memories.api.base import ApiView
from memories.api.described import described
from memories.search import context
from memories.search.context import ContextRequest, Item
from memories.search.context.time_budget import Allowance
from memories.values.choices import Permission
from memories.values.trust import Trust
from memos_site.api import operations_of_context as operations

ANSWER_WITHIN = 1.9  # seconds, of which the memories take what they need
LEAST = 0.05


@described(operations.CONTEXT)
class Context(ApiView):
    needs = {"POST": (Permission.READ,)}

    def post(self, request: Request) -> Response:
        started = time.monotonic()
        asked, at = context.check(request.data), timezone.now()
        given = context.assemble(asked, trust=self.trust, at=at)
        allowance = Allowance(max(LEAST, ANSWER_WITHIN - (time.monotonic() - started)))
        told = _guidance(asked, self.trust, allowance, at=at)
        degraded = [*given.degraded, *allowance.degraded]
        return Response(
            {
                "block": "\n\n".join(part for part in (given.block, block(told)) if part),
                "items": [_item(item) for item in given.items],
                "guidance": _told(told),
                "notices": given.notices,
                "memory_status": "degraded" if degraded else "ok",
                "degraded": degraded,
            }
        )


def _guidance(asked: ContextRequest, trust: Trust, allowance: Allowance, *, at: datetime) -> Guidance:
    """Unsure without a task, and when it fails or takes too long, which `degraded` then says."""
    if not asked.task.strip():
        return Guidance()
    question = guidance.check({"task": asked.task, "thread_id": asked.thread_id})
    seen = asked.narrows(trust)
    return allowance.part("guidance", lambda: guidance.answer(question, trust=seen, at=at)) or Guidance()


def _told(told: Guidance) -> dict[str, Any] | None:
    if told.needs_more:
        return None
    skill = told.skill.name if told.skill else None
    effects = told.expected.effects
    return {"decision": told.decision, "confidence": told.confidence, "effects": effects, "skill": skill}


def _item(item: Item) -> dict[str, Any]:
    row = item.memory
    shown: dict[str, Any] = {
        "memory_id": row.pk,
        "category": item.category,
        "content": row.content,
        "confidence": row.confidence,
        "status": row.status,
        "overridable": item.overridable,
    }
    return shown | {"url": item.url} if item.url else shown
