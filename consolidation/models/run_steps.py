"""Table of the steps of a run of background work."""

from datetime import datetime
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models import Episode
from memories.scanning import credentials
from memories.values.trust import Trust


class RunStepQuerySet(models.QuerySet["RunStep"]):
    def visible_to(self, trust: Trust) -> Self:
        """Within runs that are visible: a step may be about a scope that the caller does not see."""
        return self if trust.scopes_to_read is None else self.filter(scope__in=trust.scopes_to_read)

    def prunable(self, *, before: datetime) -> Self:
        """Steps of runs that stay (`RunQuerySet.prunable`) though they ended before and are not done again."""
        final_statuses = (RunStep.Status.SUCCEEDED, RunStep.Status.SKIPPED)
        return self.filter(
            finished_at__lt=before, run__finished_at__lt=before, run__status__in=final_statuses
        ).order_by("finished_at")


class RunStep(models.Model):
    """One step of a run. `answer`: what the language model said for it, validated: kept so that a retry does not pay
    for it again, and gone with the run's episode. `scope`: what a step of a run over all scopes is about. `success` and
    `failure`: the two conversations that it compares; it goes with either.
    """

    class Status(models.TextChoices):
        PENDING = "pending", _("Pending")
        RUNNING = "running", _("Running")
        SUCCEEDED = "succeeded", _("Succeeded")
        SKIPPED = "skipped", _("Skipped")
        FAILED = "failed", _("Failed")

    run = models.ForeignKey("consolidation.Run", models.CASCADE, related_name="steps")
    position = models.SmallIntegerField()
    name = models.CharField(max_length=128)
    scope = models.CharField(max_length=128, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    reason = models.TextField(blank=True)
    attempts = models.SmallIntegerField(default=0)
    answer = models.JSONField(null=True)
    success = models.ForeignKey(Episode, models.CASCADE, null=True, related_name="steps_with_success")
    failure = models.ForeignKey(Episode, models.CASCADE, null=True, related_name="steps_with_failure")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunStepQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="run_step_has_its_own_name")]
        indexes = [models.Index(fields=["finished_at"], name="run_step_ended")]
        ordering = ["run", "position"]

    def __str__(self) -> str:
        return f"{self.name} {self.status}"

    def begin(self, *, at: datetime) -> bool:
        """Begin it once more. False: it went with one of its conversations."""
        self.status, self.reason, self.attempts = RunStep.Status.RUNNING, "", self.attempts + 1
        facts = {"status": self.status, "reason": "", "attempts": self.attempts}
        return bool(RunStep.objects.filter(pk=self.pk).update(**facts, started_at=at, finished_at=None))

    def end(self, status: str, *, at: datetime, reason: str = "") -> None:
        """As `finish`, of one that may have gone with one of its conversations."""
        RunStep.objects.filter(pk=self.pk).update(status=status, reason=reason[:2000], finished_at=at)

    def explain(self, reason: str) -> None:
        """Add what became of its answer."""
        reasons = self.reason.split("; ") if self.reason else []
        self.reason = "; ".join(dict.fromkeys([*reasons, credentials.masked(reason)]))[:2000]
        RunStep.objects.filter(pk=self.pk).update(reason=self.reason)

    def finish(self, status: str, *, at: datetime, reason: str = "") -> None:
        self.status, self.reason, self.finished_at = status, reason[:2000], at
        self.save(update_fields=["status", "reason", "finished_at"])
