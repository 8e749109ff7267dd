"""How often each source of outcomes agrees with people, and whether what it says counts in learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from memories.models import Episode
from memories.values.choices import OutcomeSource

LEAST_LABELS, LEAST_AGREEMENT = 30, 0.8
LATEST = 1_000  # labels of people
AT_ONCE = 2_000
DOUBTED = "doubted"  # in the details of a label: the run was shown because its outcome was doubted
TOLD_BY_OTHERS = (OutcomeSource.REPORTED, OutcomeSource.CHECKS, OutcomeSource.USER, OutcomeSource.MODEL)
BY_SETTING = (OutcomeSource.USER, OutcomeSource.MODEL)
# Labels of doubted runs are left out: they were chosen because the source is likely to be wrong there.
_COMPARED = """
    SELECT other.key, count(*) FILTER (WHERE other.value ->> 'outcome' = label.outcome), count(*)
    FROM (
        SELECT outcome, outcome_others FROM memories_episode
        WHERE outcome_source = 'person' AND outcome IN ('success', 'failure')
            AND NOT outcome_details ? %s
        ORDER BY memory_id DESC LIMIT %s
    ) label, jsonb_each(label.outcome_others) other
    GROUP BY other.key
"""


@dataclass(frozen=True)
class Agreement:
    """In how many of the runs that people labelled, and of which this source says something, it says the same."""

    source: OutcomeSource
    agreed: int = 0
    labels: int = 0

    @property
    def is_distrusted(self) -> bool:
        return self.labels >= LEAST_LABELS and self.agreed < LEAST_AGREEMENT * self.labels

    @property
    def is_off(self) -> bool:
        """Whether the setting leaves it out."""
        return self.source in BY_SETTING and not settings.COUNT_INFERRED_OUTCOMES

    @property
    def counts(self) -> bool:
        return not (self.is_distrusted or self.is_off)


def agreements() -> list[Agreement]:
    """Of each source but people, over their latest labels."""
    with connection.cursor() as cursor:
        cursor.execute(_COMPARED, [DOUBTED, LATEST])
        compared = {name: (agreed, labels) for name, agreed, labels in cursor.fetchall()}
    return [Agreement(source, *compared.get(source.value, (0, 0))) for source in TOLD_BY_OTHERS]


def counting() -> frozenset[str]:
    """The sources that count: people always."""
    return frozenset({OutcomeSource.PERSON, *(one.source for one in agreements() if one.counts)})


def recount() -> int:
    """Let outcomes count or not as their sources do now; how many episodes are read again for it."""
    counted, moved = counting(), 0
    for source in TOLD_BY_OTHERS:
        counts = source in counted
        wrong = Episode.objects.filter(outcome_source=source, outcome_counts=not counts)
        for ids in _chunks(wrong):
            moved += Episode.objects.filter(pk__in=ids).update(
                outcome_counts=counts, digested_at=None, digest_attempts=0
            )
    return moved


def _chunks(rows: "QuerySet[Episode]") -> Iterator[list[UUID]]:
    while ids := list(rows.values_list("pk", flat=True)[:AT_ONCE]):
        yield ids
