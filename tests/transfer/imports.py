"""The command on one file, as often as a test likes."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.models import AuditEntry, Evidence, ImportedRow, Memory, Passage, Proposal, Tombstone
from memories.transfer import row_batches

ROWS = 120  # two full transactions and a third, by `Imports`


class Imports:
    """`errors`: what the last call wrote beside its answer."""

    def __init__(self, format: str) -> None:
        self.format, self.errors = format, ""

    def __call__(self, path: Path, **options: Any) -> str:
        """The last line; `exit 1: ...` with failed rows; the error of a file that cannot be read."""
        out, err = StringIO(), StringIO()
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(row_batches, "MOST_ROWS", 50)
                call_command("import_memories", path, format=self.format, stdout=out, stderr=err, **options)
            left = ""
        except SystemExit as exit:
            left = f"exit {exit.code}: "
        except CommandError as error:
            return str(error)
        finally:
            self.errors = err.getvalue()
        return left + out.getvalue().strip().splitlines()[-1]


def everything_stored() -> list[Any]:
    """What a second import must not move."""
    tables = (Memory, Evidence, Tombstone, AuditEntry, Proposal, Passage, ImportedRow)
    return [sorted(map(str, table._default_manager.values_list())) for table in tables]


def counts(**named: int) -> str:
    names = ("imported", "changed", "known", "suppressed", "left out", "failed")
    return ", ".join(f"{named.get(name.replace(' ', '_'), 0)} {name}" for name in names)
