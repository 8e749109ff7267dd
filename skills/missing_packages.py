"""Packages of versions that the store does not hold: after a change of SKILLS_REPO_BACKEND, until they are moved."""

from collections.abc import Iterable

from skills import storages
from skills.models import SkillVersion


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
