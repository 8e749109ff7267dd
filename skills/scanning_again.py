"""Scans that took too long at an upload, repeated in the background: alone, and with more time."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction

from memories import leases
from memories.values.trust import SYSTEM
from skills import publishing, storages
from skills.models import SkillVersion
from skills.scanning import gravest_first, python_code
from skills.scanning.findings import Finding, Severity

SECONDS = 120.0  # for all files of a version
MOST_TRIES = 3
LATE = {"rule": python_code.NOT_CHECKED, "severity": Severity.HIGH.value}


def scan_again(*, at: datetime, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Repeat the scans of current versions that ran out of time; how many passed. One process at a time."""
    passed_count = 0
    with leases.hold("scan again", wait=False) as alone:
        late_versions = (
            SkillVersion.objects.filter(status__in=publishing.SINGLE_STATUSES, scan__findings__contains=[LATE])
            if alone
            else ()
        )
        for version in late_versions:
            if version.scan.get("tries", 0) < MOST_TRIES and not should_stop():
                passed_count += _repeat(version, at=at)
    return passed_count


def _repeat(version: SkillVersion, *, at: datetime) -> bool:
    """Scan a version again; returns whether the scan was completed. A package that the store lacks is a failed try."""
    try:
        findings = list(python_code.scan(_python(version), SECONDS))
    except FileNotFoundError:
        findings = [Finding(python_code.NOT_CHECKED, Severity.HIGH, "", 0, "")]
    has_passed = not any(finding.rule == LATE["rule"] and finding.severity == Severity.HIGH for finding in findings)
    before, tries = version.scan, version.scan.get("tries", 0) + 1
    after = {**before, "findings": _merge_findings(before["findings"], findings) if has_passed else before["findings"]}
    with transaction.atomic():  # the same version may have been scanned by an edit of its marks meanwhile
        rows = SkillVersion.objects.filter(pk=version.pk, scan=before)
        if rows.update(scan=after if has_passed else after | {"tries": tries}) and has_passed:
            publishing.note_scan(version, by=SYSTEM, at=at, batch=uuid4())
    return has_passed


def _merge_findings(before: list[dict[str, Any]], findings: list[Finding]) -> list[dict[str, Any]]:
    other_findings = [
        finding for finding in before if finding["rule"] != LATE["rule"] or finding["severity"] != LATE["severity"]
    ]
    return gravest_first([*other_findings, *map(asdict, findings)])


def _python(version: SkillVersion) -> dict[str, str]:
    """FileNotFoundError: the store has no package of it."""
    with storages.open_package(version.package) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        inside = f"{version.fields['name']}/"
        names = [name for name in archive.namelist() if name.endswith(".py")]
        return {name.removeprefix(inside): archive.read(name).decode(errors="replace") for name in names}
