"""Scan the files of a skill for what a reviewer should read before publishing: secrets, uploads, injected instructions.

Findings are hints for a person; only a critical one demands a reason for publishing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from memories.scanning.prompt_injection import HARM, LEAK, OVERRIDE, ROLE, SECRECY, one_of
from memories.values import invisible

_EXCERPT_LENGTH = 160
_MAX_FINDINGS = 20  # of one rule in one file


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` counts from 1. `excerpt` is the line around the match, with invisible characters spelled out."""

    rule: str
    severity: Severity
    file: str
    line: int
    excerpt: str


class Rule(NamedTuple):
    name: str
    severity: Severity
    pattern: re.Pattern[str]
    files: str = ""  # endings; empty for every file


_PROSE = ".md .txt .html"
_SECRETS = Rule(
    "credentials",
    Severity.HIGH,
    one_of(
        r"(?:\.|/)ssh/|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b",
        r"\.kube/config|\.docker/config\.json|\.gnupg\b|/etc/(?:passwd|shadow)\b|\.config/gcloud",
        r"\bkeyring\.get_password\b|\bsecurity\s+find-generic-password\b|(?<![\w.])\.env\b(?!\.example)",
        r"169\.254\.169\.254|metadata\.google\.internal",
    ),
)
_ENVIRONMENT = Rule(
    "environment",
    Severity.MEDIUM,
    one_of(
        r"\bos\.(?:environ|getenv)\b",
        r"\bprocess\.env\b",
        r"\bprintenv\b",
        r"^[ \t]*env[ \t]*(?:\||>|$)",
        r"/proc/\w+/environ",
    ),
)
_UPLOAD = Rule(
    "network-upload",
    Severity.MEDIUM,
    one_of(
        r"\b(?:requests|httpx|session|client)\.(?:post|put|patch)\s*\(",
        r"\burlopen\([^)\n]{0,200}\bdata\s*=",
        r"\bcurl\b[^\n]{0,200}\s(?:-[a-z]*[dFT]\b|--data|--form|--upload-file|-X\s*(?:POST|PUT))",
        r"\bwget\b[^\n]{0,200}--post-(?:data|file)",
        r"\bmethod\s*:\s*['\"](?:POST|PUT|PATCH)['\"]",
        r"\b(?:scp|sftp|ncat|netcat)\s+\S|\bnc\s+-|\brsync\b[^\n]{0,200}\s\S{1,100}:|/dev/tcp/|\bsmtplib\b|\bftplib\b",
    ),
)
# one run, with a capital and a digit (a path has none), or three full lines
_BASE64 = re.compile(
    r"(?<![\w+/=-])(?=\S{0,160}[A-Z])(?=\S{0,160}\d)(?:[A-Za-z0-9+/]{160,}|[A-Za-z0-9_-]{160,})"
    r"|^(?:[A-Za-z0-9+/]{60,100}\n){3}",
    re.MULTILINE,
)
RULES = (
    Rule("instruction-override", Severity.HIGH, OVERRIDE),
    Rule("instruction-secrecy", Severity.HIGH, SECRECY),
    Rule("instruction-role", Severity.MEDIUM, ROLE),
    Rule("instruction-leak", Severity.HIGH, LEAK, _PROSE),
    Rule("instruction-harm", Severity.HIGH, HARM, _PROSE),
    Rule("html-comment", Severity.MEDIUM, one_of(r"<!--"), _PROSE),
    Rule("zero-width", Severity.HIGH, invisible.ZERO_WIDTH),
    Rule("text-direction", Severity.HIGH, invisible.DIRECTION),
    Rule("smuggled-text", Severity.CRITICAL, invisible.SMUGGLED),
    Rule("long-base64", Severity.MEDIUM, _BASE64),
    Rule(
        "download-and-run",
        Severity.CRITICAL,
        one_of(
            r"\b(?:curl|wget|fetch)\b(?:\\\n|[^\n|]){0,200}\|\s*(?:sudo\s+)?(?:env\s+)?(?:\S{0,20}/)?(?:ba|z|da|k)?sh\b",
            r"\b(?:curl|wget)\b(?:\\\n|[^\n|]){0,200}\|\s*(?:sudo\s+)?(?:python|perl|ruby|node)",
            r"\b(?:ba|z)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b|\beval\s+[\"']?(?:\$\(|`)\s*(?:curl|wget)\b",
            r"\b(?:iex|invoke-expression)\b[^\n]{0,200}(?:\biwr\b|download|invoke-webrequest)",
            r"\b(?:exec|eval)\s*\([^\n]{0,100}(?:urlopen|requests\.get|httpx\.get)",
        ),
    ),
    _SECRETS,
    _ENVIRONMENT,
    _UPLOAD,
)


def scan(files: Mapping[str, str]) -> list[Finding]:
    """The findings in the files of a package (path -> text), the most severe first."""
    findings = [finding for file, text in sorted(files.items()) for finding in _scan(file, text)]
    severities = list(Severity)
    return sorted(findings, key=lambda finding: (-severities.index(finding.severity), finding.file, finding.line))


def _scan(file: str, text: str) -> Iterator[Finding]:
    findings = [finding for rule in RULES for finding in islice(_findings(rule, file, text), _MAX_FINDINGS)]
    yield from findings
    yield from _exfiltration(findings)


def _findings(rule: Rule, file: str, text: str) -> Iterator[Finding]:
    if rule.files and not file.lower().endswith(tuple(rule.files.split())):
        return
    end = -1  # of the line of the last finding: one finding per line
    for match in rule.pattern.finditer(text):
        if match.start() > end:
            end = _line_end(text, match.start())
            line = text.count("\n", 0, match.start()) + 1
            excerpt = _excerpt(text, match.start())
            yield Finding(rule=rule.name, severity=rule.severity, file=file, line=line, excerpt=excerpt)


def _exfiltration(findings: Iterable[Finding]) -> Iterator[Finding]:
    """A critical finding where the same file reads secrets and sends something out."""
    uploads = [finding for finding in findings if finding.rule == _UPLOAD.name]
    if uploads and any(finding.rule in {_SECRETS.name, _ENVIRONMENT.name} for finding in findings):
        yield replace(uploads[0], rule="secrets-and-upload", severity=Severity.CRITICAL)


def _excerpt(text: str, at: int) -> str:
    begin = max(text.rfind("\n", 0, at) + 1, at - _EXCERPT_LENGTH // 2)
    return invisible.visible(text[begin : min(_line_end(text, at), begin + _EXCERPT_LENGTH)]).strip()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
