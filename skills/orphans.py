"""Packages that no version names: a process died between storing and recording, or the skill was forgotten."""

from datetime import datetime, timedelta

from skills import storages
from skills.models import SkillVersion

KEPT = timedelta(days=1)  # a package is stored before its row is written


def delete_orphans(*, at: datetime) -> int:
    """Delete the packages without a version that are older than a day; returns how many.

    Somebody may be about to record the same content under the same path: their version gets its package back, here or
    when `publishing.propose` commits.
    """
    old = [path for path, written_at in storages.stored_packages() if written_at < at - KEPT]
    deleted = 0
    for path in old:
        if not _is_named(path):
            deleted += _delete(path)
    return deleted


def delete_unnamed(path: str) -> bool:
    """Delete a package, unless a version names it; whether it is gone."""
    return not _is_named(path) and _delete(path)


def _delete(path: str) -> bool:
    try:
        with storages.open_package(path) as file:
            content = file.read()
    except FileNotFoundError:  # another sweep was faster
        return False
    storages.delete(path)
    if _is_named(path):
        storages.store(path, content)
        return False
    return True


def _is_named(path: str) -> bool:
    return SkillVersion.objects.filter(package=path).exists()
