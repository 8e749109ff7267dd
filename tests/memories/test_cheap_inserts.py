"""What every insert pays for: planning of generated columns, and making rows."""

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Model
from django.utils import timezone

from memories.models import AuditEntry, Episode, Event, Evidence, Memory, Subject, Tombstone, bulk_rows
from memories.models.subject import OF_STORED
from tests.make import make_memory
from tests.plans import copies, count_rows, new_tables, reads_all

REPORT = {"source": "crm", "event_kind": "call", "ref": "c-1", "summary": "Acme called"}
CALLED_BY_GENERATED_COLUMNS = """
SELECT DISTINCT class.relname, proc.proname, language.lanname
FROM pg_attrdef AS value
JOIN pg_attribute AS att ON att.attrelid = value.adrelid AND att.attnum = value.adnum AND att.attgenerated = 's'
JOIN pg_class AS class ON class.oid = value.adrelid
JOIN pg_depend AS dep ON dep.classid = 'pg_attrdef'::regclass AND dep.objid = value.oid
    AND dep.refclassid = 'pg_proc'::regclass
JOIN pg_proc AS proc ON proc.oid = dep.refobjid
JOIN pg_language AS language ON language.oid = proc.prolang
"""


@pytest.mark.django_db
def test_no_generated_column_calls_a_function_that_is_planned_with_every_insert() -> None:
    with connection.cursor() as cursor:
        cursor.execute(CALLED_BY_GENERATED_COLUMNS)
        called = cursor.fetchall()
    assert {name for _table, name, _language in called} >= {"memos_fades_at", "memos_passage_search"}
    assert [row for row in called if row[2] == "sql"] == []


@pytest.mark.django_db
def test_the_words_of_a_key_are_not_planned_with_every_insert() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT lanname FROM pg_proc JOIN pg_language AS language ON language.oid = prolang"
            " WHERE proname = 'memos_key_words'"
        )
        assert cursor.fetchall() == [("plpgsql",)]
        cursor.execute("SELECT memos_key_words('acme.terms_合同期-Net30')::text, memos_key_words(NULL)")
        assert cursor.fetchone() == ("'acme':1 'net30':6 'terms':2 '合':3 '同':4 '期':5", None)


@pytest.mark.django_db
def test_an_event_has_one_index_entry_for_its_episode_and_one_for_an_instruction_that_it_has() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'memories_event'")
        indexes = [row[0] for row in cursor.fetchall()]
    assert len([text for text in indexes if "(episode_id" in text]) == 1
    assert [text.endswith("WHERE (instruction_id IS NOT NULL)") for text in indexes if "(instruction_id" in text] == [
        True
    ]


@pytest.mark.django_db
def test_evidence_is_found_by_what_it_has_and_has_no_index_twice() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'memories_evidence'")
        indexes = [row[0].partition(" USING ")[2] for row in cursor.fetchall()]
    assert {text for text in indexes if not text.startswith(("btree (id)", "btree (memory_id, "))} == {
        "btree (episode_id) WHERE (episode_id IS NOT NULL)",
        "btree (event_id) WHERE (event_id IS NOT NULL)",
    }


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["memory_id", "episode_id", "event_id"])
@pytest.mark.parametrize("which", ["= gen_random_uuid()", "= ANY(%s::uuid[])"])
def test_evidence_is_found_without_a_scan(column: str, which: str) -> None:
    new_tables(Evidence)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        question = f"EXPLAIN SELECT 1 FROM memories_evidence WHERE {column} {which}"
        cursor.execute(question, [["0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11"]] if "%s" in which else [])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plan
    assert f"({column} " in plan


@pytest.mark.django_db
def test_the_names_in_a_memory_are_looked_up_one_by_one_also_where_few_are_known() -> None:
    new_tables(Subject)
    acme = Subject.objects.create(pk=uuid4(), name="acme", title="Acme", kind="company", sensitivity=1)
    copies(acme, 500, name="'acme' || i")
    count_rows(Subject)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN WITH {OF_STORED} SELECT", ["[]"])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "memories_subject_pkey" in plan
    assert reads_all(plan, "memories_subject") == []


@pytest.mark.parametrize("model", [Memory, Episode, Event, AuditEntry, Evidence, Tombstone])
def test_a_new_row_equals_one_that_its_model_makes(model: type[Model]) -> None:
    key = "memory_id" if model is Episode else "id"
    by_model = model(**{key: None, **_fresh(model)})
    made = bulk_rows.new(model, {key: None, **_fresh(model)})
    assert _values(made) == _values(by_model)
    assert made._state.adding


def test_only_defaults_that_rows_must_not_share_are_made_for_each_row() -> None:
    """Django's mark for "no default" is callable, too."""
    assert set(bulk_rows._defaults(Event).factories) == {"id", "depends_on", "context", "flags"}


RESULTS = [1, True, 1.0, 0, False, "", None, {}, [], {"a": 1}]


@pytest.mark.django_db
@pytest.mark.parametrize("result", RESULTS)
def test_rows_that_are_alike_keep_what_each_of_them_says(result: object) -> None:
    episode = Episode.objects.create(memory=make_memory(), last_event_at=NOW, source="crm")
    kept = [result, RESULTS[(RESULTS.index(result) + 1) % len(RESULTS)], result]
    for results in ([result], [result] * 3, kept):
        Event.objects.all().delete()
        values = [{"position": n, "text": f"line {n // 2}", "result": one} for n, one in enumerate(results)]
        same = {"episode_id": episode.pk, "at": NOW, "kind": "message", "ok": True, "flags": ["a"]}
        rows = [bulk_rows.new(Event, same | one) for one in values]
        bulk_rows.insert(rows)
        stored = list(Event.objects.order_by("position"))
        assert [_values(row) for row in stored] == [_values(row) for row in rows]
        assert [json.dumps(row.result) for row in stored] == [json.dumps(one) for one in results]


@pytest.mark.django_db
@pytest.mark.parametrize("digests", [[b"a" * 32, None], [b"a" * 32, b"a" * 32], [None, None]])
def test_rows_that_are_alike_keep_their_bytes(digests: list[bytes | None]) -> None:
    memories = [make_memory() for _ in digests]
    facts = {"last_event_at": NOW, "scope": "", "source": "crm"}
    rows = [
        bulk_rows.new(Episode, {"memory_id": memory.pk, "content_sha256": digest, **facts})
        for memory, digest in zip(memories, digests, strict=True)
    ]
    bulk_rows.insert(rows)
    stored = Episode.objects.in_bulk([row.pk for row in rows])
    read = [stored[row.pk].content_sha256 for row in rows]
    assert [one and bytes(one) for one in read] == digests


def test_a_column_that_a_model_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="Event has no colour"):
        bulk_rows.new(Event, {"colour": "red"})


NOW = timezone.now()


def _fresh(model: type[Model]) -> dict[str, object]:
    """Values for columns whose default differs from row to row."""
    names = {field.attname for field in model._meta.concrete_fields}
    return {name: NOW for name in ("created_at", "updated_at", "salience_at", "batch_id") if name in names}


def _values(row: Model) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if name != "_state"}
