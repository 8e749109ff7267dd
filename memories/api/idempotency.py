"""`Idempotency-Key`: a repeated request gets the first answer; another body under the same key gets 409."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from memories import redaction
from memories.api.memory_shape import Accepted
from memories.models import IdempotencyKey
from memories.models.coordination import KEY_KEPT
from memories.values.exceptions import Conflict, FieldError, Invalid, NotFound
from memories.values.trust import Trust

LONGEST_KEY = 255
LARGEST_ANSWER = 64 * 1024
NO_EPISODE = {"episode": None, "run": None, "notice": "accepted"}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description=(
        "Within 24 hours the same key with the same body returns the first answer again, with the header "
        "`Idempotent-Replay: true` (of an answer above 64 KiB only the ids); with another body it returns 409."
    ),
)


class KeyReused(Conflict):
    code = "idempotency_key_reused"


def once(request: Request, trust: Trust, work: Callable[[], Response]) -> Response:
    """Do the work and store its answer (2xx only), or return the stored answer.

    A concurrent request with the same key waits: the key is inserted in the transaction of the work.
    """
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")  # `headers` would read all of them first
    if key is None:
        return work()
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Invalid(FieldError("", "invalid", f"Idempotency-Key must have 1 to {LONGEST_KEY} characters", True))
    claim = _claim(request, trust, key, at=timezone.now())
    with transaction.atomic():
        try:
            with transaction.atomic():
                claim.save(force_insert=True)
        except IntegrityError:
            return _stored_response(claim, request, trust)
        response = work()
        if response.status_code < 300:
            claim.status, claim.answer = response.status_code, _stored_answer(response.data)
            claim.save(update_fields=["status", "answer"])
        else:
            claim.delete()
        return response


def _claim(request: Request, trust: Trust, key: str, *, at: datetime) -> IdempotencyKey:
    caller = trust.actor.identity
    IdempotencyKey.objects.filter(caller=caller, key=key, expires_at__lt=at).delete()
    content = json.dumps([request.method, _address(request), request.data], sort_keys=True, default=_content)
    sha256 = hashlib.sha256(content.encode()).digest()
    return IdempotencyKey(caller=caller, key=key, request_sha256=sha256, expires_at=at + KEY_KEPT)


def _address(request: Request) -> str:
    """The path with its query string: a dry run is another request, and so is the same name in another scope."""
    query = request.META.get("QUERY_STRING")
    return f"{request.path}?{query}" if query else str(request.path)


def _content(value: Any) -> str:
    """The digest of an uploaded file, since another file of the same name is another body; else the value as text."""
    if not isinstance(value, UploadedFile):
        return str(value)
    value.seek(0)
    digest = hashlib.file_digest(value, "sha256").hexdigest()
    value.seek(0)
    return digest


def _stored_response(claim: IdempotencyKey, request: Request, trust: Trust) -> Response:
    """The stored answer without rows that were raised above the caller's clearance since. KeyReused: another body."""
    stored_key = IdempotencyKey.objects.get(caller=claim.caller, key=claim.key)
    if bytes(stored_key.request_sha256) != claim.request_sha256:
        raise KeyReused("this Idempotency-Key was used for another request")
    status, answer = _visible_answer(stored_key, request, trust)
    return Response(answer, status=status, headers={"Idempotent-Replay": "true"})


def _visible_answer(stored_key: IdempotencyKey, request: Request, trust: Trust) -> tuple[int, Any]:
    """The stored status and body without hidden rows, which become `hidden_result`. NotFound: the URL names one."""
    answer: Any = stored_key.answer
    hidden = redaction.hidden_ids(answer, trust)
    if not hidden:
        return stored_key.status, answer
    if not hidden.isdisjoint((request.parser_context or {}).get("kwargs", {}).values()):
        raise NotFound
    if "results" in answer:
        hidden_result = {"status": 202, "memory": None}
        results = [
            {"index": item["index"], **hidden_result} if _names(item, hidden) else item for item in answer["results"]
        ]
        return stored_key.status, {**answer, "results": results}
    return 202, NO_EPISODE if "episode" in answer else Accepted.answer


def _names(item: dict[str, Any], hidden: set[UUID]) -> bool:
    return str((item.get("memory") or {}).get("id")) in {str(id) for id in hidden}


def _stored_answer(answer: Any) -> Any:
    """The answer as plain JSON; if larger than 64 KiB only its ids."""
    text = json.dumps(answer, cls=JSONEncoder)
    return json.loads(text) if len(text) <= LARGEST_ANSWER else _ids(json.loads(text))


def _ids(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_ids(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    fields = {name: answer[name] for name in ("id", "type", "index", "status", "notice") if name in answer}
    members = ("memory", "episode", "results", "error")
    return {**fields, **{name: _ids(answer[name]) for name in members if name in answer}}
