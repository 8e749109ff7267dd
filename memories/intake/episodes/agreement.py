"""How often each source of outcomes agrees with people, and whether what it says counts in learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, QuerySet

from memories.models import Episode
from memories.values.choices import Outcome, OutcomeSource

LEAST_LABELS, LEAST_AGREEMENT = 30, 0.8
LEAST_OF_MODEL = 10  # labels before a language model's word counts at all: a weak one is wrong in half of the runs
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
        least = LEAST_OF_MODEL if self.source == OutcomeSource.MODEL else LEAST_LABELS
        return self.labels >= least and self.agreed < LEAST_AGREEMENT * self.labels

    @property
    def is_untried(self) -> bool:
        """Whether it counts only after people have agreed with it, and too few have looked."""
        return self.source == OutcomeSource.MODEL and self.labels < LEAST_OF_MODEL

    @property
    def is_off(self) -> bool:
        """Whether COUNT_INFERRED_OUTCOMES leaves it out."""
        return self.source in BY_SETTING and not settings.COUNT_INFERRED_OUTCOMES

    @property
    def counts(self) -> bool:
        return not (self.is_distrusted or self.is_untried or self.is_off)


def agreements() -> list[Agreement]:
    """The agreement of each source but people, over the latest labels of people."""
    with connection.cursor() as cursor:
        cursor.execute(_COMPARED, [DOUBTED, LATEST])
        compared = {name: (agreed, labels) for name, agreed, labels in cursor.fetchall()}
    return [Agreement(source, *compared.get(source.value, (0, 0))) for source in TOLD_BY_OTHERS]


def verdicts_that_came_true() -> dict[str, tuple[int, int]]:
    """Of the runs that a verdict called likely to fail (`high`) or to end well (`low`), and whose end became known
    later: how many ended so, and how many there are. The latest runs of each source; as above, no doubted ones."""
    latest = [
        Episode.objects.filter(outcome_source=source, outcome_counts=True).order_by("-pk").values("pk")[:LATEST]
        for source in (OutcomeSource.PERSON, OutcomeSource.REPORTED, OutcomeSource.CHECKS, OutcomeSource.USER)
    ]
    known = Episode.objects.filter(pk__in=latest[0].union(*latest[1:], all=True), outcome_at__gt=F("verdict_at"))
    known = known.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE)).exclude(outcome_details__has_key=DOUBTED)
    rows = known.order_by().values_list("verdict", "outcome").annotate(n=Count("pk"))
    counts = {(verdict, outcome): n for verdict, outcome, n in rows}
    foretold = {"high": Outcome.FAILURE, "low": Outcome.SUCCESS}
    return {
        verdict: (counts.get((verdict, outcome), 0), sum(n for (of, _), n in counts.items() if of == verdict))
        for verdict, outcome in foretold.items()
    }


def counting() -> frozenset[str]:
    """The sources whose outcomes count in learning; people always do."""
    return frozenset({OutcomeSource.PERSON, *(agreement.source for agreement in agreements() if agreement.counts)})


def recount() -> None:
    """Let outcomes count or not as their sources do now; their episodes are read again for it."""
    counted = counting()
    for counts in (False, True):
        sources = [source for source in TOLD_BY_OTHERS if (source in counted) is counts]
        wrong = Episode.objects.filter(outcome_source__in=sources, outcome_counts=not counts)
        for ids in _chunks(wrong):
            Episode.objects.filter(pk__in=ids).update(outcome_counts=counts, digested_at=None, digest_attempts=0)


def _chunks(rows: "QuerySet[Episode]") -> Iterator[list[UUID]]:
    while ids := list(rows.values_list("pk", flat=True)[:AT_ONCE]):
        yield ids
