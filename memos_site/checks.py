"""System checks: a wrong setting, or hosts that do not fit together, is a sentence here, before anything starts."""

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import Error, Tags, Warning, register
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, transaction

from memories import leases
from memos_site.platform.env import CHECK, PROBLEMS
from memos_site.platform.environment import REMOVED
from memos_site.platform.service_settings import CONSOLE


@register(CHECK)
def environment_is_readable(**kwargs: Any) -> list[Error]:
    """memos_site.E001: a variable of the environment has a value that cannot be used."""
    return [Error(problem, id="memos_site.E001") for problem in PROBLEMS]


@register(CHECK)
def settings_are_still_read(**kwargs: Any) -> list[Warning]:
    """memos_site.W002: a variable of the environment was a setting of a former version."""
    names = [name for name in REMOVED if os.environ.get(name) or os.environ.get(f"{name}_FILE")]
    return [Warning(f"{name} is no setting any more: {REMOVED[name]}", id="memos_site.W002") for name in names]


@register()
def links_of_mails_lead_here(**kwargs: Any) -> list[Warning]:
    """memos_site.W001: mails are sent, and their links lead to the reader's own machine."""
    if settings.EMAIL_BACKEND == CONSOLE or urlsplit(settings.SITE_URL).hostname not in ("localhost", "127.0.0.1"):
        return []
    warning = f"SITE_URL: the links in mails lead to {settings.SITE_URL}, which is the machine of whoever reads them"
    return [
        Warning(warning, hint="set SITE_URL to the address under which people reach the site", id="memos_site.W001")
    ]


@register(Tags.database)
def packages_are_seen_by_all_hosts(databases: Sequence[str] | None = None, **kwargs: Any) -> list[Error]:
    """memos_site.E002: packages lie in a local directory, and another host takes jobs of the same database."""
    if not databases or not isinstance(storages["skills"], FileSystemStorage):
        return []
    try:
        with transaction.atomic():
            other_hosts = sorted(leases.other_hosts())
    except DatabaseError:  # it is not migrated yet
        return []
    warning = f"SKILLS_REPO_BACKEND: LOCAL is a directory that {', '.join(other_hosts)} cannot see, which take jobs too"
    hint = "use S3 or OSS for packages; a host that has stopped is forgotten after 30 seconds"
    return [Error(warning, hint=hint, id="memos_site.E002")] if other_hosts else []
