"""Tables of learning: patterns of successful work, and the episodes in which they were seen."""

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from memories.models import Memory
from memories.models.row_queue import MOST_ATTEMPTS, DueRow, RowQueue
from memories.models.trusted import Trusted, new_id
from memories.values.choices import LIVE, Outcome
from memories.values.trust import Trust

MOST_SKILLS = 50  # that are read for one call
SUPPRESSED = "held"  # in `Sighting.counted`: no outcome, so that it is still to be counted


class PatternQuerySet(RowQueue["Pattern"]):
    """The queue of `pipelines.competences`: patterns with new sightings since their competence was written."""

    in_queue = Q(due=True)
    forgives = True

    def in_order(self) -> Self:
        """In the order in which competences are written: those with few effects first."""
        return self.order_by("sensitivity", F("effects__len").asc(nulls_first=True), "signature_sha256")

    def ripe(self, least: int) -> Self:
        """Patterns that are a skill, or have enough cases to become one."""
        live = Q(memory__status__in=LIVE)
        return self.filter(live | Q(memory=None, cases__gte=least))

    def to_regroup(self, former: Collection[str]) -> Self:
        """Patterns of all tools, where SIGNATURE was `all`; and those with effects that are none any more: of these
        tools, or '', which migration 0038 left in former ones."""
        return self.filter(Q(kind=Pattern.Kind.EXACT) | Q(effects__overlap=["", *former]))

    def kin(self, pattern: "Pattern") -> Self:
        """The other patterns of its kind, scope and sensitivity."""
        same = self.filter(kind=pattern.kind, scope=pattern.scope, sensitivity=pattern.sensitivity)
        return same.exclude(pk=pattern.pk)

    def choices(self, tool: str, scope: str, trust: Trust) -> list[dict[str, Any]]:
        """What decides arguments of calls, as the skills of a scope with such a call say that the caller may be
        offered: `choices` of their `contrast`."""
        rows = self.filter(scope=scope, effects__contains=[tool], memory__in=Memory.objects.live().offered_to(trust))
        choices_of_skills = rows.order_by("pk").values_list("memory__payload__contrast__choices", flat=True)[
            :MOST_SKILLS
        ]
        return [choice for choices in choices_of_skills for choice in choices or ()]

    def wake_parts(self, scope: str) -> None:
        """Make those of the scope due that are part of a due one: what is done as a part of more may have been seen
        often enough by now. Not what is a skill already."""
        wider = self.filter(due=True, scope=scope, kind=Pattern.Kind.EFFECTS, effects__len__gt=1)
        wider = wider.filter(sensitivity=OuterRef("sensitivity"), effects__contains=OuterRef("effects"))
        parts = self.filter(scope=scope, kind=Pattern.Kind.EFFECTS, due=False, memory=None, cases__gte=1)
        parts.exclude(effects=[]).filter(Exists(wider.exclude(pk=OuterRef("pk")))).update(due=True)

    def stuck(self) -> Self:
        """Due patterns whose last attempt failed, or killed its worker three times."""
        return self.filter(~Q(error="") | Q(attempts__gte=MOST_ATTEMPTS), self.in_queue).order_by("-last_seen_at")


