"""Keys are looked up by an index, however much there is beside them."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from memories.models import Memory
from tests.make import AT, make_memory

pytestmark = pytest.mark.django_db
COPIES = """
    INSERT INTO memories_memory ({columns})
    SELECT {values} FROM memories_memory CROSS JOIN generate_series(1, 3000) AS n
"""


@pytest.fixture
def many() -> None:
    """Closed memories of one scope, each with a key of its own."""
    make_memory(scope="s", key="acme", status="superseded")
    names = [str(field.column) for field in Memory._meta.concrete_fields if not field.generated]
    made = {"id": "gen_random_uuid()", "key": "'acme.' || n"}
    values = ", ".join(made.get(name, name) for name in names)
    with connection.cursor() as cursor:
        cursor.execute(COPIES.format(columns=", ".join(names), values=values))
        cursor.execute("ANALYZE memories_memory")


@pytest.mark.parametrize(
    "rows",
    [
        Memory.objects.unexpired(AT).keyed("acme.77", scope="s"),
        Memory.objects.filter(scope="s", key__startswith="acme.77"),
    ],
)
def test_a_key_costs_the_same_whatever_the_status_and_however_many_there_are(rows: QuerySet[Any], many: None) -> None:
    assert "memory_by_key" in rows.explain()
