"""POST context: the block for an agent's prompt, with memories that fit and guidance from similar runs."""

import time
from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import guidance
from consolidation.guidance import Guidance
from consolidation.guidance.guide import NO_ACTION
from consolidation.guidance.rendering import block, in_names, text_in_names
from consolidation.learning.runs.harness_tools import names_of
from consolidation.learning.statements.text_statements import kind_of_text, names_of_kind
from consolidation.models.lessons import is_lesson
from consolidation.places import PlaceKnowledge, knowledge_of
from consolidation.places import names_of as places_of
from consolidation.places.agents_md import block as commands_of
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.shapes import EXAMPLE_ID, Count, Json, Percent, Shape, Share
from memories.models import Memory
from memories.search import context
from memories.search.context import ContextRequest, Item, Ration
from memories.search.context.time_budget import Allowance
from memories.values.choices import Permission, Review
from memories.values.speakers import agents_of, review_of
from memories.values.trust import Trust
from memos_site.platform import measures

ANSWER_WITHIN = 1.9  # seconds, of which the memories take what they need
LEAST = 0.05
MOST_LESSONS = 2
EXAMPLE: Json = {
    "task": "Write to Acme about the invoice that is overdue",
    "source": "billing-agent",
    "scopes": ["project:shop"],
    "thread_id": "ticket-812",
    "limit": 5,
    "token_budget": 300,
}


class ContextItem(Shape):
    memory_id: UUID
    category: Literal["preference", "pattern", "fact", "contact", "workflow", "skill"]
    content: str
    """The text as stored; in `block` it is put on one line"""
    confidence: Percent
    status: Literal["confirmed", "applied"]
    overridable: bool
    """False: a person taught it or promoted it to applied, and the agent must follow it; true: a hint"""
    review: Review | None
    """Who stands behind it: a `person` who decided it, several `agents`, or `one_agent` alone. The line of such a claim
    says `unreviewed`, except for the agent that made it"""
    agents: Count | None
    """How many agents have made the claim; null for a skill"""
    until: datetime | None = None
    """Only for an older state: when the newer one was stored, which precedes it if it fits"""
    url: str | None = None
    """Only for a skill: the address of its package"""
    name: str | None = None
    """Only for a skill: its name, which with `scope` addresses it in every endpoint and tool"""
    scope: str | None = None

    @classmethod
    def of(cls, item: Item) -> Json:
        address: Json = {"name": item.name, "scope": item.memory.scope, "url": item.url}
        more_fields: Json = address if item.url else {}
        more_fields |= {"until": item.until} if item.until else {}
        more_fields |= {"review": review_of(item.memory), "agents": agents_of(item.memory)}
        return cls.from_row(
            item.memory, memory_id=item.memory.pk, category=item.category, overridable=item.overridable, **more_fields
        )


class ContextQuote(Shape):
    """A passage of an earlier conversation, given where no memory fits the task."""

    episode_id: UUID
    event_id: UUID | None
    at: datetime
    speaker: str
    text: str
    until: datetime | None
    """When the same speaker later said something newer about the same subject; null where that never happened"""


class ContextGuidance(Shape):
    """What similar finished runs say of the task. For more, send the whole conversation to `POST guidance`."""

    decision: Literal["skill", "act", "no_action"]
    confidence: Share
    effects: list[str]
    """Tools that change something and that similar runs used with success"""
    skill: str | None
    """The published skill that has these effects"""

    @classmethod
    def of(cls, advice: Guidance) -> Json | None:
        """None: not sure enough."""
        if advice.needs_more:
            return None
        skill = advice.skill.name if advice.skill else None
        return cls.from_row(advice, effects=advice.expected.effects, skill=skill)


class ContextPlace(Shape):
    """Which commands start in this repository, as runs showed; `GET places/agents.md` has all of them."""

    name: str
    runs: Count
    starting: list[str]
    """Forms of commands that start in this repository"""
    failing: list[str]
    """Forms of commands that do not start in it"""

    @classmethod
    def of(cls, knowledge: PlaceKnowledge) -> Json | None:
        if not (knowledge.starting or knowledge.failing):
            return None
        forms = {name: [command.form for command in getattr(knowledge, name)] for name in ("starting", "failing")}
        return cls.from_row(knowledge, **forms)


class ContextAnswer(Shape):
    block: str
    """Text to put into the prompt unchanged: a heading and one line for each item by confidence, then guidance, then
    commands of the `repository`; empty where there is nothing to say"""
    items: list[ContextItem]
    """What `block` is made of, in the order of its lines"""
    guidance: ContextGuidance | None
    """Null without a task, with `as_of`, and where similar runs do not agree enough"""
    place: ContextPlace | None
    """Commands of the `repository`; null where none was named, or runs have shown nothing of its commands"""
    quotes: list[ContextQuote]
    """Passages of earlier conversations, at most as many as the request's `quotes`; of several by one speaker about one
    subject the newest comes first"""
    notices: list[str]
    """New adaptations of this source, each told once; the second line of each says how to review it"""
    memory_status: Literal["ok", "degraded"]
    degraded: list[
        Literal[
            "company",
            "source",
            "embedding",
            "search",
            "former_words",
            "memories",
            "quotes",
            "use",
            "notices",
            "guidance",
            "place",
        ]
    ]
    """Parts that are missing from this answer because they failed or took too long"""

    example = {
        "block": "## Relevant Memories\n- [preference] Remind Acme by mail, not by phone (confidence: 95)",
        "items": [
            {
                "memory_id": EXAMPLE_ID,
                "category": "preference",
                "content": "Remind Acme by mail, not by phone",
                "confidence": 95,
                "status": "applied",
                "overridable": False,
                "review": "person",
                "agents": 1,
            }
        ],
        "guidance": None,
        "place": None,
        "quotes": [],
        "notices": [],
        "memory_status": "ok",
        "degraded": [],
    }


