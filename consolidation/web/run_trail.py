"""What a background run wrote, for its page: the audit entries that name it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest

from consolidation.models import BulkOrder, ImportFile, Run
from memories.models import AuditEntry, Memory
from memories.values.keyset import Page
from memories.values.trust import Trust
from memories.web.paging import LATEST, page_of
from skills.models import SkillVersion
from skills.publishing import VERSION

ENTRIES_AT_ONCE = 25


@dataclass(frozen=True)
class Written:
    """One entry. `memory`: what it is about, or the skill of a version, where the reader may see it."""

    entry: AuditEntry
    memory: Memory | None

    @property
    def is_version(self) -> bool:
        return self.entry.subject_kind == VERSION


def has_subject(run: Run, trust: Trust) -> bool:
    """Whether what a run is about is still there, and the reader has a page of it: a file is its person's alone."""
    rows: dict[str, QuerySet[Any]] = {
        "import": ImportFile.objects.of(trust.actor),
        "bulk": BulkOrder.objects.all(),
    }
    known = rows.get(run.kind, Memory.objects.visible_to(trust))
    return run.subject is not None and known.filter(pk=run.subject).exists()


def page_of_run(request: HttpRequest, run: Run, trust: Trust) -> tuple[Page[AuditEntry], list[Written]]:
    """The page of entries that the URL's cursor asks for, the latest first, as far as the reader may see them."""
    page = page_of(request, AuditEntry.objects.visible_to(trust).filter(run=run.pk), LATEST, limit=ENTRIES_AT_ONCE)
    memories = _memories(page.rows, trust) if page.rows else {}
    return page, [Written(entry, memories.get(entry.subject_id)) for entry in page.rows]


def _memories(entries: list[AuditEntry], trust: Trust) -> dict[UUID, Memory]:
    """The memory that the subject of each entry leads to."""
    versions = [entry.subject_id for entry in entries if entry.subject_kind == VERSION]
    skills: dict[UUID, UUID] = {}
    if versions:
        shown = SkillVersion.objects.visible_to(trust).filter(pk__in=versions)
        skills = dict(shown.values_list("pk", "skill__memory"))
    about = {*(entry.subject_id for entry in entries), *skills.values()}
    rows = Memory.objects.filter(trust.visible(), pk__in=about).select_related("skill").in_bulk()
    return rows | {version: rows[memory] for version, memory in skills.items() if memory in rows}
