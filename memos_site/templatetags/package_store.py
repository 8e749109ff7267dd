"""Template tag of the store of packages."""

from contextlib import suppress

from django import template

from memos_site.platform.outages import StoreUnavailable
from memos_site.web import health
from skills import orphans

register = template.Library()


@register.simple_tag
def packages_are_missing() -> bool:
    """Whether the store lacks packages of versions, as after a change to another one; one that fails is not asked."""
    with suppress(OSError, StoreUnavailable):
        try:
            health.check_package_store(orphans.sample())
        except orphans.Incomplete:
            return True
    return False
