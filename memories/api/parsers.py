"""The JSON body parser: limits the size before reading, rejects what PostgreSQL cannot store, and removes the
credentials that agents send."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

from memories.scanning import secret_removal
from memories.values import strict_json
from memories.values.choices import ActorKind
from memories.values.trust import Trust

LARGEST_BODY = 21 * 1024 * 1024


class TooLarge(APIException):
    status_code = 413
    default_detail = "the body is larger than 21 MiB"
    default_code = "too_large"


class StrictJSON(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise TooLarge
        value = strict_json.loads(body)
        return secret_removal.without_secrets(value) if _may_hold_secrets(body, parser_context or {}) else value


def _may_hold_secrets(body: bytes, context: Mapping[str, Any]) -> bool:
    """Whether credentials are to be removed from this body of an agent: MASK_SECRETS_AT_INTAKE."""
    trust: Trust | None = getattr(context.get("request"), "auth", None)
    if not settings.MASK_SECRETS_AT_INTAKE or trust is None or trust.actor.kind != ActorKind.AGENT:
        return False
    return secret_removal.may_hold(body.decode())
