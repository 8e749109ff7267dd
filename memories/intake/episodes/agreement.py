"""How often each source of outcomes agrees with people, and whether what it says counts in learning.

What agents report is judged agent by agent as well: one that reports successes of runs that failed counts no more, and
does not turn off what the others report. Where people have not looked yet, the runs themselves tell: of an agent whose
successes are often denied by its own checks and users, those that are denied count no more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Case, Count, F, Q, QuerySet, Value, When

from memories.models import Episode
from memories.values.choices import Outcome, OutcomeSource

LEAST_LABELS, LEAST_AGREEMENT = 30, 0.8
LEAST_OF_MODEL = 10  # labels before a language model's word counts at all: a weak one is wrong in half of the runs
LEAST_DENIED = 5  # reports of one agent; of 413 recorded successes one was denied
LEAST_OF_AGENT = 10  # labels that tell which agent it is with whom people disagree
LATEST = 1_000  # labels of people
AT_ONCE = 2_000
DOUBTED = "doubted"  # in the details of a label: the run was shown because its outcome was doubted
TOLD_BY_OTHERS = (OutcomeSource.REPORTED, OutcomeSource.CHECKS, OutcomeSource.USER, OutcomeSource.MODEL)
BY_SETTING = (OutcomeSource.USER, OutcomeSource.MODEL)
# Labels of doubted runs are left out: they were chosen because the source is likely to be wrong there.
_LABEL_COUNTS = """
    SELECT other.key, memory.created_by_id,
        count(*) FILTER (WHERE other.value ->> 'outcome' = label.outcome), count(*)
    FROM (
        SELECT memory_id, outcome, outcome_others FROM memories_episode
        WHERE outcome_source = 'person' AND outcome IN ('success', 'failure')
            AND NOT outcome_details ? %s
        ORDER BY memory_id DESC LIMIT %s
    ) label JOIN memories_memory memory ON memory.id = label.memory_id, jsonb_each(label.outcome_others) other
    GROUP BY other.key, memory.created_by_id
