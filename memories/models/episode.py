"""Episodes and their events. An episode grows by rows; once closed, only its outcome may change."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Case, Exists, Func, OuterRef, Q, Value, When
from django.db.models.functions import Cast, Coalesce, Left, Length, Lower

from memories.models.ending import Ending
from memories.models.memory import Memory
from memories.models.row_queue import RowQueue
from memories.models.trusted import Trusted, new_id
from memories.values import roles, speakers
from memories.values.choices import Outcome, OutcomeSource

LONGEST_SHOWN = 4_000  # characters of a text or value that a page shows
LONGEST_START = 1_200
LONGEST_OPENING = 160
VERDICTS = ["low", "medium", "high", "unknown"]  # how likely a run failed
UNKNOWN = "unknown"  # filter value for episodes without an outcome
CONTRADICTED = {"high": "success", "low": "failure"}  # what is said of a run while most like it ended otherwise
# without an outcome that counts; a person who cannot tell has judged it
TO_JUDGE = (Q(outcome=None) | Q(outcome_counts=False)) & Q(closed_at__isnull=False) & ~Q(outcome_source="person")
UNJUDGED = Q(verdict_at=None, closed_at__isnull=False)
LONGEST_TRACE = 200  # first events of a run whose calls a list shows


class EpisodeQuerySet(RowQueue["Episode"]):
    """The queue of consolidation: closed episodes that were not digested yet."""

    trust_path = "memory__"
    in_queue = Q(closed_at__isnull=False, digested_at=None)
    attempts, error = "digest_attempts", "digest_error"

    def undigested(self) -> Self:
        """Closed episodes that consolidation has not read and not set aside, in reading order."""
        return self.due().order_by("closed_at", "memory_id")

    def opened_as(self, prefix: str) -> Self:
        """Open episodes whose nodes have names that begin with this (`node_id`)."""
        first, last = (UUID(prefix + digit * 24) for digit in "0f")
        return self.filter(closed_at=None, pk__gte=first, pk__lte=last)

    def with_end(self) -> Self:
        """Closed episodes of which is known how they ended, as far as it counts in learning."""
        return self.filter(closed_at__isnull=False, outcome__isnull=False, outcome_counts=True)

    def after(self, closed_at: datetime, pk: UUID) -> Self:
        """Episodes after this one in reading order."""
        return self.filter(Q(closed_at__gt=closed_at) | Q(closed_at=closed_at, pk__gt=pk))

    def ended(self, outcomes: Collection[str]) -> Self:
        """Episodes with one of these outcomes; `unknown` stands for none."""
        names = [outcome for outcome in outcomes if outcome != UNKNOWN]
        return self.filter(Q(outcome__in=names) | (Q(outcome=None) if UNKNOWN in outcomes else Q()))

    def said_by_no_person(self, outcome: Outcome) -> Self:
        """Closed episodes with this outcome, the newest first."""
        return self.filter(outcome=outcome, closed_at__isnull=False).exclude(outcome_source="person").order_by("-pk")

    def probably_failed(self) -> Self:
        """Closed episodes of which nothing that counts says how they ended, and most like them failed."""
        return self.filter(TO_JUDGE, verdict="high")

    def without_verdict(self) -> Self:
        """Closed and digested episodes that were not compared with others like them yet."""
        return self.filter(closed_at__isnull=False, digested_at__isnull=False, verdict_at=None)

    def with_opening(self) -> Self:
        """Annotate `opening`: the first characters of what it is about, which tell one without a title from others."""
        return self.annotate(opening=Left("memory__content", LONGEST_OPENING))

    def digested(self, ids: list[UUID], *, at: datetime) -> int:
        return self.filter(pk__any=ids).update(digested_at=at, digest_error="")

    def speakers(self, ids: Collection[UUID]) -> dict[UUID, str]:
        """Who speaks in each of these episodes, as values/speakers.py names it; without
        episodes that are gone, or into which another token has reported too: any caller may join a thread by its name.
        """
        if not ids:
            return {}
        foreign_events = Event.objects.filter(episode=OuterRef("pk")).exclude(made_by=OuterRef("memory__created_by"))
        makers = self.filter(pk__any=ids).exclude(Exists(foreign_events)).values_list("pk", "memory__created_by_id")
        return {pk: speakers.speaker(maker) for pk, maker in makers}


class Episode(Ending):
    """A run, a conversation or a single event. Its id is its memory's; scope, source and thread are fixed copies."""

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE)
    title = models.CharField(max_length=500, blank=True)
    external_id = models.CharField(max_length=512, null=True)  # noqa: DJ001 - null = the caller gave none
    scope = models.CharField(max_length=128, blank=True)
    source = models.CharField(max_length=512)
    thread_id = models.CharField(max_length=512, null=True)  # noqa: DJ001
    event_count = models.IntegerField(default=0)
    last_event_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    content_sha256 = models.BinaryField(max_length=32, null=True)
    digested_at = models.DateTimeField(null=True)
    digest_attempts = models.SmallIntegerField(default=0)
    digest_error = models.TextField(blank=True)
    verdict = models.CharField(max_length=8, blank=True, db_default="", default="")  # how runs like it ended
    risk = models.FloatField(null=True)  # the share of such runs that failed; null: not known
    verdict_at = models.DateTimeField(null=True)
    transcript_removed_at = models.DateTimeField(null=True)  # its events are gone, all else stays
    extract = models.BooleanField(default=True)  # whether a language model may read it for skills
    environment = models.JSONField(default=dict)
    artifacts = models.JSONField(default=list)

    objects = EpisodeQuerySet.as_manager()

    class Meta(Ending.Meta):
        abstract = False
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "source", "external_id"], name="episode_external_id_is_unique_per_source"
            ),
            models.UniqueConstraint(
                fields=["scope", "source", "thread_id"],
                condition=Q(closed_at=None),
                name="episode_has_one_open_per_thread",
            ),
            models.CheckConstraint(
                condition=Q(outcome=None) | Q(outcome__in=Outcome.values), name="episode_outcome_is_known"
            ),
        ]
        indexes = [
            models.Index(
                fields=["scope", "closed_at", "memory"], condition=Q(digested_at=None), name="episode_undigested"
            ),
            models.Index(fields=["scope", "-closed_at"], name="episode_latest_of_scope"),
            # Only columns that a new event does not change, so that its update writes no index (heap-only update).
            models.Index(fields=["memory"], condition=Q(closed_at=None), name="episode_open"),
            models.Index(fields=["scope", "closed_at"], condition=UNJUDGED, name="episode_without_verdict"),
            models.Index(fields=["verdict", "-memory"], condition=Q(verdict="high"), name="episode_likely_failed"),
            models.Index(fields=["outcome", "-memory"], condition=Q(outcome__isnull=False), name="episode_by_outcome"),
            models.Index(fields=["-memory"], condition=TO_JUDGE, name="episode_to_judge"),
            models.Index(
                fields=["content_sha256"], condition=Q(content_sha256__isnull=False), name="episode_by_content"
            ),
            models.Index(
                fields=["outcome_source", "outcome_counts", "-memory"],
                condition=~Q(outcome_source="none"),
                name="episode_by_outcome_source",
            ),
        ]

    def __str__(self) -> str:
        return self.title or str(self.pk)

    @property
    def is_doubted(self) -> bool:
        """Whether most runs like it ended otherwise than is said of it, by no person."""
        contradicts_verdict = self.outcome is not None and CONTRADICTED.get(self.verdict) == self.outcome
        return contradicts_verdict and self.said_by != OutcomeSource.PERSON


