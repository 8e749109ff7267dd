"""POST context: the block for an agent's prompt."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import context
from memories.api import operations_of_context as operations
from memories.api.described import described
from memories.api.doors import Door
from memories.choices import Permission
from memories.context import Item


@described(operations.CONTEXT)
class Context(Door):
    needs = {"POST": (Permission.READ,)}

    def post(self, request: Request) -> Response:
        given = context.assemble(context.check(request.data), trust=self.trust, at=timezone.now())
        return Response(
            {
                "block": given.block,
                "items": [_item(item) for item in given.items],
                "notices": given.notices,
                "memory_status": given.memory_status,
                "degraded": list(given.degraded),
            }
        )


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
    return shown | {"path": item.path} if item.path else shown
