"""Import of mem0's JSON and Markdown, and of OpenMemory's JSON lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from memories.models import Memory, Proposal
from tests.make import ANNA, AT, make_memory
from tests.transfer.imports import ROWS, Imports, counts, everything_stored
from tests.transfer.sources import fact, mem0_memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def imports() -> Imports:
    return Imports("mem0")


def export(path: Path, value: Any) -> Path:
    file = path / "export.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def test_memories_come_in_and_a_second_import_changes_nothing(imports: Imports, tmp_path: Path) -> None:
    path = export(tmp_path, {"results": [mem0_memory(n) for n in range(ROWS)], "count": ROWS})
    assert imports(path, scope="user:{user_id}") == counts(imported=ROWS)
    row = Memory.objects.get(content=fact(4))
    assert (row.scope, row.status, row.origin, row.tags, row.source) == (
        "user:user1",
        "candidate",
        "imported",
        ["terms"],
        "mem0",
    )
    assert row.created_at.isoformat() == "2025-01-01T08:02:03.500000+00:00"
    assert row.provenance["sources"][0]["metadata"] == {"n": 4}
    before = everything_stored()
    assert imports(path, scope="user:{user_id}") == counts(known=ROWS)
    assert everything_stored() == before


def test_a_plain_list_is_read_too_and_another_score_is_no_change(imports: Imports, tmp_path: Path) -> None:
    assert imports(export(tmp_path, [mem0_memory(1, score=0.3)])) == counts(imported=1)
    assert imports(export(tmp_path, [mem0_memory(1, score=0.9)])) == counts(known=1)


def test_a_memory_that_says_something_else_since_is_a_proposal_and_no_second_one(
    imports: Imports, tmp_path: Path
) -> None:
    assert imports(export(tmp_path, [mem0_memory(1), mem0_memory(2)])) == counts(imported=2)
    changed = export(tmp_path, [mem0_memory(1, memory=fact(7)), mem0_memory(2, updated_at="2026-01-01T00:00:00Z")])
    assert imports(changed) == counts(changed=1, known=1)
    assert imports(changed) == counts(known=2)
    assert set(Memory.objects.values_list("content", flat=True)) == {fact(1), fact(2)}
    proposal = Proposal.objects.get(memory__content=fact(1))
    assert proposal.change["content"] == fact(7)


def test_entries_without_an_id_are_others_in_another_file(imports: Imports, tmp_path: Path) -> None:
    assert imports(export(tmp_path, [mem0_memory(1, id=None)])) == counts(imported=1)
    assert imports(export(tmp_path, [mem0_memory(2, id=None)])) == counts(imported=1)


def test_a_byte_order_mark_at_the_beginning_is_passed_over(imports: Imports, tmp_path: Path) -> None:
    assert imports(export(tmp_path, f"\ufeff{json.dumps([mem0_memory(1)])}")) == counts(imported=1)


def test_the_same_words_twice_are_one_memory(imports: Imports, tmp_path: Path) -> None:
    rows = [mem0_memory(1), mem0_memory(1, id="other"), mem0_memory(1), mem0_memory(2, id="other")]
    assert imports(export(tmp_path, rows)) == counts(imported=1, known=3)
    assert Memory.objects.get().confidence == 20


def test_what_was_dismissed_here_stays_so(imports: Imports, tmp_path: Path) -> None:
    make_memory(fact(1)).dismiss(by=ANNA, why="wrong", at=AT)
    assert imports(export(tmp_path, [mem0_memory(1), mem0_memory(2)])) == counts(imported=1, suppressed=1)


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ('{"id": "x", "memory": 5.5}', "memory x: memory: must be a text"),
        ('{"id": "x", "memory": 7}', "memory x: memory: must be a text"),
        ('{"id": "x"}', "memory x: memory: is required"),
        ('{"id": "x", "memory": "a\\u0000b"}', "memory x: memory: a NUL character cannot be stored"),
        ('{"id": "x", "memory": "a", "categories": "b"}', "memory x: categories: not JSON"),
        ('{"id": "x", "memory": "a", "categories": [5]}', "memory x: categories: must be a list of texts"),
        ('{"id": "x", "memory": "a", "metadata": []}', "memory x: metadata: must be a JSON object"),
        ('{"id": "x", "memory": "a", "created_at": {}}', "memory x: created_at: must be a time"),
        ('{"memory": "a", "created_at": 9e99}', "entry 2: created_at: must be a time"),
        ("5", "entry 2: must be a JSON object"),
    ],
)
def test_a_bad_entry_is_told_with_its_field_and_the_others_come_in(
    imports: Imports, tmp_path: Path, raw: str, error: str
) -> None:
    path = export(tmp_path, f"[{json.dumps(mem0_memory(1))}, {raw}, {json.dumps(mem0_memory(2))}]")
    assert imports(path) == f"exit 1: {counts(imported=2, failed=1)}"
    assert imports.errors.startswith(error)


def test_a_text_that_is_too_long_is_told(imports: Imports, tmp_path: Path) -> None:
    assert imports(export(tmp_path, [mem0_memory(1, memory="a" * 100_001)])).startswith("exit 1")
    assert imports.errors.startswith("memory 00000000-0001: memory: ")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "it is no JSON: neither a list nor an object"),
        ("hello", "it is no JSON: neither a list nor an object"),
        ('{"memories": []}', "an object without a list `results`: it is no export of mem0"),
        (json.dumps([mem0_memory(n) for n in range(300)])[:-9], "it is no whole JSON, after 299 entries: "),
        ("[" * 5000, "it is no whole JSON, after 0 entries: "),
        ('[{"memory": NaN}]', "it is no whole JSON, after 0 entries: "),
    ],
)
def test_of_a_file_that_is_not_whole_nothing_comes_in(
    imports: Imports, tmp_path: Path, content: str, error: str
) -> None:
    assert imports(export(tmp_path, content)).startswith(error)
    assert not Memory.objects.exists()


MARKDOWN = """---
id: a1
created_at: 2025-03-01T10:00:00Z
type: workflow
confidence: 0.9
branch: main
files: src/a.py, src/b.py
categories: build, release
---
Run the tests before a release.

