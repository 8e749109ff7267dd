"""The scheduled jobs on the page of runs: what each does, how often and when, and how an administrator changes that."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib import messages
from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from django_q.models import Schedule

from consolidation import schedules
from consolidation.models import Run
from memories.people import require_administrator

INTERVALS = (1, 5, 15, 30, 60, 360, 1440)  # minutes; what an operator set beside them stays until it is changed
MOST_JOBS = 50


@dataclass(frozen=True)
class ShownJob:
    """A scheduled job; `last`: when it was due last, None before the first time."""

    row: Schedule
    last: datetime | None
    paused: bool

    @property
    def name(self) -> str:
        job = schedules.JOBS.get(str(self.row.func))
        return str(job.title if job else str(self.row.name).rpartition(".")[2].replace("_", " "))

    @property
    def every(self) -> str:
        minutes = self.row.minutes if self.row.schedule_type == Schedule.MINUTES else None
        return in_units(minutes) if minutes else str(self.row.get_schedule_type_display())

    @property
    def intervals(self) -> list[tuple[int, str]]:
        """Those that may be chosen, with the one that holds; none for a job that is scheduled in another way."""
        if self.row.schedule_type != Schedule.MINUTES or not self.row.minutes:
            return []
        return [(minutes, in_units(minutes)) for minutes in sorted({*INTERVALS, self.row.minutes})]


def in_units(minutes: int) -> str:
    """A number of minutes in the largest unit that it is whole in."""
    for size, unit in ((1440, gettext_lazy("%(n)d d")), (60, gettext_lazy("%(n)d h"))):
        if minutes % size == 0:
            return str(unit % {"n": minutes // size})
    return _("%(n)d min") % {"n": minutes}


def jobs() -> list[ShownJob]:
    """The jobs, the most frequent first."""
    task = Concat(Value("consolidation.tasks."), "kind")
    paused = Run.objects.filter(status=Run.Status.PAUSED, episode=None, subject=None)
    rests = Exists(paused.annotate(task=task).filter(task=OuterRef("func")))
    rows = Schedule.objects.annotate(rests=rests).order_by("minutes", "name")[:MOST_JOBS]
    return [ShownJob(row, _last(row), row.rests) for row in rows]


def _last(row: Schedule) -> datetime | None:
    """The schedule moves `next_run` by its interval when it hands the job to the worker."""
    if row.task is None or row.next_run is None or row.schedule_type != Schedule.MINUTES:
        return None
    last: datetime = row.next_run - timedelta(minutes=row.minutes or 0)
    return last


@require_POST
def set_interval(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Set the interval of a job; it is due no later than one new interval from now."""
    require_administrator(request.user, "only an administrator changes schedules")
    row = get_object_or_404(Schedule, pk=schedule_id, schedule_type=Schedule.MINUTES)
    asked = request.POST.get("minutes", "")
    if asked not in map(str, INTERVALS):
        return HttpResponseBadRequest("minutes: not one of those that are offered", content_type="text/plain")
    row.minutes = int(asked)
    latest = timezone.now() + timedelta(minutes=row.minutes)
    row.next_run = min(row.next_run, latest) if row.next_run else latest
    row.save(update_fields=["minutes", "next_run"])  # type: ignore[no-untyped-call]  # django-q has no types
    messages.success(request, _("The schedule is changed."))
    return redirect("runs")
