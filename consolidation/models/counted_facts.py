"""Base models of facts that are counted from runs; the fact's row (`due`) is also the queue."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol, Self
from uuid import UUID

from django.db import models
from django.db.models import Q

from consolidation.learning.wording import Language
from memories.models import Memory
from memories.models.row_queue import DueRow, RowQueue
from memories.models.trusted import Trusted, new_id
from memories.values import text
from memories.values.choices import Sensitivity

WRITTEN = ("memory", "said", "words", "language", "turned", "due", "attempts", "error")


class Findings(Protocol):
    """Counts about one subject. A parameter `claims`: those stated before, as plain JSON values."""

    def claims(self) -> dict[str, Any]:
        """Return what the counts support, as plain JSON values; empty when nothing is worth stating."""

    def supported_claims(self, claims: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stated claims, brought up to date with the counts."""

    def is_contradicted(self, claims: Mapping[str, Any]) -> bool:
        """Return whether the latest runs unanimously contradict a stated claim."""

    def sentence(self, claims: Mapping[str, Any], language: Language) -> str:
        """Return the claims as a sentence with the present counts."""


class CountedFactQuerySet(RowQueue[Any]):
    """The queue of `pipelines.facts`: facts with new runs since they were last written."""

    in_queue = Q(due=True)
    forgives = True


class CountedFact(DueRow):
    """One subject in one scope, of one sensitivity.

    `said`: what its memory says, to compare new runs with; `words` are those that were written last; `turned`: it was
    proposed to say otherwise, and the latest runs still do; `language`: of the requests when it was first said.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    memory = models.OneToOneField(Memory, null=True, on_delete=models.SET_NULL, related_name="%(class)s")
    said = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    language = models.CharField(max_length=2, choices=[("en", "English"), ("zh", "Chinese")], default="en")
    turned = models.BooleanField(default=False)

    shown: Any  # the rows of its runs
    written: ClassVar[tuple[str, ...]] = WRITTEN

    objects = CountedFactQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def topic(self) -> str:
        """The subject in words, of which the memory's key is made."""
        raise NotImplementedError

    @property
    def names(self) -> list[str]:
        """The keys of its memory at every level: what was dismissed at one is not said at another."""
        plain = text.slug(self.topic)
        return [plain, *(f"{plain}-{label}" for label in Sensitivity.labels)]

    def findings(self) -> Findings:
        """The findings of its runs, counted now."""
        raise NotImplementedError

    def calls(self, runs: Iterable["CountedRun"]) -> dict[UUID, UUID]:
        """The event of the call that each of these runs showed it by: episode -> event, as far as it is there."""
        raise NotImplementedError

    def lock(self) -> Memory | None:
        """Read the row again and lock it until the transaction ends; its memory is locked first, as a removal does."""
        self.refresh_from_db(fields=["memory"])
        memory = Memory.objects.select_for_update(of=("self",)).filter(pk__in=[self.memory_id]).first()
        self.refresh_from_db(from_queryset=type(self).objects.select_for_update(no_key=True))
        return memory

    def save_written(self, findings: Findings) -> None:
        """Save what was written about the locked row, whose runs show these findings: not due until the next run."""
        self.settle()
        self.save(update_fields=self.written)


class CountedRunQuerySet(Trusted[Any]):
    trust_path = "fact__"

    def uncounted(self) -> Self:
        return self.filter(counted=False).order_by("at", "pk")

    def of(self, episode_ids: Iterable[UUID]) -> Self:
        return self.filter(episode_id__any=list(episode_ids))


class CountedRun(models.Model):
    """One run's contribution to a fact. It survives the episode, and counts once.

    `counted`: it is evidence of the memory, or a hit on its dismissal.
    """

    episode_id = models.UUIDField()
    case = models.UUIDField()
    at = models.DateTimeField()
    counted = models.BooleanField(default=False)

    objects = CountedRunQuerySet.as_manager()

    class Meta:
        abstract = True

    def agrees(self, claims: dict[str, Any]) -> bool | None:
        """Whether the run agrees with a statement `claims`; None: it has no evidence for or against."""
        raise NotImplementedError
