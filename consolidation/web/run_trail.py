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
    """One entry. `memory_id`: the memory that it is about, or the skill's of a version, where the reader may see it."""

    entry: AuditEntry
    memory_id: UUID | None


def page_of_run(request: HttpRequest, run: Run, trust: Trust) -> tuple[Page[AuditEntry], list[Written]]:
    """The page of entries that the URL's cursor asks for, the latest first, as far as the reader may see them."""
    page = page_of(request, AuditEntry.objects.visible_to(trust).filter(run=run.pk), LATEST, limit=ENTRIES_AT_ONCE)
    memories = _memories(page.rows, trust) if page.rows else {}
    return page, [Written(entry, memories.get(entry.subject_id)) for entry in page.rows]


def _memories(entries: list[AuditEntry], trust: Trust) -> dict[UUID, UUID]:
    """The memory that the subject of each entry leads to."""
    subjects = [entry.subject_id for entry in entries]
    rows = Memory.objects.filter(trust.visible(), pk__in=subjects)
    memories = {memory: memory for memory in rows.values_list("pk", flat=True)}
    versions = [entry.subject_id for entry in entries if entry.subject_kind == VERSION]
    if versions:
        skills = SkillVersion.objects.visible_to(trust).filter(pk__in=versions)
        memories |= dict(skills.values_list("pk", "skill__memory"))
    return memories
