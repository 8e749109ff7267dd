"""How tools behave whose names do not tell whether they change anything, as the latest runs called them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Q

from consolidation.models.tool_decisions import ToolDecision
from memories.models.trusted import new_id
from memories.values.trust import Trust

ENOUGH_REPEATS, ENOUGH_RUNS = 3, 2  # equal answers to one call, and of how many runs
ASKED_FROM = 3  # runs: a tool that fewer called matters little
READS = Q(same__gte=ENOUGH_REPEATS, same_runs__gte=ENOUGH_RUNS, other=0, outcomes_differ=False)


class ToolUseQuerySet(models.QuerySet["ToolUse"]):
    def that_read(self) -> dict[str, bool]:
        """tool -> True, of those whose calls behave as look-ups do."""
        return dict.fromkeys(self.filter(READS).values_list("tool", flat=True), True)

    def asked(self, trust: Trust) -> Self:
        """Those about which a person is asked, once: nothing tells, several runs called it, and nobody has decided."""
        rows = self.filter(runs__gte=ASKED_FROM).exclude(READS).exclude(tool__in=ToolDecision.objects.values("tool"))
        return rows.filter(sensitivity__lte=trust.max_sensitivity).order_by("-runs", "tool")

    def keep(self, rows: Iterable["ToolUse"]) -> None:
        fields = ["calls", "runs", "same", "same_runs", "other", "outcomes_differ", "sensitivity", "at"]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["tool"], update_fields=fields)


class ToolUse(models.Model):
    """The latest calls of a tool of which neither a person nor its name tells whether it changes anything.

    `same`: how often the same call, without a change between, gave the same, in `same_runs` runs; `other`: something
    else. `outcomes_differ`: runs with it ended otherwise than those without it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tool = models.CharField(max_length=512, unique=True)
    calls = models.IntegerField()
    runs = models.IntegerField()
    same = models.IntegerField()
    same_runs = models.IntegerField()
    other = models.IntegerField()
    outcomes_differ = models.BooleanField()
    sensitivity = models.SmallIntegerField()
    at = models.DateTimeField()

    objects = ToolUseQuerySet.as_manager()

    def __str__(self) -> str:
        return self.tool

    @classmethod
    def of(cls, tool: str, *, at: datetime, **counts: Any) -> "ToolUse":
        return cls(tool=tool, at=at, **counts)
