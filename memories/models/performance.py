"""Track records of competences and plans: counters updated by differences; all rates are computed from them.

Of a skill that fails too often a demotion is proposed, once for each version; it is never demoted by itself.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import F
from django.db.models.functions import Greatest

from memories.models.evidence import Evidence
from memories.models.memory import Memory
from memories.models.proposal import Proposal
from memories.models.trusted import Trusted
from memories.values.chance import wilson
from memories.values.choices import BELIEVED, Outcome
from memories.values.field_errors import format_instant
from memories.values.trust import SYSTEM

COLUMN = {Outcome.SUCCESS: "successes", Outcome.FAILURE: "failures", Outcome.PARTIAL: "partials"}
FAILS_BELOW, LEAST_USES = 0.5, 5  # success rate, and uses, of what is flagged as failing


class PerformanceQuerySet(Trusted["Performance"]):
    trust_path = "memory__"

    def moved(
        self,
        counts: Mapping[str, int],
        *,
        latencies: int = 0,
        latency_ms: float = 0.0,
        last_used_at: datetime | None = None,
    ) -> int:
        """Add the differences in `counts` (outcome -> +n or -n) to each row of this QuerySet, atomically.

        `latencies` and `latency_ms`: the differences in the number of timed uses, and in the sum of their times.
        """
        change: dict[str, Any] = {
            COLUMN[Outcome(name)]: F(COLUMN[Outcome(name)]) + n for name, n in counts.items() if n
        }
        if latencies or latency_ms:
            change["latency_count"] = F("latency_count") + latencies
            change["latency_total_ms"] = F("latency_total_ms") + latency_ms
        if last_used_at:
            change["last_used_at"] = Greatest(F("last_used_at"), last_used_at)
        return self.update(**change) if change else 0

    def failing(self) -> Self:
        """Track records with a success rate under FAILS_BELOW over at least LEAST_USES uses."""
        uses = F("successes") + F("failures")
        return self.alias(n=uses).filter(n__gte=LEAST_USES, successes__lt=FAILS_BELOW * F("n"))


class Performance(models.Model):
    """Counters of one competence or plan. Latencies are milliseconds. `success_rate` is None without a use, never 0."""

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE)
    successes = models.IntegerField(default=0)
    failures = models.IntegerField(default=0)
    partials = models.IntegerField(default=0)
    latency_total_ms = models.FloatField(default=0)
    latency_count = models.IntegerField(default=0)
    last_used_at = models.DateTimeField(null=True)

    objects = PerformanceQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "performance"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(successes__gte=0, failures__gte=0, partials__gte=0),
                name="performance_counts_are_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.successes} of {self.uses}"

    @property
    def uses(self) -> int:
        """Successes and failures; partial outcomes are reported separately."""
        return self.successes + self.failures

    @property
    def success_rate(self) -> float | None:
        return self.successes / self.uses if self.uses else None

    @property
    def is_failing(self) -> bool:
        """Whether it fails too often, as `PerformanceQuerySet.failing` computes it."""
        return self.uses >= LEAST_USES and self.successes < FAILS_BELOW * self.uses

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.failures)

    @property
    def reliability(self) -> float:
        return self.interval[0]

    @property
    def avg_latency_ms(self) -> float | None:
        return self.latency_total_ms / self.latency_count if self.latency_count else None


MOST_EPISODES = 20  # failing ones that the proposal names, the latest first


def flag_if_failing(memory: Memory, *, at: datetime) -> None:
    """Open the proposal to demote it, or update the open one. What a person decided is not asked again."""
    records = Performance.objects.filter(memory=memory, memory__status__in=BELIEVED)
    record = records.failing().select_related("memory").first()
    if record is None:
        return
    row = record.memory
    change = {"verb": "demote", "version": row.payload.get("skill", {}).get("version")}
    earlier = Proposal.objects.filter(kind=Proposal.Kind.FAILING, memory=row, change=change)
    if earlier.filter(decision__in=(Proposal.Decision.ACCEPTED, Proposal.Decision.REJECTED)).exists():
        return
    why = f"it fails too often: {record.successes} of {record.uses} uses ended well"
    facts: dict[str, Any] = {"by": SYSTEM, "why": why, "at": at, "sensitivity": row.sensitivity}
    proposal = Proposal.objects.propose(Proposal.Kind.FAILING, row, change, **facts)
    Proposal.objects.filter(pk=proposal.pk).update(why=why, evidence=_failures(row))


def _failures(memory: Memory) -> list[dict[str, str]]:
    """The latest failed episodes, no more sensitive than the memory and readable where it is."""
    rows = Evidence.objects.filter(memory=memory, outcome=Outcome.FAILURE, episode__isnull=False)
    visible = rows.filter(episode__memory__sensitivity__lte=memory.sensitivity, episode__scope__in={memory.scope, ""})
    latest = visible.order_by("-at", "-pk").values_list("episode", "at")[:MOST_EPISODES]
    return [{"episode_id": str(episode), "at": format_instant(moment)} for episode, moment in latest]
