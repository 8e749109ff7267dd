"""Evidence: an occasion that speaks for or against a memory; it counts once, however often a job runs."""

from collections.abc import Iterable
from typing import Any, Self
from uuid import UUID

from django.db import models
from django.db.models import Count, F, OuterRef, Prefetch, Subquery
from django.db.models.functions import Coalesce, Left, Now
from django.utils.translation import gettext_lazy as _

from memories import claims
from memories.claims import Claim, Likeness
from memories.models.episode import LONGEST_OPENING, Episode, Event
from memories.models.memory import Memory, MemoryQuerySet
from memories.models.trusted import Trusted, new_id
from memories.values import speakers
from memories.values.choices import ActorKind, Origin, Outcome
from memories.values.trust import Actor, Trust

OF_EPISODE = "episode:"
OF_THREAD = "thread:"
LONGEST_SNAPSHOT = 2_000
MOST_COMPARED = 200  # occasions


def episode_occasion(episode_id: UUID) -> str:
    return f"{OF_EPISODE}{episode_id}"


class EvidenceQuerySet(Trusted["Evidence"]):
    trust_path = "memory__"

    def of_visible_episodes(self, trust: Trust) -> Self:
        """Evidence whose episode the caller may see, or that has none."""
        return self.filter(models.Q(episode=None) | trust.visible("episode__memory__"))

    def speaking(self) -> Self:
        """Evidence for a memory, none against it."""
        return self.exclude(kind__in=(Evidence.Kind.CONTRADICTS, Evidence.Kind.SUPPRESSED))

    def agents_or_sessions(self) -> int:
        """Number of distinct agents behind the evidence, or of distinct sessions (episodes and threads) if larger."""
        agents, sessions = set(), set()
        for maker, occasion, episode in self.speaking().values_list("made_by_id", "occasion", "episode_id"):
            agents.add(maker)
            if episode or occasion.startswith(OF_EPISODE):
                sessions.add(episode_occasion(episode) if episode else occasion)
            elif occasion.startswith(OF_THREAD):
                sessions.add(occasion.rpartition(":")[0])  # without the day
        return max(len(agents - {""}), len(sessions))

    def speakers_with_words(self, memory: Memory, words: str, *, by: Actor | None) -> list[str]:
        """The value of `speakers` for a memory whose evidence this is and whose words become these.

        `by`: who states them now; None: they are those of before. The words that a rule counts follow the counts.
        """
        if by and by.kind == ActorKind.SYSTEM and memory.origin in Origin.of_rules():
            return memory.speakers
        agent_ids = [by.identity] if by and by.kind == ActorKind.AGENT else []
        return speakers.column_of(memory, [*self.saying(words), *agent_ids])

    def saying(self, words: str) -> list[str]:
        """The speakers (values/speakers.py) behind the latest evidence that claims the same as these words.

        None for words that are longer than what is kept of them.
        """
        if len(words) > LONGEST_SNAPSHOT:
            return []
        latest = self.speaking().exclude(snapshot="").order_by("-created_at", "-pk")
        rows = list(latest.only("made_by_id", "episode_id", "snapshot")[:MOST_COMPARED])
        claim = claims.claim_of(words)
        equal_texts = {text for text in {row.snapshot for row in rows} if _is_same(claim, text)}
        return speakers_behind(row for row in reversed(rows) if row.snapshot in equal_texts)

    def in_words(self) -> Self:
        """Objections in words that come from no episode, newest first."""
        contradictions = self.filter(kind=Evidence.Kind.CONTRADICTS).exclude(occasion__startswith=OF_EPISODE)
        return contradictions.exclude(snapshot="").order_by("-at", "-pk")

    def with_episodes(self, trust: Trust, *, most: int) -> "list[Evidence]":
        """The first rows with their episodes and the `position` of their events, by one statement; an episode above the
        caller is None."""
        long_columns = ("payload", "provenance", "content")
        rows_with_episode = (
            self.annotate(position=F("event__position"), opening=Left("episode__memory__content", LONGEST_OPENING))
            .select_related("episode__memory")
            .defer(*(f"episode__memory__{name}" for name in long_columns))
        )
        rows = list(rows_with_episode.defer("episode__environment", "episode__artifacts")[:most])
        for row in rows:
            if episode := row.episode:
                episode.opening = row.opening  # type: ignore[attr-defined]  # as `with_opening` annotates it
                if not trust.sees(episode.memory):
                    row._state.fields_cache["episode"] = None  # its id stays: there is one
        return rows

    def with_runs(self, trust: Trust) -> Self:
        """Load each row's episode with its tool calls (`episode.trace`), and the `position` of its event; an episode
        above the caller is None."""
        calls = Prefetch("events", Event.objects.calls(), to_attr="trace")
        episodes = Episode.objects.visible_to(trust).with_opening().defer("environment", "artifacts")
        return self.annotate(position=F("event__position")).prefetch_related(
            Prefetch("episode", episodes.prefetch_related(calls))
        )


