"""What the tests of `as_of` over the API share: a clock for the server, and requests that must be answered so."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Status
from tests.make import make_memory

Json = dict[str, Any]


class Days:
    """A clock for the server: each day one thing happens."""

    def __init__(self) -> None:
        self.first, self.now = timezone.now() - timedelta(days=20), timezone.now() - timedelta(days=20)

    def next(self) -> datetime:
        self.now += timedelta(days=1)
        return self.now


def text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def get(client: APIClient, path: str, expected: int = 200, /, **params: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", params)
    assert answer.status_code == expected, answer.content
    return answer.json()


def make(content: str, days: Days, **facts: Any) -> Memory:
    at = days.next()
    plain = {"status": Status.CONFIRMED, "confidence": 70, "created_at": at, "updated_at": at, "salience_at": at}
    row = make_memory(content, **plain | facts)
    row.passages.rewrite(row)
    return row


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path.removeprefix('/api/v1/')}?{parts.query}"
