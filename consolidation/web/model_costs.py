"""What the language model costs: tokens by day and purpose, failures included, as the page of runs shows them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate

from consolidation.models import LLMCall
from memories.values.trust import Trust

DAYS = timedelta(days=14)


@dataclass(frozen=True)
class Cost:
    day: date
    purpose: str
    model: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int


def costs(trust: Trust, *, at: datetime) -> list[Cost]:
    """Of the last two weeks, newest day first: the calls of runs that the caller may see, and those of no run."""
    calls = LLMCall.objects.visible_to(trust).filter(at__gt=at - DAYS).annotate(day=TruncDate("at"))
    groups = calls.values("day", "purpose", "model").annotate(
        calls=Count("pk"), failed=Count("pk", filter=LLMCall.FAILED), tin=Sum("tokens_in"), tout=Sum("tokens_out")
    )
    columns = ("day", "purpose", "model", "calls", "failed", "tin", "tout")
    return [Cost(*row) for row in groups.order_by("-day", "purpose", "model").values_list(*columns)]