class Instruction(models.Model):
    """The text of a system message, stored once for all runs that begin with it."""

    sha256 = models.BinaryField(primary_key=True, max_length=32)
    text = models.TextField()

    def __str__(self) -> str:
        return self.text[:80]


def node_id(episode_id: UUID, position: int) -> str:
    """The server's name of the event at this position, from which its episode can be found."""
    return f"{episode_id.hex[:8]}-{position}"


def _text_of(column: str) -> Cast:
    return Cast(column, models.TextField())


# The role of an event as the table of roles spells it.
SPEAKER = Func(Lower("role"), Value(roles.SIGNS), Value(""), function="translate", output_field=models.CharField())


class EventQuerySet(Trusted["Event"]):
    trust_path = "episode__memory__"

    def spoken_by(self, role: str) -> Self:
        return self.alias(speaker=SPEAKER).filter(speaker__in=roles.SPELLINGS[role])

    def not_spoken_by(self, role: str) -> Self:
        return self.alias(speaker=SPEAKER).exclude(speaker__in=roles.SPELLINGS[role])

    def beyond(self, position: int) -> Self:
        return self.filter(position__gt=position).order_by("position")

    def unruled(self, after: tuple[datetime, UUID] | None = None) -> Self:
        """Events with a context that the pattern rules have not read, oldest first.

        `after`: continue after this (at, id).
        """
        waiting = self.filter(ruled_at=None).exclude(context={}).order_by("at", "pk")
        return waiting.filter(Q(at__gt=after[0]) | Q(at=after[0], pk__gt=after[1])) if after else waiting

    def calls(self) -> Self:
        """Tool calls among the first events, with only the beginning of their results, as text in `result_start`."""
        rows = self.filter(position__lte=LONGEST_TRACE).exclude(tool="")
        columns = rows.only("episode_id", "position", "tool", "ok")
        return columns.annotate(result_start=Left(_text_of("result"), LONGEST_START)).order_by("position")

    def containing(self, words: str) -> Self:
        """Those whose arguments contain a text."""
        return self.annotate(line=_text_of("args")).filter(line__contains=words)

    def first_calls(self, episode_ids: Iterable[UUID], *, tool: str = "", containing: str = "") -> dict[UUID, UUID]:
        """The first call of a tool, or the first whose arguments contain a text, in each episode: episode -> event."""
        rows = self.filter(episode__any=list(episode_ids)).exclude(tool="")
        if tool:
            rows = rows.filter(tool=tool)
        rows = rows.containing(containing) if containing else rows
        return dict(rows.order_by("episode", "position").distinct("episode").values_list("episode_id", "pk"))

    def for_reading(self) -> Self:
        """Events for display, without long contents.

        Annotates the beginning of texts (`said`, `args_start`, `result_start`) with their full lengths (`said_size`,
        ...), and `args_shown` and `result_shown` as JSON of at most LONGEST_SHOWN characters.
        """
        words = Coalesce("instruction__text", "text")
        rows = self.defer("text", "args", "result").annotate(said=Left(words, LONGEST_SHOWN), said_size=Length(words))
        for name in ("args", "result"):
            size, start = Length(_text_of(name)), Left(_text_of(name), LONGEST_START)
            shown = Case(When(**{f"{name}_size__lte": LONGEST_SHOWN}, then=name), output_field=models.JSONField())
            rows = rows.annotate(**{f"{name}_size": size}).annotate(**{f"{name}_shown": shown, f"{name}_start": start})
        return rows.order_by("position")

    def latencies(self) -> dict[UUID, float]:
        """Total milliseconds of the tool calls by episode, without episodes where none is known."""
        timed_events = self.filter(latency_ms__isnull=False).exclude(tool="").order_by()
        return dict(timed_events.values_list("episode").annotate(total=models.Sum("latency_ms")))


