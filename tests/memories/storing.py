"""Stores as agents make them, for several tests."""

from datetime import datetime, timedelta
from typing import Any

from memories.intake import claims
from memories.intake.claims import WriteResult
from memories.intake.reports.claims import read
from memories.models import Memory
from memories.values.trust import Trust
from tests.make import AT, make_agent

NET30, NET60 = "Acme pays on net-30 terms", "Acme pays on net-60 terms"
DAY = timedelta(days=1)


def agent(name: str = "", **facts: Any) -> Trust:
    return make_agent(name, **facts)[0].trust


def store(content: str = NET30, *, trust: Trust | None = None, at: datetime = AT, **said: Any) -> WriteResult:
    body = {"key": "acme-terms", "category": "fact", "content": content, "source": "P01", **said}
    return claims.store(read(body), trust=trust or agent(), at=at)


def numbers(stored: WriteResult) -> tuple[str, int, int]:
    assert stored.memory is not None
    row = Memory.objects.get(pk=stored.memory.pk)
    assert (row.status, row.confidence, row.times_confirmed) == (
        stored.memory.status,
        stored.memory.confidence,
        stored.memory.times_confirmed,
    )
    return row.status, row.confidence, row.times_confirmed
