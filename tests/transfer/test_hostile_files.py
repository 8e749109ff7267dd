"""SQLite files that mean harm, or are none: a clear error, nothing executed, nothing half imported."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memories.models import Episode, ImportedRow, Memory
from memories.transfer import claim_rows
from tests.transfer.imports import Imports, counts
from tests.transfer.sources import FOUNDER_OS, INTELLIGENCE, database, event, fact, founder_memory, pattern

pytestmark = pytest.mark.django_db
COLUMNS = FOUNDER_OS.partition("(")[2].partition(");")[0]


@pytest.fixture
def imports() -> Imports:
    return Imports("founderos")


def scripted(path: Path, script: str) -> Path:
    connection = sqlite3.connect(path / "memory.db")
    connection.executescript(script)
    connection.close()
    return path / "memory.db"


def no_sqlite(path: Path) -> Path:
    (path / "memory.db").write_bytes(b"SQLite format 4\0" + bytes(5000))
    return path / "memory.db"


def truncated(path: Path) -> Path:
    file = database(path / "memory.db", FOUNDER_OS, memories=[founder_memory(n) for n in range(500)])
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return file


def a_view(path: Path) -> Path:
    return scripted(path, f"CREATE TABLE t ({COLUMNS}); CREATE VIEW memories AS SELECT * FROM t;")


def a_virtual_table(path: Path) -> Path:
    names = "id, key, category, content, source_plugin, confidence, status"
    return scripted(path, f"CREATE VIRTUAL TABLE memories USING fts5({names});")


def generated(path: Path, expression: str) -> Path:
    made = COLUMNS.replace("content TEXT", f"content TEXT GENERATED ALWAYS AS ({expression}) VIRTUAL")
    return scripted(path, f"CREATE TABLE memories ({made}); INSERT INTO memories (id, key) VALUES ('a', 'b');")


def no_row_ids(path: Path) -> Path:
    return scripted(path, f"CREATE TABLE memories ({COLUMNS}) WITHOUT ROWID;")


def another_schema(path: Path) -> Path:
    return scripted(path, "CREATE TABLE memories (id, words);")


def nothing_known(path: Path) -> Path:
    return scripted(path, "CREATE TABLE songs (id, words);")


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (no_sqlite, "the file cannot be read: file is not a database"),
        (truncated, "the file "),
        (a_view, "the table memories is a view: only plain tables are read"),
        (a_virtual_table, "the table memories is a virtual table: only plain tables are read"),
        (lambda path: generated(path, "hex(zeroblob(100000000))"), "the file cannot be read: string or blob too big"),
        (
            lambda path: generated(path, "key || id"),
            "the column content of memories is generated: only stored columns are read",
        ),
        (no_row_ids, "the table memories has no row ids: only plain tables are read"),
        (another_schema, "the table memories has no column key, category, content"),
        (nothing_known, "no table memories, events or patterns: it is no database of Founder OS"),
        (lambda path: path / "missing.db", "the file cannot be"),
        (lambda path: path, "the file cannot be"),
    ],
)
def test_of_a_file_that_is_none_nothing_comes_in(
    imports: Imports, tmp_path: Path, make: Callable[[Path], Path], error: str
) -> None:
    assert imports(make(tmp_path)).startswith(error)
    assert not Memory.objects.exists()


def test_no_trigger_fires_and_the_file_stays_as_it_was(imports: Imports, tmp_path: Path) -> None:
    script = "CREATE TRIGGER t AFTER UPDATE ON memories BEGIN DELETE FROM observations; END;"
    path = database(tmp_path / "memory.db", FOUNDER_OS + script, memories=[founder_memory(1)])
    before = path.read_bytes()
    assert imports(path) == counts(imported=1)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def test_a_file_that_its_program_writes_at_this_moment_is_read_with_its_log(imports: Imports, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    live = sqlite3.connect(path)
    live.execute("PRAGMA journal_mode=WAL")
    live.executescript(FOUNDER_OS)
    row = founder_memory(1)
    live.execute(f"INSERT INTO memories ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    live.commit()
    assert imports(path) == counts(imported=1)
    live.close()


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        ({"content": "a\0b"}, "content: a NUL character cannot be stored"),
        ({"content": b"\xff\xfe"}, "content: holds bytes where a text is expected"),
        ({"content": "   "}, "content: "),
        ({"content": None}, "content: "),
        ({"content": "a" * 100_001}, "content: "),
        ({"content": "a" * (11 * 1024 * 1024)}, "a cell is larger than 10 MiB"),
        ({"key": "k" * 300}, "key: "),
        ({"confidence": "sure"}, "confidence: must be a number"),
        ({"confidence": 101}, "confidence: must be from 0 to 100"),
        ({"confidence": 7.5}, "confidence: must be a whole number"),
        ({"confidence": float("inf")}, "confidence: must be a number"),
        ({"category": "banana"}, "Invalid category: must be one of preference, pattern, fact, contact, workflow"),
        ({"status": "banana"}, "status: must be one of candidate, confirmed, applied, dismissed"),
        ({"tags": "{}"}, "tags: must be a JSON list"),
        ({"tags": "[1]"}, "tags: must be a list of texts"),
        ({"tags": "[" * 200}, "tags: n"),
        ({"created_at": 10**18}, "created_at: must be a time"),
        ({"created_at": "yesterday"}, "created_at: must be a time"),
        ({"times_used": -1}, "times_used: must be from 0 to"),
        ({"source_plugin": "p" * 600}, "source_plugin: "),
    ],
)
def test_a_bad_row_is_told_with_its_field_and_the_others_come_in(
    imports: Imports, tmp_path: Path, facts: dict[str, object], error: str
) -> None:
    rows = [founder_memory(1), founder_memory(2, **facts), founder_memory(3)]
    path = database(tmp_path / "memory.db", FOUNDER_OS, memories=rows)
    assert imports(path) == f"exit 1: {counts(imported=2, failed=1)}"
    assert error in imports.errors
    assert imports.errors.startswith(("memories m2: ", "memories row 2: "))
    assert Memory.objects.count() == 2


def test_text_that_is_no_utf_8_is_told(imports: Imports, tmp_path: Path) -> None:
    path = database(tmp_path / "memory.db", FOUNDER_OS, memories=[founder_memory(1)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE memories SET content = CAST(x'ff41' AS TEXT)")
    connection.commit()
    connection.close()
    imports(path)
    assert imports.errors == "memories m1: content: a lone surrogate cannot be stored\n"


def test_an_import_that_dies_in_the_middle_goes_on_where_it_was(
    imports: Imports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(tmp_path / "memory.db", FOUNDER_OS, memories=[founder_memory(n) for n in range(250)])
    write, written = claim_rows.write_of, []

    def dying(*args: Any) -> object:
        written.append(args)
        if len(written) == 150:
            raise KeyboardInterrupt
        return write(*args)

    monkeypatch.setattr(claim_rows, "write_of", dying)
    with pytest.raises(KeyboardInterrupt):
        imports(path)
    assert (Memory.objects.count(), ImportedRow.objects.count()) == (100, 100)  # whole batches, nothing between
    monkeypatch.setattr(claim_rows, "write_of", write)
    assert imports(path) == counts(imported=150, known=100)


def test_a_preview_keeps_nothing_and_says_what_would_come_in(imports: Imports, tmp_path: Path) -> None:
    rows = [founder_memory(1), founder_memory(2, confidence="x"), founder_memory(3, status="dismissed")]
    path = database(tmp_path / "memory.db", FOUNDER_OS, memories=rows)
    said = imports(path, dry_run=True)
    assert said == f"exit 1: {counts(imported=2, failed=1)}; nothing was kept: a preview"
    assert not Memory.objects.exists()
    assert not ImportedRow.objects.exists()


def test_intelligence_becomes_episodes_by_session_and_candidates(imports: Imports, tmp_path: Path) -> None:
    rejected = pattern(2, status="rejected")
    path = database(
        tmp_path / "intelligence.db",
        INTELLIGENCE,
        events=[event(1), event(2, "s2"), event(3, outcome="failure"), event(4, event_type="banana")],
        patterns=[pattern(1, status="approved"), rejected, pattern(3, pattern_type="autonomy")],
        healing_patterns=[{"id": "h1", "error": "x"}],
    )
    assert imports(path) == f"exit 1: {counts(imported=6, left_out=1, failed=1)}"
    assert set(Episode.objects.values_list("thread_id", "event_count", "outcome")) == {
        ("s1", 2, "failure"),
        ("s2", 1, "success"),
    }
    assert set(Memory.objects.filter(type="semantic").values_list("content", "status", "category", "confidence")) == {
        (fact(1), "candidate", "preference", 70),
        (fact(2), "dismissed", "preference", 70),
        (fact(3), "candidate", "pattern", 70),
    }
    assert "healing_patterns (1 rows): what was repaired is not imported" in imports.errors
