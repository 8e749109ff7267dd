"""POST conversations: a whole conversation becomes one closed episode."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import conversation, ingestion
from memories.api import representations
from memories.api.doors import Door
from memories.choices import Permission


class Conversations(Door):
    needs = {"POST": (Permission.INGEST,)}

    def post(self, request: Request) -> Response:
        at = timezone.now()
        stored = ingestion.conversation(conversation.parse(request.data), trust=self.trust, at=at)
        if stored.memory is None:
            return Response({"episode": None, "run": None, "notice": "accepted"}, status=202)
        episode = representations.memory(stored.memory, at=at)
        return Response({"episode": episode, "run": None}, status=201 if stored.created else 200)
