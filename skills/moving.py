"""Copying packages from a former store into the present one. What is copied stays where it was."""

import hashlib
from collections import Counter
from collections.abc import Callable

from django.core.files.storage import Storage

from skills import orphans, storages
from skills.models import SkillVersion


def move(former: Storage, report: Callable[[str], None]) -> Counter[str]:
    """Copy what the present store lacks, each verified by the sha256 of its version; how many by what came of them.

    `there`: the store held them before; `copied`; `lost`: the former store has none; `damaged`: its content is another.
    The latter two are reported by path. Stopped at any moment, the next call goes on. OSError, StoreUnavailable: a
    store fails.
    """
    lacking = set(orphans.missing())
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
