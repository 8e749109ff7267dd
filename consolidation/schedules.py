"""The scheduled jobs and their intervals. Created once; changes by an operator are kept."""

from django_q.models import Schedule

MINUTES = {
    "memories.tasks.embed_pending": 1,
    "consolidation.tasks.reembed": 1,
    "consolidation.tasks.consolidate": 5,
    "consolidation.tasks.patterns": 5,
    "memories.tasks.close_silent": 5,
    "memories.tasks.index_vectors": 60,
    "memories.tasks.prune": 60,
    "memories.tasks.settle": 1440,
    "memories.tasks.sweep": 1440,
}


def ensure() -> None:
    """Create the schedules that do not exist yet; existing ones stay as they are."""
    for func, minutes in MINUTES.items():
        Schedule.objects.get_or_create(
            name=func, defaults={"func": func, "schedule_type": Schedule.MINUTES, "minutes": minutes}
        )
