"""Tables of the pattern rules: groups of plugin runs with their counts, so that each event costs the same work.

They hold no text of an event: a group is identified by an HMAC of what its runs have in common.
"""

from collections.abc import Iterable
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from memories.models import Episode, Memory
from memories.models.digest_key import ITSELF
from memories.models.row_queue import MOST_ATTEMPTS, QueuedRow, RowQueue


class RuleGroup(models.Model):
    """Runs that one rule counts together within one scope; only those after `since`, where that is set.

    `seen` counts runs, `units` distinct sessions (or days). A family is the group of which a share is taken and counts
    all its members' runs; `base` is its count at `since`. `written`: its memory has existed. `sealed_with`: the mark of
    the SECRET_KEY that made `identity` before the database had a key of its own; nothing counts in such a group again.
    """

    rule = models.CharField(max_length=16)
    scope = models.CharField(max_length=128, blank=True)
    identity = models.BinaryField(max_length=32)
    sealed_with = models.CharField(max_length=16, blank=True, default=ITSELF)
    family = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="members")
    memory = models.ForeignKey(Memory, null=True, on_delete=models.SET_NULL, related_name="rule_groups")
    written = models.BooleanField(default=False)
    seen = models.IntegerField(default=0)
    units = models.IntegerField(default=0)
    base = models.IntegerField(default=0)
    since = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "rule", "identity"], name="rule_group_is_one_in_its_scope"),
        ]
        indexes = [
            models.Index(
                fields=["scope", "rule", "sealed_with"],
                condition=~Q(sealed_with=ITSELF),
                name="rule_group_of_a_secret_key",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule} in {self.scope or 'no scope'}: {self.seen}"


class RuleSighting(models.Model):
    """One detection of a group in a run. It survives its episodes, and counts once."""

    group = models.ForeignKey(RuleGroup, on_delete=models.CASCADE, related_name="sightings", db_index=False)
    unit = models.UUIDField()
    at = models.DateTimeField()
    event_id = models.UUIDField()
    episodes = ArrayField(models.UUIDField())
    sensitivity = models.SmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "unit", "at", "event_id"], name="rule_sighting_counts_once"),
        ]

    def __str__(self) -> str:
        return f"event {self.event_id}"


class PluginRun(models.Model):
    """A plugin's run with its line (its thread, or all runs without a thread in its scope) and its session."""

    line = models.UUIDField()
    source = models.CharField(max_length=512)
    at = models.DateTimeField()
    event_id = models.UUIDField(unique=True)
    episode_id = models.UUIDField()
    session = models.UUIDField()  # on the line of a thread the line itself
    sensitivity = models.SmallIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["line", "at"], name="plugin_run_of_line"),
            models.Index(
                fields=["line", "source", "at"], condition=~Q(session=F("line")), name="plugin_run_without_thread"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} at {self.at}"


class RuleRetryQuerySet(RowQueue["RuleRetry"]):
    trust_path = "episode__memory__"

    def failing(self) -> Self:
        """Failed, to be retried."""
        return self.due().filter(waiting=False).order_by("pk")

    def waiting(self) -> Self:
        """Postponed: the rule had created as many memories as it may in one run."""
        return self.due().filter(waiting=True).order_by("pk")

    def note(self, rule: str, event_id: UUID, episode_id: UUID, scope: str, **facts: Any) -> None:
        place = {"episode_id": episode_id, "scope": scope}
        self.update_or_create(rule=rule, event_id=event_id, defaults={**place, **facts})


class RuleRetry(QueuedRow):
    """An event that one rule (all rules when blank) has not read yet, while the others have."""

    rule = models.CharField(max_length=16, blank=True)
    event_id = models.UUIDField()
    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=128, blank=True)
    waiting = models.BooleanField(default=False)

    objects = RuleRetryQuerySet.as_manager()

    class Meta:
        db_table = "consolidation_unread"
        verbose_name_plural = "rule retries"
        constraints = [models.UniqueConstraint(fields=["event_id", "rule"], name="unread_once_by_a_rule")]
        indexes = [
            models.Index(fields=["scope", "waiting", "id"], condition=Q(attempts__lt=MOST_ATTEMPTS), name="unread_due"),
        ]

    def __str__(self) -> str:
        return f"{self.rule or 'every rule'}: {self.error[:80]}"


class EventBatch(models.Model):
    """The events of a scope that a worker is reading, committed before the work: if it dies, each is then read alone.

    `attempts`: how often the first of them was tried.
    """

    scope = models.CharField(max_length=128, primary_key=True)
    events = ArrayField(models.UUIDField(), default=list)
    attempts = models.SmallIntegerField(default=0)

    class Meta:
        db_table = "consolidation_reading"

    def __str__(self) -> str:
        return f"{len(self.events)} of {self.scope or 'no scope'}"

    @classmethod
    def of(cls, scope: str) -> "EventBatch":
        return cls.objects.get_or_create(scope=scope)[0]

    def take(self, events: Iterable[UUID], attempts: int = 1) -> None:
        self.events, self.attempts = list(events), attempts
        self.save(update_fields=["events", "attempts"])

    def leave(self) -> None:
        self.take([], 0)
