"""Python files by bandit, in a process of its own: some texts of ten lines keep it busy for minutes.

The files are parsed and never run. A comment in them (`# nosec`) does not silence it.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from skills.scanning.findings import Finding, Severity, excerpt

SECONDS = 5  # an upload waits for it
MOST_KEPT = 20  # reports, each of a package
ARGUMENTS = ("-m", "bandit", "--recursive", "--format", "json", "--quiet", "--exit-zero", "--ignore-nosec")
SEVERITIES = {"HIGH": Severity.HIGH, "MEDIUM": Severity.MEDIUM}
UNCHECKED = "its Python could not be checked: read it line by line"
NOT_CHECKED = "python-not-checked"
RULES = "bandit-"  # the names of the others begin with it
_latest: dict[bytes, dict[str, Any]] = {}


def scan(files: Mapping[str, str], seconds: float = 0.0) -> Iterator[Finding]:
    """The findings in the Python files (path -> text); NOT_CHECKED: of severity high where it took longer than
    `seconds` (default SECONDS), else no Python.
    """
    names = [name for name in files if name.endswith(".py")]
    if not names:
        return
    report = _report([files[name] for name in names], seconds or SECONDS)
    if report is None:
        yield from (Finding(NOT_CHECKED, Severity.HIGH, name, 1, UNCHECKED) for name in names)
        return
    by_number = dict(enumerate(names))
    for error in report["errors"]:
        yield Finding(NOT_CHECKED, Severity.MEDIUM, by_number[_number(error)], 1, UNCHECKED)
    for result in report["results"]:
        name = by_number[_number(result)]
        severity = SEVERITIES.get(result["issue_severity"], Severity.LOW)
        line = max(1, int(result["line_number"]))
        line_shown = excerpt(files[name], _offset(files[name], line))
        yield Finding(f"{RULES}{result['test_name'].replace('_', '-')}", severity, name, line, line_shown)


def _report(texts: Sequence[str], seconds: float) -> dict[str, Any] | None:
    """Of each text by its number. A draft is scanned whenever it is saved, compared and published: the latest reports
    are kept."""
    digest = hashlib.sha256(json.dumps(texts).encode()).digest()
    if (report := _latest.get(digest)) is None:
        with TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="scan-") as folder:
            for number, text in enumerate(texts):
                (Path(folder) / f"{number}.py").write_text(text, encoding="utf-8", newline="")
            report = _by_bandit(folder, seconds)
        if report is not None:
            if len(_latest) == MOST_KEPT:
                _latest.clear()
            _latest[digest] = report
    return report


def _by_bandit(folder: str, seconds: float) -> dict[str, Any] | None:
    command = [sys.executable, "-I", *ARGUMENTS, folder]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=True, cwd=folder)  # noqa: S603
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.SubprocessError, OSError, ValueError):
        return None
    return report


def _number(entry: Mapping[str, Any]) -> int:
    return int(Path(entry["filename"]).stem)


def _offset(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at