class Context(ApiView):
    post_reads = True
    needs = {"POST": (Permission.READ,)}

    @operation("Context", "Search", ContextAnswer, takes=ContextRequest, example=EXAMPLE)
    def post(self, request: Request) -> Response:
        """Get the context for a task

        Returns memories that fit the task, as a block for the prompt: found by the words and the meaning of the task,
        by its company and by the source. Only confirmed and applied memories, about that company or none. When the
        task is to write a text (a report, a reply, minutes), what people said about drafts of this kind comes first
        and does not count against `limit`. Without `company_id` the company is the one known company that the task
        names. Answers within two seconds; `degraded` names what is missing. `## Guidance` holds advice from similar
        finished runs when it is sure enough; with `repository`, `## Commands in ...` lists the commands that start
        there. Counts a use of each item when an agent asks, and delivers pending notices of adaptations once. With
        `as_of` it is the context that would have been given then, from what may be seen today: without guidance and
        notices, and nothing counts as used.
        """
        return Response(give_context(request.data, trust=self.trust, at=timezone.now()))


def give_context(body: Any, *, trust: Trust, at: datetime) -> Json:
    """The answer to the body of a request for context. Invalid names each wrong field."""
    started_at, question = time.monotonic(), context.check(body)
    withheld = guidance.withheld_from(question.thread_id or "", question.narrows(trust))
    kinds = names_of_kind(kind_of_text(question.task))
    lessons = _lessons(question, trust, at=at)
    assembly = context.assemble(question, trust=trust, at=at, without=withheld, ration=lessons, kinds=kinds)
    allowance = Allowance(max(LEAST, ANSWER_WITHIN - (time.monotonic() - started_at)))
    advice = _guidance(question, trust, allowance, at=at)
    if kinds and advice.decision == NO_ACTION:  # who writes a text has nothing to change
        advice = Guidance()
    place = _place(question, trust, allowance, at=at)
    names = names_of(question.source or trust.actor.name)
    if advice.needs_more:  # finished runs tell more than what was said in them
        assembly = context.with_quotes(assembly, question, trust=trust, at=at, allowance=allowance)
    measures.retrievals.labels("context", "found" if assembly.items else "empty").inc()
    missing_parts = list(dict.fromkeys((*assembly.degraded, *allowance.degraded)))
    return ContextAnswer.from_row(
        assembly,
        block="\n\n".join(filter(None, (assembly.block, text_in_names(block(advice), names), commands_of(place)))),
        items=[ContextItem.of(item) for item in assembly.items],
        quotes=[ContextQuote.from_row(quote) for quote in assembly.quotes],
        guidance=in_names(ContextGuidance.of(advice), names),
        place=ContextPlace.of(place),
        memory_status="degraded" if missing_parts else "ok",
        degraded=missing_parts,
    )


def _lessons(body: ContextRequest, trust: Trust, *, at: datetime) -> Ration:
    """At most MOST_LESSONS of them, and of these not the ones that this run does without."""
    scope = body.only_scope(trust)

    def withheld(lessons: Collection[Memory]) -> Collection[UUID]:
        return guidance.offer_lessons(lessons, body.thread_id or "", trust, scope=scope, at=at)

    return Ration(is_lesson, MOST_LESSONS, withheld)


def _guidance(body: ContextRequest, trust: Trust, allowance: Allowance, *, at: datetime) -> Guidance:
    """Return the guidance for the task; unsure without one, as of then, and on failure and timeout, which `degraded`
    names.
    """
    if not body.task.strip() or body.as_of:
        return Guidance()
    question = guidance.check({"task": body.task, "thread_id": body.thread_id})
    run_trust = body.narrows(trust)
    return allowance.part("guidance", lambda: guidance.answer(question, trust=run_trust, at=at)) or Guidance()


def _place(body: ContextRequest, trust: Trust, allowance: Allowance, *, at: datetime) -> PlaceKnowledge:
    """Return what is known of the repository; empty where none is named, as of then, and on failure and timeout."""
    if not body.repository.strip() or body.as_of:
        return PlaceKnowledge("")
    run_trust = body.narrows(trust)

    def read_place() -> PlaceKnowledge:
        return knowledge_of(places_of(body.repository, run_trust), run_trust, at=at, memories=False)

    return allowance.part("place", read_place) or PlaceKnowledge("")
