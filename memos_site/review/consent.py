"""What nobody promotes among others without having been asked: skills that it publishes, and rows with a flag."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, Q

from memories.models import Memory
from memories.values.trust import Trust
from memos_site.review import waiting
from memos_site.review.decide import stand
from skills import publishing
from skills.models import SkillVersion


@dataclass(frozen=True)
class Question:
    """`rows` are to be named to the person; `mark` is what the answer repeats: with other rows it is another one."""

    rows: list[Memory]

    @property
    def mark(self) -> str:
        """It changes with what would be promoted or published, so that a yes is about what was named."""
        stands = sorted(f"{row.pk} {stand(row)}" for row in self.rows)
        return hashlib.sha256("\n".join(stands).encode()).hexdigest()

    @property
    def seen(self) -> dict[UUID, str]:
        return {row.pk: stand(row) for row in self.rows}


def question(trust: Trust, ids: Collection[UUID]) -> Question:
    """Which of these a promotion would publish, or promote in spite of a flag; skills first."""
    versions = SkillVersion.objects.filter(skill=OuterRef("pk"))
    proposed = Exists(versions.filter(status=SkillVersion.Status.PROPOSED))
    restored = Exists(versions.filter(status__in=publishing.SINGLE_STATUSES))
    published = Q(proposed) | Q(restored, status__in=publishing.UNDECIDED)
    flagged = Q(waiting.flagged(waiting.FLAGGED), status__in=publishing.UNDECIDED)
    rows = Memory.objects.visible_to(trust).filter(published | flagged, pk__in=ids).select_related("skill")
    rows = rows.prefetch_related(Prefetch("skill__versions", SkillVersion.objects.for_lists()))
    return Question(sorted(rows, key=lambda row: (not hasattr(row, "skill"), str(row).casefold())))
