"""What a background run wrote, for its page: the audit entries that name it."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest

from consolidation.models import Run
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