class Event(models.Model):
    """One thing that happened. `ref` is the caller's id and may repeat; `node_id` is the server's and does not."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="events", db_index=False)
    position = models.IntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=512)
    role = models.CharField(max_length=32, blank=True)
    actor = models.CharField(max_length=512, blank=True)
    ref = models.CharField(max_length=512, blank=True)
    text = models.TextField(blank=True)
    instruction = models.ForeignKey(Instruction, null=True, on_delete=models.PROTECT, db_index=False)
    summary = models.TextField(blank=True)
    tool = models.CharField(max_length=512, blank=True)
    args = models.JSONField(null=True)
    result = models.JSONField(null=True)
    ok = models.BooleanField(null=True)
    latency_ms = models.FloatField(null=True)
    depends_on = models.JSONField(default=list)
    context = models.JSONField(default=dict)
    flags = models.JSONField(default=list)
    made_by = models.CharField(max_length=200)
    ruled_at = models.DateTimeField(null=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["episode", "position"], name="event_position_is_unique_in_its_episode"),
        ]
        indexes = [
            models.Index(fields=["at", "id"], condition=Q(ruled_at=None) & ~Q(context={}), name="event_unruled"),
            models.Index(fields=["tool", "-episode"], condition=~Q(tool=""), name="event_by_tool"),
            models.Index(fields=["instruction"], condition=Q(instruction__isnull=False), name="event_by_instruction"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} {self.kind} {self.tool}".strip()

    @property
    def node_id(self) -> str:
        return node_id(self.episode_id, self.position)

    @property
    def shown_size(self) -> int:
        """Approximate number of characters that a page shows of an event from `for_reading`."""
        sizes = (getattr(self, f"{name}_size", None) or 0 for name in ("said", "args", "result"))
        return sum(min(size, LONGEST_SHOWN) for size in sizes)

    @property
    def words(self) -> str:
        """The text of the event, wherever it is stored."""
        return self.instruction.text if self.instruction else self.text