class Pattern(DueRow):
    """A way of working that runs share: one signature of one kind, within one scope and sensitivity.

    `cases`: the number of distinct threads of its successes; `former`: keys of earlier skills with the same effects;
    `waits`: a person is asked about its skill, which is only kept otherwise.
    """

    class Kind(models.TextChoices):
        EFFECTS = "effects", _("Effects")
        EXACT = "exact", _("Exact")  # all tools that were used: SIGNATURE=all

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.EFFECTS)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    signature = models.TextField()
    signature_sha256 = models.BinaryField(max_length=32)
    effects = ArrayField(models.TextField(), default=list)
    former = ArrayField(models.CharField(max_length=255), default=list)
    cases = models.IntegerField(default=0)
    successes = models.IntegerField(default=0)
    failures = models.IntegerField(default=0)
    partials = models.IntegerField(default=0)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    memory = models.OneToOneField(Memory, null=True, on_delete=models.SET_NULL, related_name="pattern")
    waits = models.BooleanField(default=True, db_default=True)

    objects = PatternQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "scope", "sensitivity", "signature_sha256"], name="pattern_signature_is_unique"
            ),
        ]
        indexes = [models.Index(fields=["scope"], condition=Q(due=True), name="pattern_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.signature[:80]}"

    def save_written(self) -> None:
        """Save what was written: no longer due until the next sighting."""
        self.settle()
        self.save(update_fields=["due", "attempts", "error", "memory", "waits"])


def case_of(thread_id: str | None, episode_id: UUID) -> UUID:
    """The id of an episode's case: a hash of its thread, else of the episode's id."""
    return UUID(hashlib.md5((thread_id or str(episode_id)).encode(), usedforsecurity=False).hexdigest())


class SightingQuerySet(Trusted["Sighting"]):
    trust_path = "pattern__"

    def uncounted(self) -> Self:
        """Sightings that the pattern's memory has not counted yet, or has counted with another outcome."""
        return self.exclude(counted=F("outcome"))

    def counted(self) -> int:
        """Mark these as counted with their current outcome."""
        return self.update(counted=F("outcome"))

    def to_suppress(self) -> Self:
        """Uncounted ones that are not noted as suppressed yet."""
        return self.uncounted().exclude(counted=SUPPRESSED)

    def suppressed(self, ids: Iterable[int]) -> int:
        """Note that these were met while people want nothing of their memory; they count once it is restored."""
        return self.filter(pk__any=list(ids)).update(counted=SUPPRESSED)

    def cases_well(self) -> int:
        """The distinct cases in which a run ended well."""
        return self.filter(outcome=Outcome.SUCCESS).order_by().values("case").distinct().count()

    def well(self, cases: Collection[UUID]) -> set[tuple[UUID, UUID]]:
        """Those of the cases in which a run ended well: (pattern, case)."""
        successes = self.filter(outcome=Outcome.SUCCESS, case__in=cases)
        return set(successes.order_by().values_list("pattern_id", "case").distinct())

    def read_again(self, most: int) -> Self:
        """Those that learning reads when their pattern is due: the newest `most` of it, and all while it is due."""
        newer = Sighting.objects.filter(pattern=OuterRef("pattern"), at__gt=OuterRef("at")).exclude(outcome="")
        newest = ~Q(outcome="") & ~Exists(newer.order_by()[most - 1 :])
        return self.filter(Q(pattern__due=True) | newest)

    def newest(self, most: int) -> Self:
        return self.exclude(outcome="").order_by("-at", "-episode_id")[:most]


class Sighting(models.Model):
    """One episode in which a pattern was seen; it survives the episode, and counts once.

    `outcome`: '' once that of its run counts no more. `counted`: the outcome that the pattern's memory has counted, ''
    before it has, SUPPRESSED if it was met while the memory was dismissed or retracted; `case`: see `case_of`.
    """

    pattern = models.ForeignKey(Pattern, on_delete=models.CASCADE, related_name="sightings")
    episode_id = models.UUIDField()
    case = models.UUIDField()
    outcome = models.CharField(max_length=8, choices=Outcome, blank=True)
    counted = models.CharField(max_length=8, choices=Outcome, blank=True)
    at = models.DateTimeField()

    objects = SightingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pattern", "episode_id"], name="sighting_counts_once_per_pattern"),
        ]
        indexes = [
            models.Index(fields=["pattern"], condition=~Q(counted=F("outcome")), name="sighting_uncounted"),
            models.Index(fields=["pattern", "-at", "-episode_id"], name="sighting_latest_of_pattern"),
            models.Index(fields=["episode_id"], name="sighting_by_episode"),
            models.Index(fields=["pattern", "case"], name="sighting_by_case"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} in {self.episode_id}"
