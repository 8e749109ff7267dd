"""POST verdict: how a run would end, or ended, told by runs like it."""

import time
from typing import Annotated, Any, Literal

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation.api.guidance import EXAMPLE as OF_GUIDANCE
from consolidation.api.guidance import ExpectedEffects, SimilarRun
from consolidation.guidance import verdict
from consolidation.guidance.request import VerdictRequest
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.shapes import Count, Json, Shape, Share
from memories.values.choices import Permission
from memories.values.trust import Trust
from memos_site.platform import measures

EXAMPLE: Json = {name: OF_GUIDANCE[name] for name in ("messages", "scopes")}


class CountedTool(Shape):
    tool: str
    cases: Count
    of: Count
    """The number of similar cases that ended well; `cases` of these called the tool"""


class BasedOn(Shape):
    cases: Count


class VerdictAnswer(Shape):
    level: Literal["low", "medium", "high", "unknown"]
    """How likely the run failed. `unknown`: the runs that the caller may see are too few, or none is like this one"""
    risk: Share | None
    """The share of such runs that failed, calibrated on the store's own runs; null where none is similar"""
    said: Annotated[list[str], Field(max_length=2)]
    """The reasons, with counts, in the language of the run"""
    missing: list[CountedTool]
    """Calls of most similar cases that ended well which this run did not make"""
    unexpected: list[CountedTool]
    """Calls of this run that hardly any similar case made"""
    expected: ExpectedEffects
    similar: Annotated[list[SimilarRun], Field(max_length=8)]
    based_on: BasedOn
    """The number of similar cases with a known outcome"""
    took_ms: float


class AskVerdict(ApiView):
    post_reads = True
    needs = {"POST": (Permission.READ,)}

    @operation("Verdict", "Guidance", VerdictAnswer, takes=VerdictRequest, example=EXAMPLE)
    def post(self, request: Request) -> Response:
        """Predict how a run will end

        Ask right before you say that you are done. Compares the run's changes with those of similar finished runs
        that the caller may see, and with how they ended. Name a run that you reported, or send its messages, which
        take precedence over `thread_id`. A run that you have not reported yourself is `unknown`. Nothing is blocked:
        the agent decides.
        """
        return Response(judge(self.request.data, trust=self.trust))


def judge(body: Any, *, trust: Trust) -> Json:
    """The verdict on a request as it came, as it is answered. Invalid names each wrong field."""
    started = time.perf_counter()
    answered = verdict.answer(body, trust=trust)
    measures.run_verdicts.labels(answered["level"]).inc()
    return {**answered, "took_ms": round((time.perf_counter() - started) * 1000, 1)}
