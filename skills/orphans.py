"""Packages that no version names, and versions whose package the store does not hold."""

from collections.abc import Iterable
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
        with storages.open_package(path, intact=False) as file:
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


class Incomplete(Exception):
    """A package of a version is not in the store."""


def sample() -> list[str]:
    """The packages of the oldest and the newest version: those of a former store are the oldest."""
    paths = SkillVersion.objects.order_by("pk").values_list("package", flat=True)
    return list(dict.fromkeys([*paths[:1], *paths.reverse()[:1]]))


def demand(paths: Iterable[str], *, strict: bool = True) -> None:
    """Ask the store for each. Incomplete: one is not there. OSError, StoreUnavailable: it does not answer."""
    there = [storages.holds(path) for path in paths]
    if strict and not all(there):
        raise Incomplete


def missing() -> list[str]:
    """All packages of versions that the store does not list."""
    stored = {path for path, _ in storages.stored_packages()}
    named = SkillVersion.objects.order_by("package").values_list("package", flat=True).distinct()
    return [path for path in named.iterator() if path not in stored]
