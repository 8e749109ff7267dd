"""What background work has set aside after three attempts: episodes, patterns, events, facts, plans and messages."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, F, Q, QuerySet, TextField, UUIDField, Value
from django.db.models.functions import Cast, Coalesce, Concat, Left, NullIf

from consolidation import consolidation_run, pattern_run
from consolidation.models import ArgumentFact, CommandFact, Pattern, PlanShape
from consolidation.models.counted_facts import CountedFact
from consolidation.models.groups import RuleRetry
from consolidation.models.statement_messages import StatementMessage
from memories.models import Episode
from memories.values.trust import Trust

WORKER_DIED = "its worker died three times"
LONGEST_LABEL = 500
TEXT = partial(Value, output_field=TextField())


@dataclass(frozen=True)
class Item:
    """One row that was set aside. `episode`: where it comes from; `label`: of a pattern, rule or fact."""

    kind: str
    id: str
    label: str
    reason: str
    scope: str
    episode: UUID | None
    at: datetime | None


@dataclass(frozen=True)
class Source:
    """A kind of rows. `run`: the kind of run that reads them; label, error, episode, at, id: its columns."""

    kind: str
    run: str
    rows: Callable[[Trust], QuerySet[Any]]
    label: Any
    error: str = "error"
    episode: str = ""
    at: str = ""
    id: str = "pk"

    def items(self, trust: Trust, most: int) -> QuerySet[Any]:
        """The newest rows as the columns of an Item, so that all kinds are read in one query."""
        return (
            self.rows(trust)
            .order_by("-pk")
            .values_list(
                TEXT(self.kind),
                Cast(self.id, TextField()),
                Left(Cast(self.label, TextField()), LONGEST_LABEL),
                Coalesce(NullIf(Cast(self.error, TextField()), TEXT("")), TEXT(WORKER_DIED)),
                Cast("scope", TextField()),
                Cast(F(self.episode) if self.episode else Value(None), UUIDField()),
                Cast(F(self.at) if self.at else Value(None), DateTimeField()),
            )[:most]
        )


def _about(model: type[CountedFact | PlanShape]) -> Callable[[Trust], QuerySet[Any]]:
    def rows(trust: Trust) -> QuerySet[Any]:
        return model.objects.visible_to(trust).set_aside().filter(Q(memory=None) | trust.visible("memory__"))

    return rows


CONSOLIDATE, PATTERNS = consolidation_run.KIND, pattern_run.KIND
SOURCES = (
    Source(
        "episode",
        CONSOLIDATE,
        lambda trust: Episode.objects.visible_to(trust).set_aside(),
        F("memory__content"),
        error="digest_error",
        episode="pk",
        at="closed_at",
    ),
    Source(
        "pattern",
        CONSOLIDATE,
        lambda trust: Pattern.objects.visible_to(trust).stuck(),
        F("signature"),
        at="last_seen_at",
    ),
    Source("fact", CONSOLIDATE, _about(CommandFact), Concat("purpose", Value(": "), "place", output_field=TextField())),
    Source("fact", CONSOLIDATE, _about(ArgumentFact), Concat("tool", Value("."), "argument", output_field=TextField())),
    Source("plan", CONSOLIDATE, _about(PlanShape), F("steps")),
    Source(
        "message",
        CONSOLIDATE,
        lambda trust: StatementMessage.objects.visible_to(trust).set_aside(),
        Value(""),
        episode="event__episode_id",
        at="event__at",
    ),
    Source(
        "event",
        PATTERNS,
        lambda trust: RuleRetry.objects.visible_to(trust).set_aside(),
        F("rule"),
        episode="episode_id",
        at="episode__last_event_at",
        id="event_id",
    ),
)


def items(trust: Trust, *, most: int) -> list[Item]:
    """The newest of each kind of row, as far as the caller may see them."""
    first, *rest = [source.items(trust, most) for source in SOURCES]
    return [Item(*columns) for columns in first.union(*rest, all=True)]


def retry(run: str, trust: Trust) -> int:
    """Put what the caller may see back into the queues that this kind of run reads; how many."""
    return sum(
        source.rows(trust).model._default_manager.filter(pk__in=source.rows(trust).order_by().values("pk")).try_again()
        for source in SOURCES
        if source.run == run
    )
