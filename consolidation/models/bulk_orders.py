"""Bulk decisions, and undos of them, that are too large for a request: ordered by a person, carried out by a run."""

from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from consolidation.models.runs import Run
from memories.models.trusted import new_id

KIND = "bulk"  # of its run
UNDO = "undo"  # as `verb`: the order takes a batch back
MOST_REFUSED = 200  # refusals that are kept with their reason; the others are counted


class BulkOrderQuerySet(models.QuerySet["BulkOrder"]):
    def light(self) -> Self:
        """Without the list of rows, which may be megabytes."""
        return self.defer("chosen").select_related("run", "person")

    def to_tell(self, person_id: Any) -> Self:
        """Those of a person that are under way, or ended without the person having been told, oldest first."""
        return self.light().filter(person_id=person_id, told_at=None).order_by("created_at", "pk")


class BulkOrder(models.Model):
    """An ordered bulk decision about the memories of `chosen`, or the undo of the batch `undoes`.

    `batch`: of everything that it writes, so that one undo takes it back. `chosen`: id and version token of each row,
    in the order in which they are decided; emptied at the end. `cursor`: the last id that was decided or refused; it is
    written in the transaction of these decisions, so that a run that goes on neither loses nor repeats one.
    `counts`: rows by result; `refused`: id, code and detail of the first MOST_REFUSED. `told_at`: when its person was
    shown how it ended.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    person = models.ForeignKey(User, models.CASCADE)
    run = models.OneToOneField(Run, models.CASCADE, related_name="bulk_order")
    batch = models.UUIDField(default=new_id, unique=True)
    undoes = models.UUIDField(null=True)
    verb = models.CharField(max_length=16)
    why = models.TextField(blank=True)
    options = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    chosen = models.JSONField(default=list)
    cursor = models.UUIDField(null=True)
    total = models.IntegerField(default=0)
    counts = models.JSONField(default=dict)
    refused = models.JSONField(default=list)
    told_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = BulkOrderQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["person"], condition=models.Q(told_at=None), name="bulk_order_to_tell")]

    def __str__(self) -> str:
        return f"{self.verb} {self.total}"

    @property
    def done_count(self) -> int:
        """How many were decided, or taken back."""
        return int(self.counts.get("done", 0))

    @property
    def refused_count(self) -> int:
        """How many were not."""
        return int(self.counts.get("refused", 0))

    def record(self, cursor: UUID, *, done: int, refused: list[dict[str, str]]) -> None:
        """Write down the results of further rows, of which `cursor` is the last, in the transaction that decides.

        Its run says so too, whatever becomes of the worker.
        """
        counts = {"done": self.done_count + done, "refused": self.refused_count + len(refused)}
        self.counts, self.cursor = counts, cursor
        self.refused = [*self.refused, *refused][:MOST_REFUSED]
        self.save(update_fields=["counts", "cursor", "refused"])
        Run.objects.filter(pk=self.run_id).update(done=sum(counts.values()), counters=counts)

    def tell(self, *, at: datetime) -> bool:
        """The person is shown how it ended; False: that was shown before."""
        return bool(BulkOrder.objects.filter(pk=self.pk, told_at=None).update(told_at=at))
