"""Tasks of the job worker."""

from django.utils import timezone

from memos_site.platform import tracing
from skills import orphans


@tracing.job
def sweep_packages() -> str:
    """Delete the packages that no version names, a day after they were stored."""
    return f"{orphans.delete_orphans(at=timezone.now())} orphans deleted"
