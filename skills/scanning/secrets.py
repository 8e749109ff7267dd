"""Credentials in texts, reported by the detectors of detect-secrets. A package masks them: `packaging/packages.py`.

Only their patterns are used: nothing is asked of a network, and a comment in the text does not silence them.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.filters import heuristic

from memories.scanning.credentials import MASK
from skills.scanning.findings import Finding, Severity

SHORTEST_LINE, LONGEST_LINE = 8, 10_000  # characters of a line that are read
GUESSES = {"KeywordDetector", "BasicAuthDetector"}  # by the word beside a value: right less often
LEFT_OUT = {
    "Base64HighEntropyString",
    "HexHighEntropyString",
    "IPPublicDetector",
}  # hashes and addresses are no secrets


@cache
def _detectors() -> tuple[Any, ...]:
    detectors: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple(detector() for detector in detectors.values() if detector.__name__ not in LEFT_OUT)


def scan(file: str, text: str) -> Iterator[Finding]:
    """One finding for each line with a credential, which its excerpt does not show."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) >= SHORTEST_LINE and (finding := _of_line(file, number, line[:LONGEST_LINE])):
            yield finding


def _of_line(file: str, number: int, line: str) -> Finding | None:
    for detector in _detectors():
        for secret in detector.analyze_string(line):
            if secret and not _is_placeholder(secret, line):
                kind = re.sub(r"[^a-z0-9]+", "-", detector.secret_type.lower()).strip("-")
                severity = Severity.HIGH if type(detector).__name__ in GUESSES else Severity.CRITICAL
                line_shown = line.replace(secret, MASK).strip()[:160]
                return Finding(f"secret-{kind}", severity, file, number, line_shown)
    return None


def _is_placeholder(secret: str, line: str) -> bool:
    tests = (heuristic.is_templated_secret, heuristic.is_prefixed_with_dollar_sign, heuristic.is_sequential_string)
    return any(test(secret) for test in tests) or bool(heuristic.is_indirect_reference(line))
