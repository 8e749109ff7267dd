"""Facts about commands, counted from runs: which start, and which do not.

They hold only forms of commands (`python -m pytest`), no path, value or output of a run.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Self
from uuid import UUID

from django.db import models
from django.db.models import Count, Q

from consolidation.learning.effects.command_starts import Seen, tally
from consolidation.learning.facts.startups import Startups
from consolidation.models.counted_facts import CountedFact, CountedFactQuerySet, CountedRun, CountedRunQuerySet
from memories.models import Event
from memories.values import conditions
from memories.values.choices import LIVE
from memories.values.trust import Trust


class CommandFactQuerySet(CountedFactQuerySet):
    def holding(self, trust: Trust, *, at: datetime) -> Self:
        """What the caller may see of the facts that hold then: nobody dismissed them, the latest runs do not contradict
        them, and their time is not over."""
        held = self.visible_to(trust).filter(trust.offered.q("memory__"), memory__status__in=LIVE, memory__flags=[])
        return held.filter(conditions.valid(at).q("memory__"), turned=False)

    def naming(self, forms: Iterable[str]) -> Self:
        """Those that say of one of these forms whether it starts."""
        return self.filter(said__has_any_keys=list(forms))


class CommandFact(CountedFact):
    """The commands of one purpose in one place (a repository or package; '' the whole scope).

    `said`: form -> does it start. `waits`: a person is asked about it, which is only kept otherwise.
    """

    place = models.CharField(max_length=80, blank=True)
    purpose = models.CharField(max_length=64)
    waits = models.BooleanField(default=True, db_default=True)

    objects: ClassVar[Any] = CommandFactQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "sensitivity", "place", "purpose"], name="command_fact_is_one_in_its_place"
            ),
        ]
        indexes = [models.Index(fields=["scope"], condition=Q(due=True), name="command_fact_due")]

    def __str__(self) -> str:
        return f"{self.purpose} in {self.place or self.scope or 'no scope'}"

    @property
    def starting(self) -> list[str]:
        """The forms of which it says that they start."""
        return [form for form, starts in self.said.items() if starts]

    @property
    def topic(self) -> str:
        return f"commands for {self.purpose} in {self.place or 'scope'}"

    def findings(self) -> Startups:
        rows = self.shown.order_by("at", "pk").values_list("form", "case", "started")
        return Startups(self.place, self.purpose, tally(Seen(form, case, started) for form, case, started in rows))

    def calls(self, shown: Iterable[CountedRun]) -> dict[UUID, UUID]:
        """The calls whose command line contains the form as it is counted: another way to write it is not found."""
        episodes: dict[str, list[UUID]] = defaultdict(list)
        for attempt in shown:
            assert isinstance(attempt, CommandAttempt)
            episodes[attempt.form].append(attempt.episode_id)
        by_fact: dict[UUID, UUID] = {}
        for form, ids in episodes.items():
            by_fact = Event.objects.first_calls(ids, containing=form) | by_fact
        return by_fact


class CommandAttemptQuerySet(CountedRunQuerySet):
    def counts(self) -> dict[str, tuple[int, int]]:
        """form -> (in how many runs it started, in how many it was called)."""
        rows = self.values("form").annotate(started_in=Count("pk", filter=Q(started=True)), runs=Count("pk")).order_by()
        return {form: (started, runs) for form, started, runs in rows.values_list("form", "started_in", "runs")}


class CommandAttempt(CountedRun):
    """What one run showed of one form when it first called it."""

    fact = models.ForeignKey(CommandFact, on_delete=models.CASCADE, related_name="shown")
    form = models.CharField(max_length=80)
    started = models.BooleanField()

    objects: ClassVar[Any] = CommandAttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fact", "episode_id", "form"], name="command_attempt_counts_once"),
        ]
        indexes = [models.Index(fields=["episode_id"], name="command_attempt_by_episode")]

    def __str__(self) -> str:
        return f"{self.form} in {self.episode_id}"

    def agrees(self, said: dict[str, Any]) -> bool | None:
        return self.started == said[self.form] if self.form in said else None
