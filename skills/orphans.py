"""Packages that no version names, and versions whose package is not in the store, which may come from a former one."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.core.files.storage import Storage

from skills import storages
from skills.models import SkillVersion

GRACE_PERIOD = timedelta(days=1)  # a package is stored before its row is written


def delete_orphans(*, at: datetime) -> int:
    """Delete the packages without a version that are older than a day; returns how many.

    Somebody may be about to record the same content under the same path: their version gets its package back, here or
    when `publishing.propose` commits.
    """
    old_paths = [path for path, written_at in storages.stored_packages() if written_at < at - GRACE_PERIOD]
    count = 0
    for path in old_paths:
        if not _is_named(path):
            count += _delete(path)
    return count


def delete_unnamed(path: str) -> None:
    """Delete a package, unless a version names it."""
    if not _is_named(path):
        _delete(path)


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
    """Ask the store for each path. Incomplete: one is missing and `strict`. OSError, StoreUnavailable: no answer."""
    answers = [storages.holds(path) for path in paths]
    if strict and not all(answers):
        raise Incomplete


def missing_packages() -> list[str]:
    """All packages of versions that the store does not list."""
    stored_paths = {path for path, _ in storages.stored_packages()}
    named_paths = SkillVersion.objects.order_by("package").values_list("package", flat=True).distinct()
    return [path for path in named_paths.iterator() if path not in stored_paths]


def copy_from(former: Storage, report: Callable[[str], None]) -> Counter[str]:
    """Copy what the present store lacks, each verified by the sha256 of its version; how many by what came of them.

    What is copied stays where it was. `there`: the store held them before; `copied`; `lost`: the former store
    has none; `damaged`: its content is another. The latter two are reported by path. Stopped at any moment, the next
    call goes on. OSError, StoreUnavailable: a store fails.
    """
    lacking = set(missing_packages())
    hashes = dict(SkillVersion.objects.values_list("package", "sha256").distinct())
    lacking &= hashes.keys()  # a version may have been deleted since
    counts = Counter({"copied": 0, "there": len(hashes) - len(lacking)})
    for path in sorted(lacking):
        outcome = _copy(former, path, hashes[path])
        counts[outcome] += 1
        if outcome != "copied":
            report(f"{path}: {outcome}")
    return counts


def _copy(former: Storage, path: str, sha256: str) -> str:
    try:
        with former.open(path) as file:
            content: bytes = file.read()
    except FileNotFoundError:
        return "lost"
    if hashlib.sha256(content).hexdigest() != sha256:
        return "damaged"
    storages.store(path, content)
    with storages.open_package(path, intact=False) as file:
        return "copied" if hashlib.sha256(file.read()).hexdigest() == sha256 else "damaged"
