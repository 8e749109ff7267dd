"""Which lines of a skill are offered: those that change something, and what is done to files beside them."""

from uuid import uuid4

import pytest

from consolidation.guidance.guide import published_for
from memories.models import Memory
from memories.values.trust import SYSTEM
from skills import publishing
from skills.models import SkillVersion
from tests.consolidation.experience import AGENT, NOON, competence, consolidated, run

pytestmark = pytest.mark.django_db
WRITES = "write sheet Staff of people.xlsx"


def offered(steps: list[str]) -> list[str]:
    """What is offered of a published skill that writes a sheet and has these steps."""
    for _ in range(3):
        run(["edit_ticket"])
    consolidated()
    memory = competence("edit_ticket")
    publishing.publish(memory, by=SYSTEM, at=NOON, batch=uuid4())
    version = SkillVersion.objects.get(skill=memory.pk)
    procedure = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    SkillVersion.objects.filter(pk=version.pk).update(fields={**version.fields, "procedure": procedure})
    Memory.objects.filter(pk=memory.pk).update(payload={**memory.payload, "effects": [WRITES]})
    skill = published_for(frozenset({WRITES}), "project:acme", AGENT, at=NOON)
    assert skill is not None
    return skill.steps


def test_rows_that_are_written_and_files_that_are_moved_are_offered_and_sheets_that_are_read_are_not() -> None:
    looks = "Look up the staff with `read sheet Staff of people.xlsx` (twice)."
    writes = "Write to the sheet `Staff of people.xlsx`. `Name` from `read sheet Staff of people.xlsx` → `[].Name`."
    beside = [
        "Write the files; of 3 runs: `export/prices.csv` (3).",
        "Remove files; of 3 runs: `var/lock` (3).",
        "Move files; of 3 runs: to `inbox/done` (3).",
    ]
    assert offered([looks, writes, *beside]) == [writes, *beside]
