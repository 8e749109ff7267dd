"""The scheduled jobs and their intervals. Created once; changes by an operator are kept."""

from django.utils.module_loading import import_string
from django_q.models import Schedule
from django_q.tasks import async_task

MINUTES = {
    "memories.tasks.embed_pending": 1,
    "consolidation.tasks.reembed": 1,
    "consolidation.tasks.queued": 1,
    "consolidation.tasks.webhooks": 1,
    "memos_site.mail.sending.mails": 1,
    "consolidation.tasks.extract": 1,
    "consolidation.tasks.contrast": 1,
    "consolidation.tasks.consolidate": 5,
    "consolidation.tasks.patterns": 5,
    "consolidation.tasks.duplicates": 15,
    "consolidation.tasks.subjects": 15,
    "consolidation.tasks.insights": 15,
    "memories.tasks.count_metrics": 1,
    "memories.tasks.close_silent": 5,
    "memories.tasks.tend_tables": 5,
    "memories.tasks.index_vectors": 60,
    "memories.tasks.prune": 60,
    "memories.tasks.settle": 1440,
    "memories.tasks.sweep": 1440,
    "consolidation.tasks.prune_runs": 1440,
    "consolidation.tasks.remove_transcripts": 1440,
    "skills.tasks.sweep_packages": 1440,
    "skills.tasks.scan_again": 60,
}
AT_START = (
    "memories.tasks.tend_tables",
    "memories.tasks.count_metrics",
    "consolidation.tasks.queued",  # ordered runs that were under way when the former processes were killed
    "skills.tasks.scan_again",
)


def load() -> None:
    """Import all jobs, before processes are forked that do them. ImportError: this code cannot do its work."""
    for func in (*MINUTES, *AT_START):
        import_string(func)


def enqueue_first() -> None:
    """Queue the jobs that are done once, when an installation starts."""
    for func in AT_START:
        async_task(func)  # type: ignore[no-untyped-call]  # django-q has no types


def ensure() -> None:
    """Create the schedules that do not exist yet; existing ones stay as they are."""
    for func, minutes in MINUTES.items():
        Schedule.objects.get_or_create(
            name=func, defaults={"func": func, "schedule_type": Schedule.MINUTES, "minutes": minutes}
        )
