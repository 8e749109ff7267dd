"""One run of a plugin, as its event tells it: whatever stands in the context, only what makes sense is taken."""

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from memories.values.text import normal

LONGEST = 300  # characters of a word that a memory says
NOWHERE = UUID(int=0)  # before it was placed


def _whole(value: Any) -> list[int]:
    """A number that is not below 0, or nothing."""
    if isinstance(value, str):
        value = int(value.strip()) if value.strip().isdecimal() and len(value) < 10 else None
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == value // 1
    return [int(value)] if whole else []


@dataclass(frozen=True)
class Ran:
    """`session`: its thread, else the stretch of its source's runs without a gap of two hours."""

    event_id: UUID
    episode_id: UUID
    scope: str
    source: str
    thread_id: str | None
    at: datetime
    sensitivity: int
    context: dict[str, Any] = field(default_factory=dict)
    line: UUID = NOWHERE
    session: UUID = NOWHERE

    def said(self, name: str) -> str:
        """A word of the context, on one line; blank when there is none."""
        value = self.context.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        return " ".join(normal(value).split())[:LONGEST].strip() if isinstance(value, str) else ""

    @property
    def user_edited(self) -> bool:
        value = self.context.get("user_edited")
        return value is True or (isinstance(value, str) and value.strip().lower() == "true")

    @property
    def hour(self) -> int:
        """0 to 23, in the workspace's time zone: as the plugin says, else when it happened."""
        return next((hour for hour in _whole(self.context.get("run_hour")) if hour <= 23), self._here.hour)

    @property
    def day(self) -> date:
        return self._here.date()

    @cached_property
    def _here(self) -> datetime:
        return self.at.astimezone(ZoneInfo(settings.TIME_ZONE))
