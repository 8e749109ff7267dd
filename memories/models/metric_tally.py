"""The snapshot of counts from which the figures of a large store are told, so that no request counts a million rows.

A job takes it (`memories.metrics.snapshots`). The one before goes in the same transaction.
"""

from datetime import datetime
from typing import Any

from django.db import models

from memories.values.choices import Sensitivity
from memories.values.trust import Trust


class MetricSnapshot(models.Model):
    """When the store was counted. `changes`: how many row changes the database had seen before; `seconds`: it took."""

    at = models.DateTimeField()
    changes = models.BigIntegerField()
    seconds = models.FloatField()

    def __str__(self) -> str:
        return str(self.at)


class MetricTallyQuerySet(models.QuerySet["MetricTally"]):
    def seen_by(self, trust: Trust) -> tuple[datetime | None, list[dict[str, Any]]]:
        """When the store was counted (None: never), and the counts that this caller may see. One statement.

        A snapshot always has a row over all scopes at the lowest level, which tells its time to callers without rows.
        """
        over_all = models.Q(scope=None)
        within_clearance = over_all & models.Q(sensitivity__lte=trust.max_sensitivity)
        visible = within_clearance if trust.scopes is None else trust.visible()
        marker = over_all & models.Q(sensitivity=Sensitivity.PUBLIC)
        rows = list(self.filter(visible | marker).select_related("snapshot").order_by("pk"))
        own_counts = [row.counts for row in rows if (row.scope is None) == (trust.scopes is None)]
        return (rows[0].snapshot.at if rows else None), own_counts


class MetricTally(models.Model):
    """Counts of the rows of one scope and level; without a scope those of all scopes together."""

    snapshot = models.ForeignKey(MetricSnapshot, models.CASCADE, related_name="tallies")
    scope = models.CharField(max_length=128, null=True)  # noqa: DJ001 - "" is a scope
    sensitivity = models.SmallIntegerField()
    counts = models.JSONField()

    objects = MetricTallyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "sensitivity", "snapshot"],
                nulls_distinct=False,
                name="metric_tally_is_one_of_its_scope_and_level",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.sensitivity}"
