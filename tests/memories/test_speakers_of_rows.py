"""Who stands behind a row: the database tells it as Python does, and only claims are ever unreviewed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memories.models import Memory
from memories.values.choices import Origin, Review, Status, Type
from memories.values.conditions import Filter
from memories.values.speakers import IMPORT, PERSON, UNKNOWN, OfReview, ReviewedFor, is_unreviewed, review_of
from tests.make import make_memory

pytestmark = pytest.mark.django_db
READER = "agent:11111111-1111-7111-8111-111111111111"
SPEAKERS = [READER, "agent:other", IMPORT, PERSON, UNKNOWN]
ROW = st.fixed_dictionaries(
    {
        "type": st.sampled_from([*[Type.SEMANTIC.value] * 5, Type.COMPETENCE.value, Type.WORKING.value]),
        "status": st.sampled_from([Status.CANDIDATE.value, Status.APPLIED.value]),
        "hold": st.sampled_from(["", "", "", "fixed"]),
        "origin": st.sampled_from([Origin.STORED.value, Origin.IMPORTED.value]),
        "speakers": st.lists(
            st.sampled_from([READER, "agent:other", IMPORT, PERSON, UNKNOWN]), unique=True, max_size=2
        ),
        "created_by_id": st.sampled_from([READER, "agent:other", "person:1", "system:import", "system:patterns", ""]),
    }
).filter(lambda row: row["speakers"].count(UNKNOWN) == 0 or len(row["speakers"]) == 1)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"type": Type.COMPETENCE, "status": Status.CONFIRMED}, Review.PERSON),
        ({"type": Type.COMPETENCE}, None),
        ({"type": Type.COMPETENCE, "status": Status.CONFIRMED, "origin": Origin.IMPORTED}, None),
        ({"type": Type.PLAN_GRAPH, "hold": "floor"}, Review.PERSON),
        ({"type": Type.WORKING, "status": Status.CONFIRMED}, None),
        ({"speakers": [UNKNOWN]}, Review.ONE_AGENT),
    ],
)
def test_only_claims_are_unreviewed_and_a_skill_is_believed_because_somebody_published_it(
    facts: dict[str, Any], expected: Review | None
) -> None:
    assert review_of(make_memory(**facts)) == expected


class InTheDatabase(TestCase):
    @settings(max_examples=15, deadline=None)
    @given(st.lists(ROW, min_size=20, max_size=20))
    def test_the_database_and_python_tell_the_same(self, rows: list[dict[str, Any]]) -> None:
        memories = [make_memory(f"Acme pays {n}", thread_id=str(n), **row) for n, row in enumerate(rows)]
        rows_told: Any = Memory.objects.with_review()
        told = dict(rows_told.values_list("pk", "review"))
        assert told == {row.pk: review_of(row) for row in memories}
        for told_of in Review:
            asked = Filter((OfReview(told_of),))
            found = {row.pk for row in memories if review_of(row) == told_of}
            assert {row.pk for row in Memory.objects.filter(asked.q())} == found
            sql = f"SELECT id FROM memories_memory m WHERE {asked.sql('m')}"
            assert {row.pk for row in Memory.objects.raw(sql, asked.values())} == found
        condition = Filter((ReviewedFor(READER),))
        expected = {row.pk for row in memories if not is_unreviewed(row, reader=READER)}
        assert {row.pk for row in Memory.objects.filter(condition.q())} == expected
        sql = f"SELECT id FROM memories_memory m WHERE {condition.sql('m')}"
        assert {row.pk for row in Memory.objects.raw(sql, condition.values())} == expected
