"""Table of background work: a run as people see it. A queued row is the queue."""

from datetime import datetime
from typing import Any, Self

from django.apps import apps
from django.db import IntegrityError, models, transaction
from django.db.models import Count, Exists, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext_lazy as _

from consolidation.models.run_steps import RunStep
from memories.models import AuditEntry, Episode, Memory
from memories.models.trusted import Trusted, new_id
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust
from memos_site.platform.correlation import current

MOST_DEATHS = 3
MOST_STEPS = 32_767
RUN = "run"  # subject of audit entries
TITLES = {  # kind -> what such a run does
    "consolidate": _("Learn from new episodes"),
    "patterns": _("Read plugin runs"),
    "duplicates": _("Look for duplicates"),
    "reembed": _("Recompute search vectors"),
    "extract": _("Read a conversation"),
    "contrast": _("Compare runs of a skill"),
    "lessons": _("Compare runs of a scope"),
    "import": _("Import a file"),
    "bulk": _("Decide many at once"),
}


class RunStopped(BaseException):
    """Somebody paused the run: its worker stops here. Not an Exception: it must not be recorded for an item."""


class RunQuerySet(Trusted["Run"]):
    def visible_to(self, trust: Trust) -> Self:
        """A run about an episode or memory is as secret as that is now, which may have been raised since."""
        rows = super().visible_to(trust).filter(Q(episode=None) | trust.visible("episode__memory__"))
        return rows.exclude(Exists(Memory.objects.exclude(trust.visible()).filter(pk=OuterRef("subject"))))

    def with_model_use(self) -> Self:
        """Annotate the calls of the language model, the failed ones among them, and their tokens."""
        call: Any = apps.get_model("consolidation", "LLMCall")
        calls = call.objects.filter(run=OuterRef("pk")).order_by()
        by_run = calls.values("run")

        def total(expression: Any) -> Coalesce:
            of_run = Subquery(by_run.annotate(total=expression).values("total"), output_field=models.IntegerField())
            return Coalesce(of_run, 0)

        return self.annotate(
            calls=total(Count("pk")),
            failed_calls=total(Count("pk", filter=call.FAILED)),
            tokens_in=total(Sum("tokens_in")),
            tokens_out=total(Sum("tokens_out")),
            tokens_reasoning=total(Sum("tokens_reasoning")),
        )

    def with_orders(self) -> Self:
        """With the bulk order that each carries out, without its rows, which may be megabytes."""
        return self.select_related("bulk_order").defer("bulk_order__chosen")

    def queued(self) -> Self:
        return self.filter(status=Run.Status.QUEUED).order_by("created_at", "id")

    def unfinished(self) -> Self:
        return self.filter(status__in=UNFINISHED)

    def pauses(self, kind: str) -> bool:
        """Whether a person paused this kind of work as a whole, so that its schedule rests too."""
        return self.filter(kind=kind, status=Run.Status.PAUSED, episode=None, subject=None).exists()

    def prunable(self, *, before: datetime) -> Self:
        """Runs that ended before: well, or for nothing; or ill, where the next run by the schedule does their work.

        A conversation's run goes with it: it says that the conversation was read. An import goes with its file.
        """
        files = apps.get_model("consolidation", "ImportFile")._default_manager.filter(run=OuterRef("pk"))
        is_done_or_scheduled = ~Q(status=Run.Status.FAILED) | Q(subject=None, trigger=Run.Trigger.SCHEDULE)
        finished = self.filter(is_done_or_scheduled, finished_at__lt=before, episode=None, status__in=ENDED)
        return finished.exclude(Exists(files)).order_by("finished_at")

    def resume_due(self, *, at: datetime) -> int:
        """Queue the runs that were paused until an instant that has come."""
        due = self.filter(status=Run.Status.PAUSED, paused_until__lte=at)
        return due.update(status=Run.Status.QUEUED, paused_until=None, error="")


