"""The row of each attempt to call the model: written before it, completed after it, whatever becomes of the work."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, Sum
from django.utils import timezone

from consolidation.llm.errors import DailyLimit, ModelError
from consolidation.models import LLMCall, Run
from consolidation.models.llm_calls import PENDING
from memories.models import claim_locks
from memos_site.platform import tracing
from memos_site.platform.outages import UNAVAILABLE


@dataclass
class Tokens:
    """Tokens of one attempt: as the endpoint reports them, until then as estimated. `row`: of the attempt."""

    incoming: int
    row: UUID
    outgoing: int = 0
    reasoning: int = 0

    def tell(self, outgoing: int) -> None:
        """Tell how far an answer is that is under way. What the database does not take is told the next time."""
        self.outgoing = outgoing
        with suppress(*UNAVAILABLE):
            LLMCall.objects.filter(pk=self.row).update(tokens_out=outgoing)


@contextmanager
def recorded(
    *, purpose: str, model: str, run: Run | None, estimate: int, daily_tokens: int, at: datetime
) -> Iterator[Tokens]:
    """Keep a row of the attempt that the block makes, with its tokens and its ModelError.

    Outside of every transaction: a rollback of the work must not lose it, and no transaction waits for a network.
    RuntimeError: inside one. DailyLimit: nothing may be sent; no row is kept.
    """
    row = _insert(purpose=purpose, model=model, run=run, estimate=estimate, daily_tokens=daily_tokens, at=at)
    tokens, started, error = Tokens(estimate, row.pk), time.monotonic(), ""
    try:
        with tracing.span(f"chat {model}", _facts(row), kind="CLIENT") as span:
            yield tokens
            if span:
                span.set_attribute("gen_ai.usage.input_tokens", tokens.incoming)
                span.set_attribute("gen_ai.usage.output_tokens", tokens.outgoing)
    except BaseException as fault:
        error = str(fault) if isinstance(fault, ModelError) else f"{type(fault).__name__}"
        raise
    finally:
        with transaction.atomic(durable=True):
            LLMCall.objects.filter(pk=row.pk).update(
                tokens_in=tokens.incoming,
                tokens_out=tokens.outgoing,
                tokens_reasoning=tokens.reasoning,
                latency_ms=round(1000 * (time.monotonic() - started)),
                ok=not error,
                error=error,
            )


def _facts(row: LLMCall) -> dict[str, str]:
    """Attributes of the span: `memos.model_call` is the row's id."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": row.model,
        "memos.purpose": row.purpose,
        "memos.model_call": str(row.pk),
    }


def _insert(*, purpose: str, model: str, run: Run | None, estimate: int, daily_tokens: int, at: datetime) -> LLMCall:
    """The row of an attempt that begins, with the estimate as its tokens, so that others at once see them as used."""
    with transaction.atomic(durable=True):
        if daily_tokens:
            claim_locks.alone("memos:llm")
            check_daily_limit(daily_tokens, at=at)
        return LLMCall.objects.create(
            purpose=purpose, model=model, run=run, tokens_in=estimate, ok=False, error=PENDING, at=at
        )


def check_daily_limit(daily_tokens: int, *, at: datetime) -> None:
    """DailyLimit: this day's tokens are used up. `seconds` of it: until the next day of the workspace."""
    start, end = workspace_day(at)
    if daily_tokens and tokens_used(since=start) >= daily_tokens:
        message = f"the daily limit of {daily_tokens} tokens is reached; it goes on at {end:%Y-%m-%d %H:%M %Z}"
        raise DailyLimit(message, seconds=(end - at).total_seconds())


def answers_others(run: Run, purpose: str, *, before: datetime) -> bool:
    """Whether the model has answered anything since it failed at this question of the run the time before."""
    calls = LLMCall.objects.filter(run=run, purpose=purpose, ok=False, at__lt=before)
    failed = calls.aggregate(last=Max("at"))["last"]
    return failed is not None and LLMCall.objects.filter(ok=True, at__gt=failed).exists()


def tokens_used(*, since: datetime) -> int:
    total = LLMCall.objects.filter(at__gte=since).aggregate(total=Sum(F("tokens_in") + F("tokens_out")))["total"]
    return total or 0


def workspace_day(at: datetime) -> tuple[datetime, datetime]:
    """Beginning and end of the day in the workspace's time zone."""
    start = timezone.localtime(at, timezone.get_default_timezone()).replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + timedelta(days=1)
