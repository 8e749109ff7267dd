"""Before it writes, a store reads by indexes alone what it meets: the statements of the SQL function, one by one.

EXPLAIN of the call itself shows only that a function is called.
"""

import re
from collections.abc import Callable
from copy import copy
from uuid import uuid4

import pytest
from django.db import connection

from memories.models import Memory, Tombstone
from tests.make import make_memory
from tests.plans import new_tables, reads_all

pytestmark = pytest.mark.django_db
PARAMETERS = {
    "from_keys": "ARRAY['terms#', 'pay#']",
    "to_keys": "ARRAY['terms$', 'pay$']",
    "at_scopes": "ARRAY['', 'global', 'project:shop']",
    "tokens": "ARRAY['a', 'b']",
    "current_normalisation": "2",
    "at_scope": "'project:shop'",
    "at_key": "'terms'",
    "occasions": "ARRAY['thread:1']",
    "caller": "'agent:1'",
    "memory.id": "'00000000-0000-7000-8000-000000000001'::uuid",
    "one_id": "'00000000-0000-7000-8000-000000000001'::uuid",
}


@pytest.fixture(autouse=True)
def nothing_left(db: None) -> None:
    """Nor the statistics of earlier rows, which would lead to another index."""
    new_tables(Memory, Tombstone)
    analyzed(rows=3)
    new_tables(Memory, Tombstone)


def body(function: str = "memos_claim_lookup") -> str:
    """What the database runs, with values in the place of the parameters."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [function])
        [source] = cursor.fetchone()
    names = "|".join(map(re.escape, PARAMETERS))
    return re.sub(rf"(?<![.\w])({names})\b", lambda found: PARAMETERS[found[0]], source)


def plan_of(sql: str) -> str:
    """With the setting of the function itself."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {sql}")
        return "\n".join(line for (line,) in cursor.fetchall())


def analyzed(rows: int = 500) -> None:
    """So many claims in one scope that it does not pay to read them all."""
    claim = make_memory(scope="project:shop")
    copies = [copy(claim) for _ in range(rows)]
    for number, row in enumerate(copies):
        row.pk, row.key = uuid4(), f"key-{number}"
    Memory.objects.bulk_create(copies)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_memory")


@pytest.mark.parametrize("fill", [analyzed, lambda: None], ids=["of many", "of a new table"])
def test_the_memories_that_a_store_meets_are_read_by_scope_and_beginning_of_their_key(fill: Callable[[], None]) -> None:
    fill()
    [ids] = re.findall(r"SELECT DISTINCT .*ORDER BY met\.id", body("memos_live_ids"), re.DOTALL)
    plan = plan_of(ids)
    assert reads_all(plan) == []
    [condition] = re.findall(r"memory_by_key.*\n\s*Index Cond: (.*)", plan)
    assert "scope" in condition
    assert "~>=~" in condition
    assert "~<~" in condition


def test_the_statement_that_finds_them_is_planned_once_whatever_the_statistics_say() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT proconfig FROM pg_proc WHERE proname = 'memos_live_ids'")
        [settings] = cursor.fetchone()
    assert "plan_cache_mode=force_generic_plan" in settings


def test_each_of_them_is_locked_by_its_id() -> None:
    analyzed()
    [one] = re.findall(r"SELECT live\.\*.*?FOR UPDATE", body().replace("INTO memory", ""), re.DOTALL)
    assert "Index Cond: (id = " in plan_of(one)


def test_what_was_dismissed_and_what_was_counted_is_read_by_an_index() -> None:
    analyzed()
    questions = re.findall(r"(SELECT (?:FROM|one\.occasion FROM) memories_\w+ AS .*?)\)(?:;|\s+OR)", body(), re.DOTALL)
    assert len(questions) == 5
    for question in questions:
        plan = plan_of(question.replace("SELECT FROM", "SELECT 1 FROM"))
        assert reads_all(plan, "memories_tombstone", "memories_evidence") == [], plan
