"""What a caller may see: the same answer for one row at hand and in SQL, and asking can only take away."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.models import AuditEntry, Memory
from memories.values.choices import Sensitivity
from memories.values.trust import SYSTEM, Trust, everything
from tests.make import ANNA, AT, make_memory

SCOPES = ("", "global", "project:alpha", "project:beta")
TRUSTS = st.builds(
    Trust,
    st.just(SYSTEM),
    st.sampled_from(Sensitivity.values),
    st.none() | st.frozensets(st.sampled_from(SCOPES), max_size=3),
)


@pytest.mark.parametrize(
    ("scope", "sensitivity", "seen"),
    [
        ("project:alpha", Sensitivity.LOW, True),
        ("", Sensitivity.LOW, True),
        ("global", Sensitivity.PUBLIC, True),
        ("project:alpha", Sensitivity.MEDIUM, False),
        ("project:beta", Sensitivity.LOW, False),
        ("project:beta", Sensitivity.PUBLIC, False),
        ("project:alpha2", Sensitivity.LOW, False),
    ],
)
def test_a_low_caller_of_alpha_sees_low_alpha_and_what_is_shared(scope: str, sensitivity: int, seen: bool) -> None:
    trust = Trust(SYSTEM, Sensitivity.LOW, frozenset({"project:alpha"}))
    assert trust.sees(Memory(scope=scope, sensitivity=sensitivity)) is seen


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(TRUSTS)
def test_sql_gives_the_same_answer(trust: Trust) -> None:
    if not Memory.objects.exists():
        for scope in SCOPES:
            for sensitivity in Sensitivity.values:
                memory = make_memory(scope=scope, sensitivity=sensitivity)
                memory.audit("create", by=ANNA, at=AT).save()
    rows = Memory.objects.values_list("scope", "sensitivity")
    expected = {row for row in rows if trust.sees(Memory(scope=row[0], sensitivity=row[1]))}
    assert set(Memory.objects.visible_to(trust).values_list("scope", "sensitivity")) == expected
    assert set(AuditEntry.objects.visible_to(trust).values_list("scope", "sensitivity")) == expected


@given(TRUSTS, st.none() | st.sampled_from(Sensitivity.values), st.frozensets(st.sampled_from(SCOPES), max_size=3))
def test_narrowing_never_shows_more(trust: Trust, ceiling: int | None, scopes: frozenset[str]) -> None:
    narrow = trust.narrowed(max_sensitivity=ceiling, scopes=scopes)
    for scope in SCOPES:
        for sensitivity in Sensitivity.values:
            if narrow.sees(Memory(scope=scope, sensitivity=sensitivity)):
                assert trust.sees(Memory(scope=scope, sensitivity=sensitivity))
    assert (narrow.actor, narrow.permissions, narrow.sources) == (trust.actor, trust.permissions, trust.sources)


def test_narrowing_takes_away_what_it_names() -> None:
    narrow = everything().narrowed(max_sensitivity=Sensitivity.LOW, scopes=["a"])
    assert narrow.sees(Memory(scope="a", sensitivity=1))
    assert not narrow.sees(Memory(scope="a", sensitivity=2))
    assert not narrow.sees(Memory(scope="b", sensitivity=1))
