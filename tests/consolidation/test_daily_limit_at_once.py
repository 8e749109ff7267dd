"""Workers that ask the language model at the same instant share the daily limit of tokens."""

import pytest

from consolidation.llm import DailyLimit
from consolidation.llm.call_record import recorded, tokens_used
from consolidation.models import LLMCall
from tests.at_once import at_once
from tests.make import AT

LIMIT, EACH, WORKERS = 1_000, 400, 8


def ask() -> bool:
    try:
        facts = {"purpose": "trip", "model": "scripted", "run": None, "estimate": EACH}
        with recorded(**facts, daily_tokens=LIMIT, at=AT):  # type: ignore[arg-type]  # of several types
            return True
    except DailyLimit:
        return False


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_do_not_pass_the_daily_limit() -> None:
    """Each is begun while less than the limit is used: three of 400 tokens below 1,000, however many ask at once."""
    for _ in range(5):
        LLMCall.objects.all().delete()
        begun = at_once(*[ask] * WORKERS)
        assert (sum(begun), tokens_used(since=AT.replace(hour=0))) == (3, 3 * EACH)
