"""The daily job beside: rows that are kept for some time only."""

from collections import Counter
from datetime import datetime

from memories.models import IdempotencyKey, Injection


def sweep(*, at: datetime) -> Counter[str]:
    """Counters: idempotency_keys, injections."""
    keys = IdempotencyKey.objects.forget_expired(at=at)
    return Counter(idempotency_keys=keys, injections=Injection.objects.forget_expired(at=at))
