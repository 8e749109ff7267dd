"""The rule `time of day`: a plugin runs at the same hour on many days."""

from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.conf import settings

from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rule import Detection, Rule, key_part, per_run, run_fields


def detect(run: ReportedRun) -> Detection:
    """The hour of a run. Its unit is the day: all runs of a day count as one, in however many sessions."""
    source, hour = key_part(run.source, "plugin"), run.hour
    day = uuid5(NAMESPACE_OID, run.day.isoformat())
    facts: dict[str, Any] = {**run_fields(run), "unit": day, "family": (source,)}
    content = f"{run.source} is usually run at about {hour}:00 ({settings.TIME_ZONE})"
    return Detection((source, str(hour)), key=f"temporal-{source}-{hour}h", content=content, **facts)


RULE = Rule(
    "time of day",
    threshold=5,
    confidence=20,
    detect=per_run(detect),
    by_units=True,
    share=(1, 2),
    ttl=timedelta(days=90),
)
