"""Tables of guidance: profiles of finished runs, with which a new run is compared without reading them again.

Scope and sensitivity are the memory's, held equal by the database: what rises is raised here, what goes is gone here.
"""

from collections.abc import Collection, Iterable
from typing import Any, Self

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from pgvector import HalfVector
from pgvector.django import HalfVectorField, MaxInnerProduct

from memories.models import Episode
from memories.models.row_queue import QueuedRow, RowQueue
from memories.models.trusted import Trusted
from memories.values.choices import Outcome, Type

PACKED = ("packed", "packed_opening", "vector")
REPLACED = ("thread", "voice", "outcome", "at", "effects", "opening", "identifiers", *PACKED)


class RunProfileQuerySet(Trusted["RunProfile"]):
    def put(self, profiles: Iterable["RunProfile"]) -> None:
        """Write these, each in place of the one that its episode had. The database keeps scope and sensitivity."""
        self.bulk_create(profiles, update_conflicts=True, unique_fields=["episode"], update_fields=REPLACED)

    def nearest(self, vector: "np.ndarray[Any, Any]", most: int) -> Self:
        """The nearest profiles by vector, exactly: scopes are too small to need an HNSW index."""
        return self.order_by(MaxInnerProduct("vector", HalfVector(vector)), "pk")[:most]

    def sharing(self, identifiers: Collection[int], scopes: Collection[str] | None, most: int) -> Self:
        """The newest runs of these scopes (several; None: all) with one of these identifiers (hashes): perhaps of the
        same case. Scope by scope: where many share a frequent one, the index by time finds enough of them soon.
        """
        rows = self.filter(identifiers__overlap=list(identifiers)).order_by("-at", "pk")
        if scopes is None:
            return rows[:most]
        first, *other_scopes = [rows.filter(scope=scope)[:most] for scope in scopes]
        return first.union(*other_scopes, all=True).order_by("-at", "pk")[:most]


class RunProfile(models.Model):
    """One finished run as it stood right before its first change, or at its end when it changed nothing.

    `effects`: the kinds of its calls that changed something, sorted. `packed`: its features (hashed terms with counts,
    and the vector once more), `packed_opening` those of its first message alone; `identifiers`: hashes of ids in it.
    `voice`: the identity of who reported it.
    """

    episode = models.OneToOneField(
        Episode, models.DO_NOTHING, primary_key=True, related_name="profile", db_constraint=False
    )
    scope = models.TextField()
    sensitivity = models.SmallIntegerField()
    type = models.CharField(max_length=16, default=Type.EPISODIC)
    thread = models.TextField()
    voice = models.CharField(max_length=64, db_default="")
    outcome = models.CharField(max_length=8, choices=Outcome)
    at = models.DateTimeField()
    effects = ArrayField(models.TextField())
    opening = models.CharField(max_length=300)
    identifiers = ArrayField(models.IntegerField())
    packed = models.BinaryField()
    packed_opening = models.BinaryField()
    vector = HalfVectorField()

    objects = RunProfileQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["scope", "-at"], name="run_profile_newest"),
            GinIndex(fields=["identifiers"], name="run_profile_identifiers"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {'+'.join(self.effects)}"

    @property
    def thread_id(self) -> str | None:
        """None: the run had no thread, and is a case of its own, known by its id."""
        return None if self.thread == str(self.pk) else self.thread


class PendingProfileQuerySet(RowQueue["PendingProfile"]):
    trust_path = "episode__memory__"

    def put(self, episodes: Iterable[Episode]) -> None:
        """Queue these episodes, also those that have a profile: their outcome may have changed."""
        rows = [PendingProfile(episode=episode, scope=episode.scope) for episode in episodes]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["episode"], update_fields=["attempts", "error"])


class PendingProfile(QueuedRow):
    """The queue of finished runs that have no profile yet."""

    episode = models.OneToOneField(Episode, models.DO_NOTHING, primary_key=True, related_name="+", db_constraint=False)
    scope = models.TextField()

    objects = PendingProfileQuerySet.as_manager()

    class Meta:
        db_table = "consolidation_unprofiled"
        indexes = [models.Index(fields=["scope"], name="unprofiled_of_scope")]

    def __str__(self) -> str:
        return str(self.episode_id)


class PendingMeasurement(models.Model):
    """The queue of scopes whose runs were profiled since guidance and skills were last measured on them."""

    scope = models.TextField(primary_key=True)

    class Meta:
        db_table = "consolidation_unmeasured"

    def __str__(self) -> str:
        return self.scope or "unscoped"


class GuidanceCurveQuerySet(Trusted["GuidanceCurve"]):
    def of(self, scope: str) -> "GuidanceCurve | None":
        """The one of the highest level that is wholly visible, when the rows are already narrowed to what is."""
        return self.filter(scope=scope).order_by("-sensitivity").first()


class GuidanceCurve(models.Model):
    """How often guidance was right over the runs of a scope up to a level, each asked about without its own case.

    `fitted`: curves and thresholds by moment, and the curve of verdicts, as `guidance/calibration.py` writes them;
    empty: not measured yet. `coefficients` and `opening` are read by the former version alone.
    """

    scope = models.TextField()
    sensitivity = models.SmallIntegerField()
    coefficients = ArrayField(models.FloatField(), size=3)
    opening = ArrayField(models.FloatField(), size=3, null=True)
    fitted = models.JSONField(default=dict, db_default={})
    nearness = models.FloatField()
    answers = models.IntegerField()
    runs = models.IntegerField()
    at = models.DateTimeField()

    objects = GuidanceCurveQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "sensitivity"], name="guidance_curve_is_one_of_its_level"),
        ]

    def __str__(self) -> str:
        return f"{self.scope or 'unscoped'} up to {self.sensitivity}"
