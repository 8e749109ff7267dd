"""POST guidance: what similar runs did and how they ended, and what they say of a call that is about to be made."""

import time
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import guidance
from consolidation.guidance import rendering
from consolidation.guidance.request import GuidanceRequest
from consolidation.insights import day_counts
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.shapes import Count, Json, Shape, Share
from memories.values.choices import Permission
from memories.values.trust import Trust
from memos_site.platform import measures

Similarity = Annotated[float, Field(ge=-1, le=1)]
OutcomeName = Literal["success", "failure", "partial"]


class ExpectedEffects(Shape):
    effects: list[str]
    """Tools that change something, sorted; empty where nothing should be changed, or nothing is known"""
    share: Share
    """The share of the similar runs' vote for these effects"""
    cases: Count
    """Distinct similar cases that ended well with exactly these"""


class OfferedSkill(Shape):
    """`name` and `scope` address it in every endpoint and tool."""

    name: str
    scope: str
    version: int
    url: str
    """The address of the package"""
    summary: str
    steps: Annotated[list[str], Field(max_length=5)]
    """The steps; empty where runs without them ended no worse: then only `avoid` can be learned from the skill"""
    checks: list[str]
    avoid: list[str]
    memory_id: UUID


class SimilarRun(Shape):
    episode_id: UUID
    thread_id: str | None
    similarity: Similarity
    outcome: OutcomeName
    effects: list[str]
    opening: str
    """The beginning of the user's first message"""


class ArgumentNote(Shape):
    pointer: str
    """An RFC 6901 JSON pointer to the argument in `about_to`"""
    note: str


class CheckedRun(Shape):
    episode_id: UUID
    thread_id: str | None
    outcome: OutcomeName
    called: bool
    """Whether that run called the tool; a command that did not start does not count"""
    similarity: Similarity


class CheckedCall(Shape):
    """What similar runs say of the call that the agent is about to make. Counts are distinct cases. It is advice: the
    agent decides."""

    verdict: Literal["supported", "unknown", "advised_against"]
    """`advised_against`: no similar run ended well with this call, and one that is similar enough ended well without
    it"""
    text: str
    well_with: Count
    well_without: Count
    ill_with: Count
    ill_without: Count
    arguments: list[ArgumentNote]
    """Notes on the arguments: accepted rules of agents' instructions that the call breaks (pointer `/tool` where no
    single argument is at fault), differences from nearly all calls of the tool that worked or from similar cases that
    ended well, and commands that do not start in this repository"""
    runs: list[CheckedRun]


class GuidanceAnswer(Shape):
    decision: Literal["skill", "act", "no_action", "unsure"]
    """`skill`: a published skill has the expected effects. `act`: similar runs agree, but no skill is published.
    `no_action`: similar runs ended well without changing anything. `unsure`: no run is similar, or too few such answers
    were right (GUIDANCE_PRECISION)"""
    confidence: Share
    """The share of such answers that were right, measured on the store's own runs with the case left out; 0 when
    nothing is similar"""
    expected: ExpectedEffects
    skill: OfferedSkill | None
    alternatives: list[ExpectedEffects]
    similar: Annotated[list[SimilarRun], Field(max_length=8)]
    check: CheckedCall | None
    """Present only where the request has `about_to`"""
    offer_id: UUID | None
    """The id of the offer of this skill to the run that the request names by `episode_id` or `thread_id`"""
    withheld: bool
    """The skill is withheld from this run, chosen at random (SKILL_HOLDBACK) to measure the benefit of offers"""
    needs_more: bool
    took_ms: float


EXAMPLE: Json = {
    "messages": [
        {"role": "user", "content": "The parcel of order-7 arrived broken, I want my money back."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "get_order", "arguments": '{"order_id": "order-7"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": '{"payment_id": "pay-7", "state": "delivered"}'},
    ],
    "about_to": {"tool": "refund_payment", "arguments": {"payment_id": "pay-7"}},
    "scopes": ["project:shop"],
}


class AskGuidance(ApiView):
    post_reads = True
    needs = {"POST": (Permission.READ,)}

    @operation("Guidance", "Guidance", GuidanceAnswer, takes=GuidanceRequest, example=EXAMPLE)
    def post(self, request: Request) -> Response:
        """Ask what to do now

        Compares the run so far with the finished runs that the caller may see, and says which changing tools were
        right in similar ones. Ask right before the first change and send all messages and tool results so far: that
        is when the answer is most accurate. `check` examines the call that the agent is about to make. Nothing is
        blocked: the agent decides.
        """
        return Response(advise(self.request.data, trust=self.trust, at=timezone.now()))


def advise(body: Any, *, trust: Trust, at: datetime) -> Json:
    """Guidance on a request as it came, as it is answered. Invalid names each wrong field."""
    started = time.perf_counter()
    question = guidance.check(body)
    advice = guidance.answer(question, trust=trust, at=at)
    measures.guidance.labels(advice.decision).inc()
    if advice.check:
        measures.verdicts.labels(advice.check.verdict).inc()
    day_counts.count_answer(advice, trust=trust, at=at)
    took = {"took_ms": round((time.perf_counter() - started) * 1000, 1)}
    told = {name: value for name, value in asdict(advice).items() if name in GuidanceAnswer.__annotations__}
    advice_shape: Json = rendering.in_names(told, rendering.of_caller(question, trust))
    return {**advice_shape, "needs_more": advice.needs_more, **took}
