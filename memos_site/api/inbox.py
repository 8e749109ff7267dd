"""GET inbox: memories, proposed versions of skills and proposals, in one queue."""

from typing import Any

from django.db.models import Prefetch
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists
from memories.api import representations as of_memories
from memories.api.base import ApiView
from memories.api.described import described
from memories.api.lists import PAGING
from memories.models import Memory, Proposal
from memories.values.choices import Category, Permission
from memories.values.exceptions import FieldError, Invalid
from memos_site import review
from memos_site.api import operations, representations
from skills.api import representations as of_skills
from skills.models import SkillVersion

EXACT = ("scope", "source", "company_id")


@described(operations.LIST_INBOX)
class Inbox(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"kind", "category", *EXACT}) | PAGING

    def get(self, request: Request) -> Response:
        at, now = lists.moment(request), timezone.now()
        asked = {name: request.query_params.get(name, "") for name in EXACT}
        asked |= {
            "kind": _one(request, "kind", operations.KINDS),
            "category": _one(request, "category", Category.values),
        }
        versions = Prefetch("skill__versions", SkillVersion.objects.select_related("skill"))
        rows = review.waiting(self.trust, at=now, **asked).prefetch_related(versions)

        def show(row: Memory | Proposal) -> dict[str, Any]:
            kind = review.kind_of(row)
            if isinstance(row, Proposal):
                return {"kind": kind, "proposal": representations.proposal(row), "why": review.why_proposed(row)}
            skill: Any = getattr(row, "skill", None)
            if kind == review.VERSION and skill.proposed:
                return {"kind": kind, "version": _version(skill, row), "why": review.why(row)}
            return {"kind": row.type, "memory": of_memories.memory(row, at=at), "why": review.why(row)}

        also = [review.proposed(self.trust, at=now, **asked)]
        return lists.answer(request, rows, review.ORDER, show=show, at=at, also=also)


def _version(skill: Any, row: Memory) -> dict[str, Any]:
    """The proposed version, and whose it is."""
    whose = {"memory_id": row.pk, "name": skill.name, "scope": row.scope}
    return {**of_skills.version(skill.proposed), **whose}


def _one(request: Request, name: str, allowed: list[str]) -> str:
    values = lists.choice(request, name, allowed)
    if len(values) > 1:
        raise Invalid(FieldError(f"/{name}", "too_many", f"names one {name}, or is left out"))
    return "".join(values)
