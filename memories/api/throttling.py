"""Calls of a token in a minute: its own limit, else RATE_LIMIT_PER_MINUTE; for each web process; 0 = no limit."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from memories.models import Agent


class PerToken(SimpleRateThrottle):
    scope = "token"

    def get_rate(self) -> str | None:
        """Not known before it is known who calls."""
        return None

    def allow_request(self, request: Request, view: APIView) -> bool:
        limit = _limit(request.user)
        if not limit:
            return True
        self.rate = f"{limit}/min"
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return f"rate:{request.user.pk}"


def _limit(caller: object) -> int:
    if not isinstance(caller, Agent):
        return 0
    own = caller.requests_per_minute
    return int(settings.RATE_LIMIT_PER_MINUTE) if own is None else own
