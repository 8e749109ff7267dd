"""GET inbox: memories, proposed versions of skills and proposals, in one queue."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from django.db.models import Prefetch
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView
from memories.api.memory_shape import Memory, memory_example
from memories.api.openapi import operation
from memories.api.paging import PAGING, query
from memories.api.shapes import EXAMPLE_ID, Json, Page, Shape
from memories.intake.claims import Resemblance, resemblances_of
from memories.values.choices import Category, Permission, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.keyset import Part
from memos_site import review
from memos_site.api.proposals import Proposal
from skills import models as of_skills
from skills.api.versions import SkillVersion

EXACT = ("scope", "source", "company_id")
KINDS = [*Type.values, review.VERSION, *review.PROPOSALS]


class ProposedVersion(SkillVersion):
    """A proposed version, with the name of its skill."""

    memory_id: UUID
    name: str
    scope: str


class Resembled(Shape):
    """A dismissed claim that a waiting one resembles; all fields are null where the caller may not see it."""

    tombstone: UUID | None
    scope: str | None
    memory_id: UUID | None
    content: str | None
    """The dismissed text; null where it was forgotten or the caller may not see it"""

    example = {
        "tombstone": EXAMPLE_ID,
        "scope": "",
        "memory_id": EXAMPLE_ID,
        "content": "The bank account of Acme is 4471002938",
    }


class WaitingMemory(Shape):
    kind: Literal["semantic", "competence", "plan_graph", "working", "episodic"]
    memory: Memory
    why: str
    """Why the memory waits for a decision"""
    resembles: Resembled | None

    example = {
        "kind": "semantic",
        "memory": memory_example(status="candidate"),
        "why": "1 occasion",
        "resembles": None,
    }


class WaitingVersion(Shape):
    kind: Literal["version"]
    version: ProposedVersion
    why: str


class WaitingProposal(Shape):
    kind: Literal["revision", "merge", "conflict", "failing"]
    proposal: Proposal
    why: str


class InboxPage(Page):
    results: list[WaitingMemory | WaitingVersion | WaitingProposal]


class Inbox(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"kind", "category", *EXACT}) | PAGING

    @operation(
        "ListInbox",
        "Decisions",
        InboxPage,
        parameters=(
            query("kind", {"type": "string", "enum": KINDS}, "Only of this type of memory or kind of proposal."),
            query("category", {"type": "string", "enum": Category.values}, "Only of this category."),
            query("source", {"type": "string"}, "Only of exactly this source (also as `source_plugin`)."),
            query("company_id", {"type": "string"}, "Only about exactly this company."),
        ),
    )
    def get(self, request: Request) -> Response:
        """List what waits for a person's decision

        Lists candidates and contested memories, proposed versions of skills, and proposals. Most supported first,
        then newest.
        """
        at, now = paging.moment(request), timezone.now()
        filters = dict.fromkeys(EXACT, "") | paging.exact(request, *EXACT)
        filters |= {
            "kind": _single_choice(request, "kind", KINDS),
            "category": _single_choice(request, "category", Category.values),
        }
        versions = Prefetch("skill__versions", of_skills.SkillVersion.objects.select_related("skill"))
        rows = review.rows_of_parts(self.trust).prefetch_related(versions)
        resemblances: dict[UUID, Resemblance] = {}

        def read_resemblances(page: Sequence[models.Memory | models.Proposal]) -> None:
            resemblances.update(resemblances_of([row for row in page if isinstance(row, models.Memory)], self.trust))

        def show(row: models.Memory | models.Proposal) -> Json:
            kind = review.kind_of(row)
            if isinstance(row, models.Proposal):
                return {"kind": kind, "proposal": Proposal.of(row), "why": str(review.explain(row, self.trust))}
            skill: Any = getattr(row, "skill", None)
            if kind == review.VERSION and skill.proposed:
                skill_fields = {"memory_id": row.pk, "name": skill.name, "scope": row.scope}
                version = {**SkillVersion.of(skill.proposed), **skill_fields}
                return {"kind": kind, "version": version, "why": str(review.explain(row, self.trust))}
            resemblance = resemblances.get(row.pk)
            return {
                "kind": row.type,
                "memory": Memory.of(row, at=at),
                "why": str(review.explain(row, self.trust)),
                "resembles": resemblance.as_json if resemblance else None,
            }

        parts = [Part(rows) for rows in review.waiting_parts(self.trust, at=now, **filters).values()]
        proposals = [review.open_proposals(self.trust, at=now, **filters)]
        return paging.answer(
            request, rows, review.ORDER, show=show, at=at, also=proposals, parts=parts, restore=read_resemblances
        )


def _single_choice(request: Request, name: str, allowed_values: list[str]) -> str:
    values = paging.choice(request, name, allowed_values)
    if len(values) > 1:
        raise Invalid(FieldError(f"/{name}", "too_many", f"names one {name}, or is left out"))
    return "".join(values)
