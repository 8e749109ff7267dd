"""What runs have shown of the commands that they called: which start, and which do not.

Only forms of commands stand here (`python -m pytest`), no path, value or output of a run.
"""

from collections.abc import Iterable
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Q

from consolidation.learning.startups import Seen, Tally, tally
from memories.models import Memory
from memories.models.trusted import Trusted, new_id

MOST_ATTEMPTS = 3


class CommandFactQuerySet(Trusted["CommandFact"]):
    def due(self) -> Self:
        """Touched since they were last written down."""
        return self.filter(due=True, attempts__lt=MOST_ATTEMPTS)

    def set_aside(self) -> Self:
        return self.filter(due=True, attempts__gte=MOST_ATTEMPTS)


class CommandFact(models.Model):
    """The commands of one purpose in one place (a repository or package; '' the whole scope), of one sensitivity.

    `said`: form -> does it start, as its memory says; `words` are those that were written last; `turned`: it was
    proposed to say otherwise, and the latest runs still do.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    place = models.CharField(max_length=80, blank=True)
    purpose = models.CharField(max_length=64)
    memory = models.OneToOneField(Memory, null=True, on_delete=models.SET_NULL, related_name="command_fact")
    said = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    turned = models.BooleanField(default=False)
    due = models.BooleanField(default=True)
    attempts = models.SmallIntegerField(default=0)
    error = models.TextField(blank=True)

    objects = CommandFactQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "sensitivity", "place", "purpose"], name="command_fact_is_one_in_its_place"
            ),
        ]
        indexes = [models.Index(fields=["scope"], condition=Q(due=True), name="command_fact_due")]

    def __str__(self) -> str:
        return f"{self.purpose} in {self.place or self.scope or 'no scope'}"

    def tallies(self) -> dict[str, Tally]:
        rows = self.shown.order_by("at", "pk").values_list("form", "case", "started")
        return tally(Seen(form, case, started) for form, case, started in rows)

    def attempted(self) -> None:
        """Counted before the work, so that what kills its worker three times is set aside."""
        self.attempts += 1
        self.save(update_fields=["attempts"])

    def failed(self, why: str) -> None:
        """The work failed and the worker lives: tried again in the next run."""
        self.attempts, self.error = 0, why[:2000]
        self.save(update_fields=["attempts", "error"])

    def settle(self) -> None:
        self.due, self.attempts, self.error = False, 0, ""
        self.save()


class CommandAttemptQuerySet(models.QuerySet["CommandAttempt"]):
    def uncounted(self) -> Self:
        return self.filter(counted=False).order_by("at", "pk")

    def places(self, episode_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Where those of these episodes were counted that have been read before."""
        rows = self.filter(episode_id__in=list(episode_ids)).values_list("episode_id", "fact__place")
        return dict(rows)


class CommandAttempt(models.Model):
    """What one run showed of one form when it first called it. It survives the episode, and counts once.

    `counted`: it is evidence of the memory, or was met by a dismissal.
    """

    fact = models.ForeignKey(CommandFact, on_delete=models.CASCADE, related_name="shown")
    form = models.CharField(max_length=80)
    episode_id = models.UUIDField()
    case = models.UUIDField()
    started = models.BooleanField()
    at = models.DateTimeField()
    counted = models.BooleanField(default=False)

    objects = CommandAttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fact", "episode_id", "form"], name="command_attempt_counts_once"),
        ]
        indexes = [models.Index(fields=["episode_id"], name="command_attempt_by_episode")]

    def __str__(self) -> str:
        return f"{self.form} in {self.episode_id}"
