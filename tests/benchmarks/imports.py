"""What an import costs a row, beside bare SQL that copies the same rows.

    .venv/bin/python -m tests.benchmarks.imports [--rows 3000] [--profile]

A store with claims of ten customers is exported, and its file comes in as that of another scope, with other ids. One
JSON line a figure: milliseconds a row by the clock, and processor time of Python and of the database for one.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.benchmarks.bulk import fill, timed
from tests.benchmarks.store import empty_store

COPIED = """
WITH new AS (SELECT id AS old, uuidv7() AS id FROM memories_memory WHERE scope = 'project:shop'),
memory AS (INSERT INTO memories_memory ({memory}) SELECT {memory_values} FROM memories_memory AS row
    JOIN new ON new.old = row.id),
trail AS (INSERT INTO memories_auditentry ({auditentry}) SELECT {auditentry_values} FROM memories_auditentry AS row
    JOIN new ON new.old = row.subject_id)
INSERT INTO memories_evidence ({evidence}) SELECT {evidence_values} FROM memories_evidence AS row
    JOIN new ON new.old = row.memory_id"""
CHANGED = {
    "memory": {"id": "new.id", "scope": "'project:floor'"},
    "auditentry": {"id": "uuidv7()", "subject_id": "new.id", "scope": "'project:floor'"},
    "evidence": {"id": "uuidv7()", "memory_id": "new.id"},
}


def copied() -> str:
    """The statement of the floor."""
    from django.apps import apps
    from django.db.models import AutoField, GeneratedField

    parts: dict[str, str] = {}
    for name, changed in CHANGED.items():
        fields = apps.get_model("memories", name)._meta.concrete_fields
        columns = [str(one.column) for one in fields if not isinstance(one, GeneratedField | AutoField)]
        values = [changed.get(column, f"row.{column}") for column in columns]
        parts |= {name: ", ".join(columns), f"{name}_values": ", ".join(values)}
    return COPIED.format(**parts)


def other_store(lines: Iterable[str]) -> Iterable[str]:
    """The lines of another store: other ids, and one scope."""
    for line in lines:
        row: dict[str, Any] = json.loads(line)
        if row.get("kind") == "memory":
            yield json.dumps(row | {"id": str(uuid4()), "scope": "project:copy"})


def measure(folder: Path, rows: int, *, profile: bool) -> None:
    from django.core.management import call_command
    from django.db import connection

    exported, changed = folder / "exported.jsonl", folder / "changed.jsonl"
    call_command("export_memories", str(exported), verbosity=0)
    changed.write_text("\n".join(other_store(exported.read_text().splitlines())) + "\n")

    def imported() -> None:
        call_command("import_memories", str(changed), format="memos", verbosity=0)

    timed("import", rows, imported, profile=profile)

    def floor() -> None:
        with connection.cursor() as cursor:
            cursor.execute(copied())

    timed("bare SQL", rows, floor)
    with connection.cursor() as cursor:
        cursor.execute("SELECT scope, count(*) FROM memories_memory GROUP BY scope ORDER BY scope")
        if dict(cursor.fetchall()).get("project:copy") != rows:
            raise SystemExit("not all of it came in")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    with empty_store() as folder:
        fill(given.rows, "project:shop")
        measure(folder, given.rows, profile=given.profile)


if __name__ == "__main__":
    main()