class Run(models.Model):
    """One run of a background job, as people see it: progress, counters and error.

    `subject`: the memory that it is about, if any; `episode`: the conversation that it reads, with which it goes.
    `attempts`: how often a worker began it, which tells workers of one run apart and is never set back. `deaths`: how
    often its worker died since a slice of it last came to its end. `paused_until`: null for a pause that a person ends.
    `request_id`: of the request that ordered it; its lines in the log and the trail bear it too.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        SUCCEEDED = "succeeded", _("Succeeded")
        SKIPPED = "skipped", _("Skipped")
        FAILED = "failed", _("Failed")
        PAUSED = "paused", _("Paused")

    class Trigger(models.TextChoices):
        SCHEDULE = "schedule", _("Schedule")
        COMMAND = "command", _("Command")
        API = "api", _("Api")
        PAGE = "page", _("Page")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=32)
    subject = models.UUIDField(null=True)
    episode = models.ForeignKey(Episode, models.CASCADE, null=True, related_name="runs")
    status = models.CharField(max_length=16, choices=Status, default=Status.QUEUED)
    trigger = models.CharField(max_length=16, choices=Trigger)
    stage = models.CharField(max_length=64, blank=True)
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    counters = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    attempts = models.SmallIntegerField(default=0)
    deaths = models.SmallIntegerField(default=0, db_default=0)
    paused_until = models.DateTimeField(null=True)
    request_id = models.CharField(max_length=64, blank=True, default=current, db_default="")
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField(default=1)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "episode"],
                condition=Q(status__in=["queued", "running", "paused"]),
                name="one_unfinished_run_of_a_kind_per_episode",
            ),
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(status__in=["queued", "running", "paused"], episode=None, subject__isnull=False),
                name="one_unfinished_run_of_a_kind_per_memory",
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at"], name="run_newest"),
            models.Index(
                fields=["created_at"], condition=Q(status__in=["queued", "running", "paused"]), name="run_unfinished"
            ),
            models.Index(fields=["finished_at"], condition=Q(episode=None), name="run_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.status}"

    @property
    def title(self) -> str:
        """What it does, as the button that starts it says."""
        return str(TITLES.get(self.kind, self.kind))

    @property
    def moment(self) -> datetime:
        """The time that this run uses as now in everything it writes."""
        return self.started_at or self.created_at

    @property
    def is_unfinished(self) -> bool:
        return self.status in UNFINISHED

    @property
    def rests_the_schedule(self) -> bool:
        """See `RunQuerySet.pauses`."""
        return self.status == Run.Status.PAUSED and not (self.episode_id or self.subject or self.kind == "lessons")

    @property
    def percent(self) -> int:
        return 100 * min(self.done, self.total) // self.total if self.total else 0

    def start(self, *, at: datetime) -> None:
        """Insert it as running. The caller holds its lease, so that nobody takes it for one whose worker has died."""
        self.status, self.attempts, self.started_at = Run.Status.RUNNING, 1, at
        self.save(force_insert=True)

    def begin(self, *, at: datetime) -> bool:
        """A worker, which holds the run's lease, begins a queued run. False: another one was faster."""
        facts = {"status": Run.Status.RUNNING, "started_at": self.started_at or at, "finished_at": None}
        return self._move([Run.Status.QUEUED], attempts=self.attempts + 1, **facts)

    def progress(self, *, stage: str, done: int, total: int, counters: dict[str, int]) -> None:
        """Say how far it is. RunStopped: it was paused meanwhile."""
        self.stage, self.done, self.total, self.counters = stage[:64], done, total, dict(counters)
        facts = {"stage": self.stage, "done": done, "total": total, "counters": self.counters}
        if not self._move([Run.Status.RUNNING], **facts):
            self._move([Run.Status.PAUSED, Run.Status.QUEUED], **facts)
            raise RunStopped

    def finish(self, status: str, *, counters: dict[str, int], at: datetime, error: str = "") -> None:
        """End it. One that was paused while its last batch was written has ended too."""
        done = self.total if status == Run.Status.SUCCEEDED else self.done
        facts = {"counters": counters, "error": error, "finished_at": at, "done": done, "paused_until": None}
        self._move([Run.Status.RUNNING, Run.Status.PAUSED], status=status, **facts)

    def fail(self, error: str, *, at: datetime) -> None:
        """End it after its worker met an error, or lost the lease to another worker, which may have said so before."""
        statuses = [Run.Status.RUNNING, Run.Status.FAILED]
        if self._move(statuses, status=Run.Status.FAILED, error=error[:2000], finished_at=at):
            self.leave_steps(RunStep.Status.FAILED, self.error)

    def abandon(self, *, at: datetime, why: str = "its worker died") -> None:
        """It was cut off, `why`: one that was ordered is queued again, three times in all; a schedule comes again."""
        is_requested, deaths = self.trigger in (Run.Trigger.API, Run.Trigger.PAGE), self.deaths + 1
        is_queued_again = is_requested and deaths < MOST_DEATHS
        queued_facts: dict[str, Any] = {"status": Run.Status.QUEUED, "error": f"{why[:1900]}; it is tried again"}
        end = f"{why[:1900]} three times" if is_requested else f"{why[:1900]}; the next run goes on"
        failed_facts = {"status": Run.Status.FAILED, "error": end, "finished_at": at}
        if self._move([Run.Status.RUNNING], deaths=deaths, **(queued_facts if is_queued_again else failed_facts)):
            self.leave_steps(RunStep.Status.PENDING if is_queued_again else RunStep.Status.FAILED, self.error)
        else:  # who took over has given it up before
            self.refresh_from_db(fields=["status", "error"])

    def begin_step(self, name: str, *, position: int, at: datetime, scope: str = "") -> RunStep:
        """The step of that name, begun or begun again."""
        position = min(position, MOST_STEPS)
        step = self.steps.filter(name=name).first() or RunStep(run=self, name=name, scope=scope)
        step.position, step.status, step.reason = position, RunStep.Status.RUNNING, ""
        step.attempts, step.started_at, step.finished_at = step.attempts + 1, at, None
        step.save()
        return step

    def leave_steps(self, status: str = "pending", reason: str = "") -> None:
        """The worker has left the step that it was at."""
        self.steps.filter(status=RunStep.Status.RUNNING).update(status=status, reason=reason)

    def pause(self, *, by: Actor, at: datetime, why: str = "") -> None:
        """Stop it after its current batch or step, until somebody resumes it. Conflict: it has ended."""
        self._decide("pause", [Run.Status.QUEUED, Run.Status.RUNNING], by=by, at=at, why=why, status=Run.Status.PAUSED)

    def pause_until(self, until: datetime, *, error: str) -> None:
        """Its worker stops until an instant, for a reason that everybody may read."""
        facts = {"status": Run.Status.PAUSED, "paused_until": until, "error": error[:2000]}
        self._move([Run.Status.RUNNING], **facts)

    def requeue(self) -> None:
        """Its worker leaves it, or has died: another one goes on at the first step that has not ended."""
        if self._move([Run.Status.RUNNING], status=Run.Status.QUEUED, deaths=0):
            self.leave_steps()

    def resume(self, *, by: Actor, at: datetime, why: str = "") -> None:
        """Queue a paused run. Conflict: it is not paused."""
        facts = {"status": Run.Status.QUEUED, "paused_until": None, "error": ""}
        self._decide("resume", [Run.Status.PAUSED], by=by, at=at, why=why, **facts)

    def retry(self, *, by: Actor, at: datetime, why: str = "") -> None:
        """Queue a failed run; steps that succeeded keep their answers. Conflict: it has not failed."""
        facts = {"status": Run.Status.QUEUED, "deaths": 0, "error": "", "finished_at": None, "started_at": None}
        with transaction.atomic():
            self._decide("retry", [Run.Status.FAILED], by=by, at=at, why=why, **facts)
            self.steps.filter(status=RunStep.Status.FAILED).update(status=RunStep.Status.PENDING, reason="", attempts=0)

    def _decide(self, verb: str, old: list["Run.Status"], *, by: Actor, at: datetime, why: str, **new: Any) -> None:
        """A person's or agent's decision, with its audit entry."""
        with transaction.atomic():
            self.refresh_from_db(from_queryset=Run.objects.select_for_update(of=("self",)))
            before = {"status": self.status, **({"error": self.error} if self.error else {})}
            if self.status not in old:
                raise Conflict(f"this run is {self.status}: {verb} takes one that is {' or '.join(old)}")
            self._move_unique(old, **new)
            self.audit(verb, by=by, at=at, why=why, before=before).save(force_insert=True)

    def _move_unique(self, statuses: list["Run.Status"], **facts: Any) -> None:
        try:
            with transaction.atomic():
                self._move(statuses, **facts)
        except IntegrityError:
            raise Conflict("another run of this kind about the same episode or memory is not finished") from None

    def audit(self, action: str, *, by: Actor, at: datetime, why: str = "", before: Any = None) -> AuditEntry:
        """Draft an audit entry about this run as it stands."""
        facts: dict[str, Any] = {"kind": RUN, "subject": self.pk, "label": self.kind, "action": action}
        facts |= {"scope": self.scope, "sensitivity": self.sensitivity, "after": {"status": self.status}}
        return AuditEntry.draft(by=by, at=at, why=why, before=before, **facts)

    def _move(self, statuses: list["Run.Status"], **facts: Any) -> bool:
        """Compare and set: only from these states, and while nobody else has begun it again."""
        row_count = Run.objects.filter(pk=self.pk, status__in=statuses, attempts=self.attempts).update(**facts)
        if row_count:
            for name, value in facts.items():
                setattr(self, name, value)
        return bool(row_count)


ENDED = (Run.Status.SUCCEEDED, Run.Status.SKIPPED, Run.Status.FAILED)
UNFINISHED = (Run.Status.QUEUED, Run.Status.RUNNING, Run.Status.PAUSED)
