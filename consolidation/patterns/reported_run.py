"""One run of a plugin as its event reports it; values of the context that make no sense are ignored."""

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from memories.values.text import normal

MAX_LENGTH = 300  # characters of a value of the context
NO_LINE = UUID(int=0)  # before `sessions.assign`


def _whole_number(value: Any) -> list[int]:
    """[value] as an int, if it is a whole number of 0 or more, also as text; else []."""
    if isinstance(value, str):
        value = int(value.strip()) if value.strip().isdecimal() and len(value) < 10 else None
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == value // 1
    return [int(value)] if whole else []


@dataclass(frozen=True)
class ReportedRun:
    """A plugin's run. `line`: its thread, or all runs without a thread in its scope; `session`: its thread, or the runs
    of its source on that line without a pause of two hours."""

    event_id: UUID
    episode_id: UUID
    scope: str
    source: str
    thread_id: str | None
    at: datetime
    sensitivity: int
    context: dict[str, Any] = field(default_factory=dict)
    line: UUID = NO_LINE
    session: UUID = NO_LINE

    def text(self, name: str) -> str:
        """A value of the context as one line of text; "" when there is none."""
        value = self.context.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        return " ".join(normal(value).split())[:MAX_LENGTH].strip() if isinstance(value, str) else ""

    @property
    def user_edited(self) -> bool:
        value = self.context.get("user_edited")
        return value is True or (isinstance(value, str) and value.strip().lower() == "true")

    @property
    def hour(self) -> int:
        """0 to 23 in the workspace's time zone: `run_hour` of the context, else that of its time."""
        return next((hour for hour in _whole_number(self.context.get("run_hour")) if hour <= 23), self._local_time.hour)

    @property
    def day(self) -> date:
        return self._local_time.date()

    @cached_property
    def _local_time(self) -> datetime:
        return self.at.astimezone(ZoneInfo(settings.TIME_ZONE))
