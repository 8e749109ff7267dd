"""Files of other stores that people uploaded: previewed first, then imported by a run."""

from datetime import datetime, timedelta
from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.db.models import F, Func, JSONField, TextField, Value
from django.db.models.functions import Cast, Now

from consolidation.models.runs import Run
from memories.models.trusted import new_id
from memories.values.trust import Actor

RETENTION = timedelta(days=1)
WITHOUT_WORDS = Func(
    F("summary"),
    Cast(Value("first"), TextField()),
    template="%(expressions)s",
    arg_joiner=" - ",
    output_field=JSONField(),
)


class ImportFileQuerySet(models.QuerySet["ImportFile"]):
    def of(self, actor: Actor) -> Self:
        """The files of a person, newest first, without their bytes. Nobody sees those of others."""
        return self.filter(person_id=actor.id or None).defer("content").order_by("-created_at", "-pk")

    def forget_stale(self, *, at: datetime) -> int:
        """Delete the files of yesterday and before that nobody imported, the bytes of those whose import failed, and
        the words of rows that came in before."""
        shown = self.filter(
            run__finished_at__lt=at - RETENTION, run__status=Run.Status.SUCCEEDED, summary__has_key="first"
        )
        shown.update(preview={}, summary=WITHOUT_WORDS)
        failed = self.filter(run__finished_at__lt=at - RETENTION, run__status=Run.Status.FAILED)
        failed.update(content=b"", preview={}, summary={})
        return self.filter(run=None, created_at__lt=at - RETENTION).delete()[0]


class ImportFile(models.Model):
    """One uploaded file with the options of its import. The bytes go when it is imported, or a day after that failed;
    what came of it stays, the words of its first rows for a day: what is forgotten later must not stand here.

    `preview` and `summary`: counts, statuses, first rows and problems, as `Summary.as_json` writes them.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    person = models.ForeignKey(User, models.CASCADE)
    name = models.CharField(max_length=200)
    format = models.CharField(max_length=16)
    scope = models.CharField(max_length=200, blank=True)
    keeps_status = models.BooleanField(default=True)
    applies = models.BooleanField(default=False)
    content = models.BinaryField()
    size = models.IntegerField()
    preview = models.JSONField(default=dict)
    summary = models.JSONField(default=dict)
    run = models.ForeignKey(Run, models.SET_NULL, null=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = ImportFileQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} from {self.format}"
