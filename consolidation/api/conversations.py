"""POST conversations: store a recorded run as one closed episode, for the language model to read where there is one."""

from contextlib import nullcontext
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import llm, run_queue
from consolidation.api.run_shape import Run
from consolidation.extraction import queue
from consolidation.models import Run as RunRow
from consolidation.ordering import EXTRACT_TASK
from memories.api.base import WriteView
from memories.api.conversations import EXAMPLE, ConversationReport
from memories.api.idempotency import NO_EPISODE
from memories.api.ingestion import answer_to
from memories.api.memory_shape import Memory
from memories.api.openapi import operation
from memories.api.shapes import Shape
from memories.intake import episodes
from memories.intake.episodes import Ingested
from memories.intake.reports import conversation
from memories.values.choices import Permission
from memories.values.trust import Trust


class StoredConversation(Shape):
    episode: Memory
    run: Run | None
    """The run in which the language model reads it; null where no model is set, or `extract` is false"""


class AcceptedConversation(Shape):
    episode: Memory | None
    run: Run | None
    notice: Literal["accepted"] | None = None
    """The conversation was accepted; its episode is above the caller's clearance and is not shown"""


class Conversations(WriteView):
    needs = {"POST": (Permission.INGEST,)}

    @operation(
        "IngestConversation",
        "Ingestion",
        {201: StoredConversation, 200: StoredConversation, 202: AcceptedConversation},
        takes=ConversationReport,
        example=EXAMPLE,
    )
    def write(self, request: Request) -> Response:
        """Report a whole conversation

        Messages in OpenAI's form (of Chat Completions or Responses) or Anthropic's, with tool calls and their results,
        become one closed episode. The same `id` again with the same messages is a 200, with others a 409. Where a
        language model is set, and `extract` is not false, the answer is a 202 with the queued run by which the model
        reads it.
        """
        at = timezone.now()
        with transaction.atomic() if llm.configured() else nullcontext():  # the answer reads the run that is queued
            stored, run = record(request.data, trust=self.trust, at=at)
            if stored.memory is None:
                return Response(NO_EPISODE, status=202)
            status, episode = answer_to(stored, at=at)
            shown = Run.with_steps(run, self.trust) if run else None
        return Response({"episode": episode, "run": shown}, status=202 if run else status)


def record(body: Any, *, trust: Trust, at: datetime) -> tuple[Ingested, RunRow | None]:
    """Store a conversation as it came, and queue the run by which the language model reads it, where there is one.
    Invalid names each wrong field.
    """
    if not llm.configured():
        return episodes.conversation(conversation.parse(body), trust=trust, at=at), None
    with transaction.atomic():
        stored = episodes.conversation(conversation.parse(body), trust=trust, at=at)
        readable = stored.memory is not None and stored.created and stored.memory.episode.extract
        if stored.memory is None or not readable:
            return stored, None
        run = queue.request(stored.memory.episode, trigger=RunRow.Trigger.API, at=at)
        if run.status == RunRow.Status.QUEUED:
            run_queue.nudge(EXTRACT_TASK)
        return stored, run
