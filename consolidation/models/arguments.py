"""Facts about tool arguments, counted from runs: from which source they were right, and from which they failed.

They hold only names of tools, arguments and fields, no value and no text of a run.
"""

from collections.abc import Iterable
from typing import Any, ClassVar
from uuid import UUID

from django.db import models
from django.db.models import Q

from consolidation.learning.facts.argument_facts import ArgumentFindings, testimony
from consolidation.learning.facts.argument_habits import Habits, RunCalls
from consolidation.learning.runs.operations import search_text
from consolidation.models.counted_facts import WRITTEN, CountedFact, CountedFactQuerySet, CountedRun
from memories.models import Event
from memories.values.choices import Outcome

MOST_RUNS = 1_000  # the latest, that are counted
MOST_ARGUMENTS = 200  # of one tool, on all levels


class ArgumentFactQuerySet(CountedFactQuerySet):
    def habits(self, tool: str, scope: str) -> dict[str, Habits]:
        """What calls of this tool had in common, by argument; the counts of all levels of these rows are added up."""
        by_tool: dict[str, Habits] = {}
        rows = self.filter(scope=scope, tool=tool).values_list("argument", "habits")
        for argument, stored_habits in rows.order_by("sensitivity")[:MOST_ARGUMENTS]:
            by_tool[argument] = by_tool.get(argument, Habits()).plus(Habits.of_row(stored_habits))
        return by_tool


class ArgumentFact(CountedFact):
    """One argument of one tool that changes something.

    `said`: the source that it comes from, and those that failed; `habits`: what the calls that worked had in common, as
    it stood when the fact was last written.
    """

    tool = models.CharField(max_length=200)
    argument = models.CharField(max_length=200)
    habits = models.JSONField(db_default={}, default=dict)

    written: ClassVar[tuple[str, ...]] = (*WRITTEN, "habits")
    objects: ClassVar[Any] = ArgumentFactQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "sensitivity", "tool", "argument"], name="argument_fact_is_one_of_its_tool"
            ),
        ]
        indexes = [models.Index(fields=["scope"], condition=Q(due=True), name="argument_fact_due")]

    def __str__(self) -> str:
        return f"{self.argument} of {self.tool}"

    @property
    def topic(self) -> str:
        return f"source of {self.argument} for {self.tool}"

    def findings(self) -> ArgumentFindings:
        latest = self.shown.order_by("-at", "-pk").values_list("case", "outcome", "calls")[:MOST_RUNS]
        run_calls = [RunCalls.of_rows(case, outcome, calls) for case, outcome, calls in reversed(latest)]
        return ArgumentFindings(self.tool, self.argument, run_calls)

    def save_written(self, findings: Any) -> None:
        self.habits = findings.habits().to_row()
        super().save_written(findings)

    def calls(self, runs: Iterable[CountedRun]) -> dict[UUID, UUID]:
        ids = [sighting.episode_id for sighting in runs]
        call_events = Event.objects.first_calls(ids, tool=self.tool)
        return call_events or Event.objects.first_calls(ids, containing=search_text(self.tool))


class ArgumentUse(CountedRun):
    """How one run gave one argument: each call as plain JSON values."""

    fact = models.ForeignKey(ArgumentFact, on_delete=models.CASCADE, related_name="shown")
    outcome = models.CharField(max_length=8, choices=Outcome)
    calls = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["fact", "episode_id"], name="argument_use_counts_once"),
        ]
        indexes = [models.Index(fields=["episode_id"], name="argument_use_by_episode")]

    def __str__(self) -> str:
        return f"{self.outcome} in {self.episode_id}"

    def agrees(self, claims: dict[str, Any]) -> bool | None:
        return testimony(RunCalls.of_rows(self.case, self.outcome, self.calls), claims)
