"""Facts about commands, counted from runs: which start, which do not, and with which options they work.

They hold only forms of commands (`python -m pytest`) and names of options, no path, value or output of a run.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Self
from uuid import UUID

from django.db import models
from django.db.models import Count, Q

from consolidation.learning.effects.command_starts import CaseAttempt, tally
from consolidation.learning.effects.option_tries import OPTIONS_OF, options_in
from consolidation.learning.facts.option_facts import OptionFindings, works
from consolidation.learning.facts.startups import Startups
from consolidation.models.counted_facts import CountedFact, CountedFactQuerySet, CountedRun, CountedRunQuerySet
from memories.models import Event
from memories.values import conditions
from memories.values.choices import LIVE
from memories.values.trust import Trust


class CommandFactQuerySet(CountedFactQuerySet):
    def holding(self, trust: Trust, *, at: datetime) -> Self:
        """The facts in force at `at` that the caller may see: live, without flags, valid, and not contradicted by the
        latest runs."""
        visible_facts = self.visible_to(trust).filter(
            trust.offered.q("memory__"), memory__status__in=LIVE, memory__flags=[]
        )
        return visible_facts.filter(conditions.valid(at).q("memory__"), turned=False)

    def naming(self, forms: Iterable[str]) -> Self:
        """Those that say of one of these forms whether it starts."""
        return self.filter(said__has_any_keys=list(forms))


class CommandFact(CountedFact):
    """The commands of one purpose in one place (a repository or package; '' the whole scope), or the options of one.

    `said`: form -> does it start, or options -> does the command work with them. `waits`: a person is asked about it,
    which is only kept otherwise.
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
    def command(self) -> str:
        """The command whose options it is about; '' for the commands of a purpose."""
        return self.purpose.removeprefix(OPTIONS_OF) if self.purpose.startswith(OPTIONS_OF) else ""

    @property
    def topic(self) -> str:
        if self.command:
            return f"{self.purpose} in {self.place or 'scope'}"
        return f"commands for {self.purpose} in {self.place or 'scope'}"

    def findings(self) -> Startups | OptionFindings:
        case_attempts = [
            CaseAttempt(*row) for row in self.shown.order_by("at", "pk").values_list("form", "case", "started")
        ]
        if self.command:
            return OptionFindings(self.place, self.command, case_attempts)
        return Startups(self.place, self.purpose, tally(case_attempts))

    def calls(self, runs: Iterable[CountedRun]) -> dict[UUID, UUID]:
        """The calls whose command line contains the form as it is counted: another way to write it is not found."""
        episodes: dict[str, list[UUID]] = defaultdict(list)
        for attempt in runs:
            assert isinstance(attempt, CommandAttempt)
            episodes[self.command or attempt.form].append(attempt.episode_id)
        by_fact: dict[UUID, UUID] = {}
        for form, ids in episodes.items():
            by_fact = Event.objects.first_calls(ids, containing=form) | by_fact
        return by_fact


class CommandAttemptQuerySet(CountedRunQuerySet):
    def counts(self) -> dict[str, tuple[int, int]]:
        """form -> (in how many runs it started, in how many it was called)."""
        rows = self.values("form").annotate(started_in=Count("pk", filter=Q(started=True)), runs=Count("pk")).order_by()
        return {form: (starts, runs) for form, starts, runs in rows.values_list("form", "started_in", "runs")}


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

    def agrees(self, claims: dict[str, Any]) -> bool | None:
        if self.fact.command:
            is_said = works(options_in(self.form), claims)
            return None if is_said is None else self.started == is_said
        return self.started == claims[self.form] if self.form in claims else None
