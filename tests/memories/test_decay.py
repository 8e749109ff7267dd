"""Salience fades by one formula, in Python and in SQL; `fades_at` is where it falls under a thousandth."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.models import Memory
from memories.values import decay
from tests.make import AT, make_memory

HOUR = timedelta(hours=1)
PLAIN: dict[str, Any] = {"salience": 1.0, "salience_at": AT, "half_life": 3600.0}
MOMENTS = st.integers(-2_000_000_000, 30_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
SHARES = st.floats(0, 1)
FACTS = st.fixed_dictionaries(
    {
        "salience": SHARES | st.sampled_from([5e-324, 1e-300, 0.001]),
        "salience_at": MOMENTS,
        "half_life": st.floats(min_value=0, max_value=1e10, exclude_min=True) | st.sampled_from([5e-324, 1.0]),
        "min_salience": SHARES | st.just(0.0),
        "max_age": st.just(0.0) | st.floats(0, 1e10),
        "created_at": MOMENTS,
        "pinned": st.booleans(),
    }
)


COLUMNS = ("salience", "salience_at", "half_life", "min_salience", "max_age", "created_at", "pinned")


def sql(function: str, *values: Any) -> Any:
    typed = ", ".join("%s::float8" if isinstance(value, float) else "%s" for value in values)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}({typed})", values)
        return cursor.fetchone()[0]


@pytest.mark.parametrize(
    ("after", "facts", "salience"),
    [
        (timedelta(), {}, 1.0),
        (HOUR, {}, 0.5),
        (24 * HOUR, {}, 2.0**-24),
        (2 * HOUR, {"salience": 0.4}, 0.1),
        (24 * HOUR, {"min_salience": 0.2}, 0.2),
        (24 * HOUR, {"pinned": True, "salience": 0.3, "max_age": 1.0, "created_at": AT}, 0.3),
        (2 * HOUR, {"max_age": 3600.0, "created_at": AT, "min_salience": 0.2}, 0.0),
        (HOUR, {"max_age": 3600.0, "created_at": AT}, 0.5),
        (-HOUR, {}, 1.0),
        (timedelta(days=300_000), {}, 0.0),
    ],
)
def test_salience_halves_with_each_half_life(after: timedelta, facts: dict[str, Any], salience: float) -> None:
    assert decay.salience_at(AT + after, **PLAIN | facts) == pytest.approx(salience, abs=1e-100)


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FACTS, MOMENTS)
def test_python_and_sql_agree(facts: dict[str, Any], at: datetime) -> None:
    salience = sql("memos_salience_at", at, *(facts[name] for name in COLUMNS))
    assert salience == pytest.approx(decay.salience_at(at, **facts), rel=1e-9, abs=1e-100)


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FACTS)
def test_fades_at_is_where_salience_falls_under_a_thousandth(facts: dict[str, Any]) -> None:
    fades_at = sql("memos_fades_at", *(facts[name] for name in COLUMNS))
    if fades_at is None:
        never = datetime(8999, 1, 1, tzinfo=UTC)
        assert facts["pinned"] or decay.salience_at(never, **facts) >= decay.PRUNABLE_BELOW
        return
    near = max(timedelta(milliseconds=1), timedelta(seconds=facts["half_life"] * 1e-3))
    assert decay.salience_at(fades_at + near, **facts) <= decay.PRUNABLE_BELOW
    if fades_at > max(facts["salience_at"], facts["created_at"]):
        assert decay.salience_at(fades_at - near, **facts) >= decay.PRUNABLE_BELOW


@pytest.mark.django_db
def test_asking_for_salience_changes_nothing() -> None:
    memory = make_memory(half_life=3600.0)
    for hour in range(24):
        at = AT + hour * HOUR
        row = Memory.objects.with_salience(at).get(pk=memory.pk)
        assert vars(row)["salience_now"] == row.salience_on(at) == 2.0**-hour
    assert Memory.objects.get().fades_at == memory.fades_at
    assert memory.fades_at - AT == pytest.approx(9.9658 * HOUR, abs=timedelta(seconds=1))


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(FACTS, MOMENTS, st.floats(0, 3))
def test_a_move_by_hand_begins_where_salience_stands(facts: dict[str, Any], at: datetime, amount: float) -> None:
    facts |= {"half_life": max(facts["half_life"], 1e-3), "created_at": AT}
    memory = make_memory(**facts, reinforcement_gain=0.25)
    now = decay.salience_at(at, **facts)
    for move, salience in (
        (Memory.objects.all().reinforce, min(1.0, now + 0.25)),
        (lambda at: Memory.objects.all().reinforce(amount, at=at), min(1.0, now + amount)),
        (lambda at: Memory.objects.all().penalize(amount, at=at), max(facts["min_salience"], now - amount)),
    ):
        Memory.objects.update(salience=facts["salience"], salience_at=facts["salience_at"])
        move(at=at)
        memory.refresh_from_db()
        assert memory.salience == pytest.approx(salience, rel=1e-9, abs=1e-12)
        assert memory.salience_at == at
    Memory.objects.all().delete()
