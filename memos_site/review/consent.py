"""Confirmation of bulk promotions: skills that would be published and flagged rows are named to the person first."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, Q

from memories.models import Memory
from memories.values.trust import Trust
from memos_site.review import waiting
from memos_site.review.decide_rows import version_token
from skills import publishing
from skills.models import SkillVersion


@dataclass(frozen=True)
class Question:
    """The rows for which a promotion needs confirmation."""

    rows: list[Memory]

    @property
    def token(self) -> str:
        """Digest of the rows and their versions; a confirmation repeats it and holds only for what was shown."""
        tokens = sorted(f"{row.pk} {version_token(row)}" for row in self.rows)
        return hashlib.sha256("\n".join(tokens).encode()).hexdigest()

    @property
    def seen(self) -> dict[UUID, str]:
        """Id -> version token of each row."""
        return {row.pk: version_token(row) for row in self.rows}


def question(trust: Trust, ids: Collection[UUID]) -> Question:
    """Return those of the memories that a promotion would publish, or promote despite a flag; skills first."""
    versions = SkillVersion.objects.filter(skill=OuterRef("pk"))
    proposed = Exists(versions.filter(status=SkillVersion.Status.PROPOSED))
    restored = Exists(versions.filter(status__in=publishing.SINGLE_STATUSES))
    published = Q(proposed) | Q(restored, status__in=publishing.UNDECIDED)
    flagged = Q(waiting.flag_condition(waiting.FLAGGED), status__in=publishing.UNDECIDED)
    rows = Memory.objects.visible_to(trust).filter(published | flagged, pk__in=ids).select_related("skill")
    rows = rows.prefetch_related(Prefetch("skill__versions", SkillVersion.objects.for_lists()))
    return Question(sorted(rows, key=lambda row: (not hasattr(row, "skill"), str(row).casefold())))
