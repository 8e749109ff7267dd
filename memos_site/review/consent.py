"""Confirmation of bulk promotions: skills that would be published and flagged rows are named to the person first."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, Exists, F, OuterRef, Prefetch, Q, When
from django.db.models.functions import Left, Lower

from memories.models import Memory
from memories.values.trust import Trust
from memos_site.review import waiting
from memos_site.review.bulk import NUMBER_PROPOSED, token_of
from skills import publishing
from skills.models import SkillVersion

MOST_NAMED = 100  # rows that the person is shown; of the others the ids and versions are read, however many they are


@dataclass(frozen=True)
class Question:
    """The rows for which a promotion needs confirmation.

    `version_tokens`: by id, of each; `rows`: the first MOST_NAMED, skills first; `skill_count`: skills in all.
    """

    version_tokens: dict[UUID, str]
    rows: list[Memory]
    skill_count: int

    @property
    def total(self) -> int:
        """The number of rows to confirm."""
        return len(self.version_tokens)

    @property
    def token(self) -> str:
        """Digest of the rows and their versions; a confirmation repeats it and holds for no others."""
        tokens = sorted(f"{pk} {token}" for pk, token in self.version_tokens.items())
        return hashlib.sha256("\n".join(tokens).encode()).hexdigest()


def question(trust: Trust, ids: Collection[UUID]) -> Question:
    """Return those of the memories that a promotion would publish, or promote despite a flag; skills first."""
    versions = SkillVersion.objects.filter(skill=OuterRef("pk"))
    has_proposal = Exists(versions.filter(status=SkillVersion.Status.PROPOSED))
    has_version = Exists(versions.filter(status__in=publishing.SINGLE_STATUSES))
    will_publish = Q(has_proposal) | Q(has_version, status__in=publishing.UNDECIDED)
    has_flag = Q(waiting.flag_condition(waiting.FLAGGED), status__in=publishing.UNDECIDED)
    rows = Memory.objects.visible_to(trust).filter(will_publish | has_flag, pk__in=ids)
    rows = rows.order_by(Case(When(skill=None, then=1), default=0), Lower(Left("content", 80)), "pk")
    columns = list(rows.values_list("pk", "version", NUMBER_PROPOSED, F("skill")))
    tokens = {pk: token_of(version, number) for pk, version, number, _skill in columns}
    return Question(tokens, _rows_in_order(list(tokens)[:MOST_NAMED]), sum(skill is not None for *_, skill in columns))


def _rows_in_order(ids: list[UUID]) -> list[Memory]:
    """Return these rows in their order."""
    rows = Memory.objects.filter(pk__in=ids).select_related("skill")
    rows = rows.prefetch_related(Prefetch("skill__versions", SkillVersion.objects.for_lists()))
    return sorted(rows, key=lambda row: ids.index(row.pk))
