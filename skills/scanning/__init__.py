"""Scan the files of a skill for what a reviewer should read before publishing: secrets, uploads, injected instructions.

Findings are hints for a person; only a critical one demands a reason for publishing. Files are never run. The cost is
bounded whatever the package: beyond a number of characters a finding says that the rest was not read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from skills.scanning import python_code, secrets, text_rules
from skills.scanning.findings import WRITTEN_BY_MODEL, Finding, Severity

MOST_CHARACTERS = 1_000_000  # of all files: about three seconds
MOST_FOR_INSTRUCTIONS = 250_000  # about two
_MAX_FINDINGS = 20  # of one scanner in one file
_PROSE = (".md", ".txt", ".html")
Scanner = Callable[[str, str], Iterable[Finding]]


def scan(files: Mapping[str, str]) -> list[Finding]:
    """The findings in the files of a package (path -> text), the most severe first."""
    sorted_files = dict(sorted(files.items(), key=_importance))
    files_to_scan = _within(sorted_files, MOST_CHARACTERS)
    findings = [
        *_findings_of(text_rules.scan, files_to_scan),
        *_findings_of(_some_secrets, files_to_scan),
        *_findings_of(text_rules.scan_instructions, _within(sorted_files, MOST_FOR_INSTRUCTIONS)),
        *python_code.scan(files_to_scan),
        *_not_read(sorted_files, MOST_CHARACTERS, "not-scanned"),
        *_not_read(sorted_files, MOST_FOR_INSTRUCTIONS, "not-scanned-for-instructions"),
    ]
    severities = list(Severity)
    return sorted(findings, key=lambda finding: (-severities.index(finding.severity), finding.file, finding.line))


def scan_secrets(files: Mapping[str, str]) -> list[Finding]:
    """The credentials in files of which only the rest is kept."""
    return [*_findings_of(_some_secrets, _within(files, MOST_CHARACTERS))]


def gravest_first(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Stored findings in the order of `scan`."""
    severities = list(Severity)
    return sorted(
        findings, key=lambda finding: (-severities.index(finding["severity"]), finding["file"], finding["line"])
    )


def _importance(file: tuple[str, str]) -> tuple[bool, bool, str]:
    """What an agent reads comes first, so that nobody pushes it out of the limits."""
    path = PurePosixPath(file[0])
    return path.name != "SKILL.md", path.suffix.lower() not in _PROSE, file[0]


def _within(files: Mapping[str, str], most: int) -> dict[str, str]:
    """The files up to so many characters, the last of them cut."""
    parts: dict[str, str] = {}
    for name, text in files.items():
        if most <= 0:
            break
        parts[name] = text[:most]
        most -= len(text)
    return parts


def _not_read(files: Mapping[str, str], most: int, rule: str) -> Iterator[Finding]:
    files_within = _within(files, most)
    cut = [name for name, text in files.items() if len(files_within.get(name, "")) < len(text)]
    for name in islice(cut, _MAX_FINDINGS):
        line = files_within.get(name, "").count("\n") + 1
        yield Finding(rule, Severity.HIGH, name, line, f"from here on: the package has more than {most:,} characters")


def _findings_of(scanner: Scanner, files: Mapping[str, str]) -> Iterator[Finding]:
    return (finding for name, text in files.items() for finding in scanner(name, text))


def _some_secrets(name: str, text: str) -> Iterable[Finding]:
    return islice(secrets.scan(name, text), _MAX_FINDINGS)
