"""A plugin is run at the same hour, day by day."""

from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.conf import settings

from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Rule, Sign, each, fields_of, part


def sign(run: Ran) -> Sign:
    """Counted by days: what happens in a day, in however many sessions, is one."""
    source, hour = part(run.source, "plugin"), run.hour
    day = uuid5(NAMESPACE_OID, run.day.isoformat())
    own: dict[str, Any] = {**fields_of(run), "unit": day, "family": (source,)}
    content = f"{run.source} is usually run at about {hour}:00 ({settings.TIME_ZONE})"
    return Sign((source, str(hour)), key=f"temporal-{source}-{hour}h", content=content, **own)


RULE = Rule(
    "time of day",
    threshold=5,
    confidence=20,
    signs=each(sign),
    by_units=True,
    share=(1, 2),
    ttl=timedelta(days=90),
)
