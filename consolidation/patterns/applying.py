"""Applying rules to reported runs: a rule that raises stops neither the other rules nor the other runs."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from django.db import transaction

from consolidation.models.groups import RuleRetry
from consolidation.patterns.candidates import CandidateWriter
from consolidation.patterns.counts import GroupCounts
from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rules import CATEGORISATION, ENTITY, OVERRIDE, TIME_OF_DAY, Rule
from consolidation.patterns.sequences import SEQUENCE
from memories.models.row_queue import message_of
from memos_site.platform.outages import UNAVAILABLE

RULES = (CATEGORISATION, OVERRIDE, ENTITY, SEQUENCE, TIME_OF_DAY)


class RunProgress(Protocol):
    """What a rule needs of a pattern run's progress. `remaining`: new memories that each rule may still create."""

    at: datetime
    remaining: dict[str, int]

    def record_failure(self, reason: str) -> None: ...


def apply(rule: Rule, scope: str, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    """Apply a rule to the runs of a scope; if that fails, to each run alone, recording the ones that fail for a retry.

    Returns counters. UNAVAILABLE is raised.
    """
    try:
        return apply_one(rule, runs, progress)
    except UNAVAILABLE:
        raise
    except Exception:  # one run must cost neither the other runs nor the other rules
        return _apply_singly(rule, runs, progress)


def apply_one(rule: Rule, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    """Apply a rule to the runs of a scope in one transaction; raises what the rule raises."""
    if not runs:
        return Counter()
    with transaction.atomic():
        by_run = list(rule.detect(runs))
        detections = [detection for _, of_run in by_run for detection in of_run]
        if not detections:
            return Counter()
        counts = GroupCounts(rule, runs[0].scope, detections)
        writer = CandidateWriter(rule, counts, remaining=progress.remaining.get(rule.name), at=progress.at)
        for run, of_run in by_run:
            for detection in of_run:
                if writer.may_write(detection):
                    writer.record(detection)
                else:
                    RuleRetry.objects.note(rule.name, run.event_id, run.episode_id, run.scope, waiting=True)
                    writer.counters["waiting"] += 1
        counts.save()
    if writer.remaining is not None:
        progress.remaining[rule.name] = writer.remaining
    return writer.counters


def _apply_singly(rule: Rule, runs: Sequence[ReportedRun], progress: RunProgress) -> Counter[str]:
    counters: Counter[str] = Counter()
    for run in runs:
        try:
            counters.update(apply_one(rule, [run], progress))
        except UNAVAILABLE:
            raise
        except Exception as error:  # recorded for this event and rule, and tried again
            message = message_of(error)  # may quote the event: shown only to who may see that
            RuleRetry.objects.note(rule.name, run.event_id, run.episode_id, run.scope, attempts=1, error=message)
            progress.record_failure(f"{rule.name}: {type(error).__name__}")
    return counters
