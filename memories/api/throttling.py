"""How often a token may call: RATE_LIMIT_PER_MINUTE, counted in each web process; 0 = no limit."""

from typing import cast

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from memories.choices import ActorKind
from memories.trust import Trust


class PerToken(SimpleRateThrottle):
    scope = "token"

    def get_rate(self) -> str | None:
        limit: int = settings.RATE_LIMIT_PER_MINUTE
        return f"{limit}/min" if limit else None

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        trust = cast(Trust | None, request.auth)
        return f"rate:{trust.actor.id}" if trust and trust.actor.kind == ActorKind.AGENT else None
