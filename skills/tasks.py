"""Tasks of the job worker."""

import time

from django.utils import timezone

from memos_site.platform import tracing
from skills import orphans, scanning_again

SLICE = 150  # seconds after which no scan is begun: one takes up to 120, and a job may take 300


@tracing.job
def sweep_packages() -> str:
    """Delete the packages that no version names, a day after they were stored."""
    return f"{orphans.delete_orphans(at=timezone.now())} orphans deleted"


@tracing.job
def scan_again() -> str:
    """Repeat the scans that ran out of time at an upload."""
    deadline = time.monotonic() + SLICE
    passed_count = scanning_again.scan_again(at=timezone.now(), should_stop=lambda: time.monotonic() > deadline)
    return f"{passed_count} scans passed"