def speakers_behind(rows: Iterable["Evidence"]) -> list[str]:
    """The speakers (values/speakers.py) of evidence, in its order: agents, and for what a rule or a model read those
    who reported the episode. People are left out: theirs is to decide.
    """
    rows, agents, rules = list(rows), f"{ActorKind.AGENT}:", f"{ActorKind.SYSTEM}:"
    episode_ids = {row.episode_id for row in rows if row.episode_id and row.made_by_id.startswith(rules)}
    reporters: dict[Any, str] = Episode.objects.speakers(episode_ids)
    names = [row.made_by_id if row.made_by_id.startswith(agents) else reporters.get(row.episode_id) for row in rows]
    return list(dict.fromkeys(filter(None, names)))


def _is_same(claim: Claim, text: str) -> bool:
    return claims.compare(claim, claims.claim_of(text), same_subject=True) == Likeness.SAME


def with_support(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate `evidence_count`, and `support_count`, the supporting occasions among them.

    Scalar subqueries, which a count of the rows can leave out.
    """
    evidence_rows = Evidence.objects.filter(memory=OuterRef("pk")).order_by().values("memory")
    counts = (Subquery(evidence_rows.annotate(n=Count("pk")).values("n")), supporting_occasions())
    evidence, support = (Coalesce(count, 0, output_field=models.IntegerField()) for count in counts)
    rows: MemoryQuerySet = memories.annotate(evidence_count=evidence, support_count=support)
    return rows


def supporting_occasions() -> Subquery:
    """How many occasions speak for the memory of the outer query; null for none."""
    evidence_rows = Evidence.objects.filter(memory=OuterRef("pk")).order_by().values("memory")
    supporting_rows = evidence_rows.exclude(kind__in=(Evidence.Kind.CONTRADICTS, Evidence.Kind.SUPPRESSED))
    return Subquery(supporting_rows.annotate(n=Count("pk")).values("n"), output_field=models.IntegerField())


def with_doubt(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate the latest words by which a memory was contested, `doubt`, and their source, `doubted_by`."""
    contradictions = Evidence.objects.filter(memory=OuterRef("pk")).in_words()
    words, author = (Subquery(contradictions.values(name)[:1]) for name in ("snapshot", "made_by"))
    rows: MemoryQuerySet = memories.annotate(doubt=words, doubted_by=author)
    return rows


class Evidence(models.Model):
    """One occasion of one memory. When its episode is deleted the link is cleared and the snapshot stays."""

    class Kind(models.TextChoices):
        CREATED = "created", _("Created")
        REINFORCED = "reinforced", _("Reinforced")
        SUPPORTS = "supports", _("Supports")
        CONTRADICTS = "contradicts", _("Contradicts")
        SUPPRESSED = "suppressed", _("Suppressed")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="evidence", db_index=False)
    occasion = models.CharField(max_length=1100)
    episode = models.ForeignKey(
        Episode, null=True, on_delete=models.SET_NULL, related_name="evidence_for", db_index=False
    )
    event = models.ForeignKey(Event, null=True, on_delete=models.SET_NULL, db_index=False)
    kind = models.CharField(max_length=16, choices=Kind)
    outcome = models.CharField(max_length=8, choices=Outcome, null=True)  # noqa: DJ001 - null = none was counted
    latency_ms = models.FloatField(null=True)  # added to the track record with the outcome
    delta = models.FloatField(default=0)
    at = models.DateTimeField()
    made_by = models.CharField(max_length=200, blank=True)
    made_by_id = models.CharField(max_length=64, blank=True, editable=False)  # Actor.identity; blank = nobody's own
    snapshot = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = EvidenceQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(fields=["memory", "occasion"], name="evidence_counts_once_per_memory"),
            models.CheckConstraint(
                condition=models.Q(outcome=None) | models.Q(outcome__in=Outcome.values),
                name="evidence_outcome_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["memory", "-at"], name="evidence_newest_of_memory"),
            # most stored claims have neither: they pay for no entry
            models.Index(fields=["episode"], condition=models.Q(episode__isnull=False), name="evidence_by_episode"),
            models.Index(fields=["event"], condition=models.Q(event__isnull=False), name="evidence_by_event"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.occasion}"

    @property
    def is_of_an_episode(self) -> bool:
        """Whether it came from an episode, also one that is deleted since."""
        return self.episode_id is not None or self.occasion.startswith(OF_EPISODE)
