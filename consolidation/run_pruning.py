"""The daily job: remove runs of background work that ended long ago. The ledger of the language model stays.

The cost is that of what goes. An audit entry of a decision about a run stays too, and names its kind.
"""

from collections import Counter
from datetime import datetime, timedelta

from django.db.models import Model, QuerySet

from consolidation.models import Run, RunStep
from memories.lifecycle import batches

RETENTION = timedelta(days=90)


def prune_runs(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove runs, and steps of runs that stay, that ended RETENTION ago. Counters: runs, steps."""
    before = at - RETENTION
    runs = batches.each(lambda: _prune_some(Run.objects.prunable(before=before), "runs"), until=until)
    return runs + batches.each(lambda: _prune_some(RunStep.objects.prunable(before=before), "steps"), until=until)


def _prune_some(rows: QuerySet[Model], name: str) -> Counter[str] | None:
    ids = list(rows.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[: batches.BATCH])
    if not ids:
        return None
    rows.model._default_manager.filter(pk__in=ids).delete()
    return Counter({name: len(ids)})
