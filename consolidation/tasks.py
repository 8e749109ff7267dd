"""The functions that scheduled jobs call. Rows are the queue: a task may come twice or get lost without harm."""

import time
from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from consolidation import (
    consolidation_run,
    contrast_run,
    duplicates_run,
    extraction_run,
    lessons_run,
    pattern_run,
    reembedding_run,
    retention,
    run_queue,
)
from consolidation.insights import day_counts
from consolidation.models import AuditCursor, Run
from consolidation.models.audit_cursor import LATEST_COMMIT
from consolidation.webhooks import outbox
from memories.models import Memory, Mention
from memos_site.platform import tracing

SCHEDULE = Run.Trigger.SCHEDULE
NAMED_AT_ONCE = 500  # memories in one transaction
SLICE = 200  # seconds of work in one job, which may take 300
WEBHOOK_SLICE = 50  # a message may take ten more
EXTRACT_SLICE = 50  # a question that was begun may take 180 more


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have passed since this call."""
    deadline = time.monotonic() + seconds
    return lambda: time.monotonic() > deadline


@tracing.job
def consolidate() -> str:
    """Run consolidation for SLICE seconds, then queue the rest; scopes that another worker has are skipped."""
    run = consolidation_run.consolidate(trigger=SCHEDULE, wait=False, at=timezone.now(), should_stop=after(SLICE))
    return f"{run.status}: {run.counters}" if run else "nothing new"


@tracing.job
def patterns() -> str:
    """Apply the pattern rules to new events for SLICE seconds; the rest is left to the next job."""
    at, should_stop = timezone.now(), after(SLICE)
    run = pattern_run.apply_rules(trigger=SCHEDULE, wait=False, at=at, record_empty=False, should_stop=should_stop)
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing new"


@tracing.job
def subjects() -> str:
    """Read the names in claims that were stored before names were kept, oldest first, for SLICE seconds."""
    is_over, memory_count, name_count = after(SLICE), 0, 0
    cursor = AuditCursor.of("subjects")  # whose `entry` is the last memory
    rows = Memory.objects.knowledge().order_by("pk")
    while not is_over() and (batch := list(rows.filter(pk__gt=cursor.entry)[:NAMED_AT_ONCE])):
        fresh = [memory for memory in batch if memory.created_at < timezone.now() - LATEST_COMMIT]
        with transaction.atomic():
            name_count += Mention.objects.name_in(fresh)
            cursor.entry = fresh[-1].pk if fresh else cursor.entry
            cursor.save(update_fields=["entry"])
        memory_count += len(fresh)
        if len(fresh) < NAMED_AT_ONCE:
            break
    return f"{memory_count} memories read, {name_count} names" if memory_count else "nothing new"


@tracing.job
def duplicates() -> str:
    """Compare new and reworded memories with their neighbours for SLICE seconds; the rest is left to the next job."""
    at, should_stop = timezone.now(), after(SLICE)
    run = duplicates_run.find_duplicates(trigger=SCHEDULE, at=at, record_empty=False, should_stop=should_stop)
    return f"{run.status}: {run.counters}" if run else "nothing new"


@tracing.job
def extract() -> str:
    """Let the language model read queued conversations; none is begun after EXTRACT_SLICE seconds."""
    count = extraction_run.process_queue(should_stop=after(EXTRACT_SLICE), threads=settings.LLM_CONCURRENCY)
    return f"{count} processed"


@tracing.job
def contrast() -> str:
    """Let the language model compare the runs of queued skills, then of scopes; no case is begun after EXTRACT_SLICE
    seconds."""
    queues, should_stop = (contrast_run.process_queue, lessons_run.process_queue), after(EXTRACT_SLICE)
    return f"{sum(work(should_stop=should_stop) for work in queues)} processed"


@tracing.job
def reembed() -> str:
    """Continue the reembedding with another model for SLICE seconds, or start it if it is due."""
    run = reembedding_run.reembed(trigger=SCHEDULE, at=timezone.now(), should_stop=after(SLICE))
    return f"{run.status}: {run.counters} {run.error}".strip() if run else "nothing to do"


@tracing.job
def queued() -> str:
    """Do the runs that people and agents ordered, for SLICE seconds."""
    return f"{run_queue.work(should_stop=after(SLICE))} runs"


@tracing.job
def webhooks() -> str:
    """Write messages for what happened since the last job, and send what is due, for WEBHOOK_SLICE seconds."""
    should_stop = after(WEBHOOK_SLICE)
    outbox.collect(at=timezone.now())
    return f"{outbox.send_due(should_stop=should_stop)} tries"


@tracing.job
def prune_runs() -> str:
    """Remove runs, and messages to webhooks, that ended longer ago than they are kept, for SLICE seconds."""
    counts = retention.prune_runs(at=timezone.now(), until=time.monotonic() + SLICE)
    return ", ".join(f"{number} {name} removed" for name, number in counts.items()) or "nothing was due"


@tracing.job
def remove_transcripts() -> str:
    """Remove transcripts of runs that ended longer ago than they are kept, for SLICE seconds."""
    counts = retention.remove(at=timezone.now(), until=time.monotonic() + SLICE)
    return ", ".join(f"{number} {name} removed" for name, number in counts.items()) or "nothing was due"


@tracing.job
def insights() -> str:
    """Count what the page of insights shows: today, and what is missing of the past, for SLICE seconds."""
    return f"{day_counts.count(at=timezone.now(), should_stop=after(SLICE))} days"