"""


@dataclass(frozen=True)
class Agreement:
    """In how many of the runs that people labelled, and of which this source says something, it says the same.

    `agent`: only of the runs that it reported, by its identity. `left_out`: agents whose reports are not among these,
    because people disagree with them.
    """

    source: OutcomeSource
    agreeing_labels: int = 0
    labels: int = 0
    agent: str = ""
    left_out: Sequence["Agreement"] = ()

    @property
    def is_distrusted(self) -> bool:
        least = LEAST_OF_MODEL if self.source == OutcomeSource.MODEL else LEAST_LABELS
        return self.labels >= least and self.is_low

    @property
    def is_low(self) -> bool:
        return self.agreeing_labels < LEAST_AGREEMENT * self.labels

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
    by_source: dict[str, list[Agreement]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_LABEL_COUNTS, [DOUBTED, LATEST])
        for name, agent, agreeing, labels in cursor.fetchall():
            by_source[name].append(Agreement(OutcomeSource(name), agreeing, labels, agent))
    return [_together(source, by_source[source.value]) for source in TOLD_BY_OTHERS]


def _together(source: OutcomeSource, by_agent: Sequence[Agreement]) -> Agreement:
    """The agreement without the agents that people disagree with, where there are others: what these report stands for
    itself. Where it is too low as a whole, fewer labels tell which agent it is."""
    total = _sum(source, by_agent)
    if source != OutcomeSource.REPORTED:
        return total
    least = LEAST_OF_AGENT if total.is_distrusted else LEAST_LABELS
    low = [row for row in by_agent if row.labels >= least and row.is_low]
    return _sum(source, [row for row in by_agent if row not in low], low) if len(low) < len(by_agent) else total


def _sum(source: OutcomeSource, by_agent: Sequence[Agreement], left_out: Sequence[Agreement] = ()) -> Agreement:
    agreeing, labels = sum(row.agreeing_labels for row in by_agent), sum(row.labels for row in by_agent)
    return Agreement(source, agreeing, labels, left_out=tuple(left_out))


def verdicts_that_came_true() -> dict[str, tuple[int, int]]:
    """Of the runs that a verdict called likely to fail (`high`) or to end well (`low`), and whose end became known
    later: how many ended so, and how many there are. The latest runs of each source; as above, no doubted ones."""
    latest = [
        Episode.objects.filter(outcome_source=source, outcome_counts=True).order_by("-pk").values("pk")[:LATEST]
        for source in (OutcomeSource.PERSON, OutcomeSource.REPORTED, OutcomeSource.CHECKS, OutcomeSource.USER)
    ]
    runs = Episode.objects.filter(pk__in=latest[0].union(*latest[1:], all=True), outcome_at__gt=F("verdict_at"))
    runs = runs.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE)).exclude(outcome_details__has_key=DOUBTED)
    rows = runs.order_by().values_list("verdict", "outcome").annotate(n=Count("pk"))
    counts = {(verdict, outcome): n for verdict, outcome, n in rows}
    endings = {"high": Outcome.FAILURE, "low": Outcome.SUCCESS}
    return {
        verdict: (counts.get((verdict, outcome), 0), sum(n for (name, _), n in counts.items() if name == verdict))
        for verdict, outcome in endings.items()
    }


@dataclass(frozen=True)
class Counting:
    """Which outcomes count in learning: `sources` but for what the agents `left_out` report; people always do."""

    sources: frozenset[OutcomeSource]
    left_out: frozenset[str]

    def of(self, agent: str) -> frozenset[OutcomeSource]:
        """The sources that count of a run that this agent reported."""
        return self.sources - {OutcomeSource.REPORTED} if agent in self.left_out else self.sources


def counting() -> Counting:
    rows = agreements()
    sources = frozenset({OutcomeSource.PERSON, *(row.source for row in rows if row.counts)})
    return Counting(sources, frozenset(agent_row.agent for row in rows for agent_row in row.left_out))


def denials(sources: Iterable[str], rows: "QuerySet[Episode] | None" = None) -> dict[str, tuple[int, int]]:
    """Of the latest successes that each agent reported, by its identity: how many people or these sources deny, and how
    many there are. `rows`: only of these runs."""
    rows = Episode.objects.all() if rows is None else rows
    successes = rows.filter(outcome_source=OutcomeSource.REPORTED, outcome=Outcome.SUCCESS)
    success_report = {OutcomeSource.REPORTED: {"outcome": Outcome.SUCCESS}}
    labelled_runs = rows.filter(outcome_source=OutcomeSource.PERSON, outcome__in=(Outcome.SUCCESS, Outcome.FAILURE))
    labelled_runs = labelled_runs.filter(outcome_others__contains=success_report)
    latest = [successes.order_by("-pk").values("pk")[:AT_ONCE], labelled_runs.order_by("-pk").values("pk")[:LATEST]]
    episodes = Episode.objects.filter(pk__in=latest[0].union(latest[1], all=True))
    is_denied = Q(outcome=Outcome.FAILURE) | (Q(outcome_source=OutcomeSource.REPORTED) & _deny(sources))
    numbers = episodes.order_by().values_list("memory__created_by_id")
    return {agent: (n, total) for agent, n, total in numbers.annotate(n=Count("pk", filter=is_denied), of=Count("pk"))}


def _deny(sources: Iterable[str]) -> Q:
    """Condition of runs of which one of these sources says, beside what their agent reports, that they failed."""
    failure_reports = (Q(outcome_others__contains={source: {"outcome": Outcome.FAILURE}}) for source in sorted(sources))
    return reduce(or_, failure_reports)


def _careless(sources: Iterable[str]) -> list[str]:
    """The agents of whose reported successes many are denied."""
    counts = denials(sources).items()
    often_denied = {
        agent for agent, (denied_count, reports) in counts if reports - denied_count < LEAST_AGREEMENT * reports
    }
    return sorted(
        agent for agent, (denied_count, _) in counts if agent in often_denied and denied_count >= LEAST_DENIED
    )


def recount() -> None:
    """Let outcomes count or not as their sources do now; their episodes are read again for it."""
    current, reported = counting(), Q(outcome_source=OutcomeSource.REPORTED)
    left_out = Q(memory__created_by_id__in=current.left_out) if current.left_out else None
    if careless := _careless(current.sources):
        is_denied = _deny(current.sources) & Q(outcome=Outcome.SUCCESS, memory__created_by_id__in=careless)
        left_out = left_out | is_denied if left_out else is_denied
    to_turn = Q()
    for counts in (False, True):
        by_source = Q(outcome_source__in=[source for source in TOLD_BY_OTHERS if (source in current.sources) is counts])
        if left_out:
            by_source = by_source & ~(reported & left_out) if counts else by_source | (reported & left_out)
        to_turn |= by_source & Q(outcome_counts=not counts)
    other = Case(When(outcome_counts=True, then=Value(False)), default=Value(True))
    for ids in _chunks(Episode.objects.filter(to_turn)):
        Episode.objects.filter(pk__in=ids).update(outcome_counts=other, digested_at=None, digest_attempts=0)


def _chunks(rows: "QuerySet[Episode]") -> Iterator[list[UUID]]:
    while ids := list(rows.values_list("pk", flat=True)[:AT_ONCE]):
        yield ids
