"""How a run ended: what counts and is shown, and what every other source says of it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from django.db import models

from memories.values.choices import Outcome, OutcomeSource
from memories.values.field_errors import format_instant

OUTCOME_FIELDS = (
    "outcome",
    "outcome_source",
    "outcome_at",
    "outcome_by",
    "outcome_details",
    "outcome_counts",
    "outcome_others",
)


@dataclass(frozen=True)
class EndStatement:
    """What one source says. `outcome` None: a person who looked cannot tell. `by`: who or what says so, in words."""

    source: OutcomeSource
    outcome: Outcome | None
    at: datetime | None
    by: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def kept(self) -> dict[str, Any]:
        at = format_instant(self.at) if self.at else None
        return {"outcome": self.outcome, "at": at, "by": self.by, "details": self.details}

    @classmethod
    def read(cls, source: str, values: dict[str, Any]) -> Self:
        at = datetime.fromisoformat(values["at"]) if values["at"] else None
        outcome = Outcome(values["outcome"]) if values["outcome"] else None
        return cls(OutcomeSource(source), outcome, at, values["by"], values["details"])


class Ending(models.Model):
    """The outcome as the highest source says it.

    `outcome_counts`: whether learning takes it. `outcome_others`: what the other sources say, {source: {outcome, at,
    by, details}}; each stands there once, as it said it last.
    """

    outcome = models.CharField(max_length=8, choices=Outcome, null=True)  # noqa: DJ001 - null = not known
    outcome_source = models.CharField(
        max_length=8, choices=OutcomeSource, default=OutcomeSource.NONE, db_default=OutcomeSource.NONE
    )
    outcome_at = models.DateTimeField(null=True)
    outcome_by = models.CharField(max_length=512, blank=True)  # the name of who or what says so
    outcome_details = models.JSONField(default=dict)
    outcome_counts = models.BooleanField(default=True, db_default=True)
    outcome_others: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})

    class Meta:
        abstract = True

    @property
    def counted_outcome(self) -> str | None:
        """The outcome as learning takes it: none where its source does not count."""
        return self.outcome if self.outcome_counts else None

    @property
    def said_by(self) -> OutcomeSource:
        """The source of the outcome. Rows that a former version wrote tell none, and were reported."""
        source = OutcomeSource(self.outcome_source)
        return OutcomeSource.REPORTED if source == OutcomeSource.NONE and self.outcome else source

    @property
    def is_inferred(self) -> bool:
        return self.said_by.is_inferred

    def statements(self) -> dict[str, EndStatement]:
        """What each source says, the one that holds among them."""
        by_source = {source: EndStatement.read(source, values) for source, values in self.outcome_others.items()}
        if self.said_by != OutcomeSource.NONE:
            outcome = Outcome(self.outcome) if self.outcome else None
            current = EndStatement(self.said_by, outcome, self.outcome_at, self.outcome_by, self.outcome_details)
            by_source[current.source.value] = current
        return by_source

    def hold_highest(self, statements: dict[str, EndStatement], counting: Collection[str]) -> None:
        """Take these statements: the outcome is that of the highest source; `counting`: the sources that count.

        A user who says that it does not work speaks later than the checks, and of more than they check.
        """

        def rank(statement: EndStatement) -> tuple[int, bool]:
            objects = statement.source == OutcomeSource.USER and statement.outcome == Outcome.FAILURE
            if objects and OutcomeSource.USER in counting:
                return OutcomeSource.CHECKS.rank, True
            return statement.source.rank, False

        highest = max(statements.values(), key=rank, default=None)
        winner = highest or EndStatement(OutcomeSource.NONE, None, None)
        self.outcome, self.outcome_source, self.outcome_at = winner.outcome, winner.source, winner.at
        self.outcome_by, self.outcome_details = winner.by, winner.details
        self.outcome_counts = highest is None or winner.source in counting
        self.outcome_others = {name: row.kept() for name, row in statements.items() if row is not highest}
