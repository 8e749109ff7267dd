"""The scheduled jobs: how often, and what each does. Created once; changes by an operator are kept."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from django_q.models import Schedule
from django_q.tasks import async_task

from consolidation.models.runs import TITLES


class Job(NamedTuple):
    """How often it is due, and what it does, as the page of runs says it."""

    minutes: int
    title: str | Promise


JOBS = {  # the function that does it -> the job
    "memories.tasks.embed_pending": Job(1, _("Compute search vectors of new passages")),
    "consolidation.tasks.reembed": Job(1, _("Recompute search vectors after a change of model")),
    "consolidation.tasks.queued": Job(1, _("Start requested runs")),
    "consolidation.tasks.webhooks": Job(1, _("Deliver webhooks")),
    "memos_site.mail.sending.mails": Job(1, _("Send mails to people")),
    "consolidation.tasks.extract": Job(1, _("Read conversations with the language model")),
    "consolidation.tasks.contrast": Job(1, _("Compare runs of skills with the language model")),
    "consolidation.tasks.consolidate": Job(5, TITLES["consolidate"]),
    "consolidation.tasks.patterns": Job(5, TITLES["patterns"]),
    "consolidation.tasks.duplicates": Job(15, TITLES["duplicates"]),
    "consolidation.tasks.subjects": Job(15, _("Read the names in older memories")),
    "consolidation.tasks.insights": Job(15, _("Count for the page of insights")),
    "memories.tasks.count_metrics": Job(1, _("Count a large store for its figures")),
    "memories.tasks.close_silent": Job(5, _("Close silent episodes")),
    "memories.tasks.tend_tables": Job(5, _("Vacuum tables that were filled at once")),
    "memories.tasks.index_vectors": Job(60, _("Index search vectors")),
    "memories.tasks.prune": Job(60, _("Remove faded experience")),
    "memories.tasks.settle": Job(1440, _("Lower the confidence of idle claims, remove what expired")),
    "memories.tasks.sweep": Job(1440, _("Remove expired rows")),
    "consolidation.tasks.prune_runs": Job(1440, _("Remove old runs and webhook messages")),
    "consolidation.tasks.remove_transcripts": Job(1440, _("Remove expired transcripts")),
    "skills.tasks.sweep_packages": Job(1440, _("Remove packages that no version names")),
    "skills.tasks.scan_again": Job(60, _("Repeat scans that took too long at the upload")),
}
AT_START = (
    "memories.tasks.tend_tables",
    "memories.tasks.count_metrics",
    "consolidation.tasks.queued",  # ordered runs that were under way when the former processes were killed
    "skills.tasks.scan_again",
)


def load() -> None:
    """Import all jobs, before processes are forked that do them. ImportError: this code cannot do its work."""
    for func in (*JOBS, *AT_START):
        import_string(func)


def enqueue_first() -> None:
    """Queue the jobs that are done once, when an installation starts."""
    for func in AT_START:
        async_task(func)  # type: ignore[no-untyped-call]  # django-q has no types


def ensure() -> None:
    """Create the schedules that do not exist yet; existing ones stay as they are."""
    for func, job in JOBS.items():
        Schedule.objects.get_or_create(
            name=func, defaults={"func": func, "schedule_type": Schedule.MINUTES, "minutes": job.minutes}
        )