---
Not a block: no id follows.
---
id: a2
created_at: 2025-03-02T10:00:00Z
confidence: banana
---
The build takes 12 minutes.
---
id: a3
type: decision
---
We chose PostgreSQL over MySQL in 2024.
"""


def test_markdown_blocks_are_memories_and_a_line_of_dashes_in_a_text_ends_none(
    imports: Imports, tmp_path: Path
) -> None:
    path = tmp_path / "mem0.md"
    path.write_text(MARKDOWN)
    assert imports(path) == f"exit 1: {counts(imported=2, failed=1)}"
    assert imports.errors == "memory a2: confidence: must be a number\n"
    first, last = Memory.objects.order_by("-confidence")
    assert first.content == "Run the tests before a release.\n\n---\nNot a block: no id follows."
    assert (first.category, first.confidence, first.tags) == ("workflow", 90, ["build", "release"])
    assert first.provenance["sources"][0]["files"] == ["src/a.py", "src/b.py"]
    assert last.tags == ["decision"]


def test_openmemory_lines_come_in_by_state(tmp_path: Path) -> None:
    lines = [
        {"id": "1", "content": fact(1), "state": "active", "app": "cursor", "created_at": 1735689600},
        {"id": "2", "text": fact(2), "state": "archived", "categories": ["x"]},
        {"id": "3", "content": fact(3), "state": "deleted"},
        {"id": "4", "content": fact(4), "state": "banana"},
    ]
    path = tmp_path / "memories.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    imports = Imports("openmemory")
    assert imports(path, scope="app:{app}") == f"exit 1: {counts(imported=1, left_out=1, failed=2)}"
    assert imports(path) == f"exit 1: {counts(imported=2, left_out=1, failed=1)}"
    assert "memory 4: state: must be one of active, paused, archived, deleted" in imports.errors
    assert set(Memory.objects.values_list("scope", "source")) == {
        ("app:cursor", "cursor"),
        ("", "cursor"),
        ("", "openmemory"),
    }


def test_lines_that_are_cut_off_are_told_before_anything_comes_in(tmp_path: Path) -> None:
    path = tmp_path / "memories.jsonl"
    path.write_text("\n".join(json.dumps({"id": n, "content": fact(n)}) for n in range(5))[:-4])
    assert Imports("openmemory")(path) == "the last line is cut off: the file is not complete"
    assert not Memory.objects.exists()
