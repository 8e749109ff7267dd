"""System checks of the packages of skills."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.core.checks import Tags, Warning, register
from django.db import ProgrammingError

from memos_site.platform.outages import StoreUnavailable
from skills import orphans

REMEDY = "manage.py move_packages --from STORE copies them from the store that held them"


@register(Tags.database)
def check_packages(databases: Sequence[str] | None = None, **kwargs: Any) -> list[Warning]:
    """skills.W001: the store lacks packages of versions. Counted only where the oldest or the newest is not there."""
    with suppress(OSError, StoreUnavailable, ProgrammingError):  # /health/ready says it; before the first migration
        try:
            orphans.demand(orphans.sample() if databases else ())
        except orphans.Incomplete:
            message = f"{len(orphans.missing_packages())} packages of skill versions are not in the package store"
            return [Warning(message, hint=REMEDY, id="skills.W001")]
    return []
