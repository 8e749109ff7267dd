"""Rules over texts: injected instructions, hidden characters, downloads that run, reads of secrets, uploads."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from memories.scanning import prompt_injection
from memories.scanning.alternatives import Alternatives
from memories.values import invisible
from skills.scanning.findings import Finding, Severity, excerpt, line_end

_MAX_FINDINGS = 20  # of one rule in one file


class Rule(NamedTuple):
    name: str
    severity: Severity
    pattern: re.Pattern[str] | Alternatives
    files: str = ""  # endings; empty for every file


_PROSE = ".md .txt .html"
_SECRETS = Rule(
    "credentials",
    Severity.HIGH,
    Alternatives(
        r"(?:\.|/)ssh/|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b",
        r"\.kube/config|\.docker/config\.json|\.gnupg\b|/etc/(?:passwd|shadow)\b|\.config/gcloud",
        r"\bkeyring\.get_password\b|\bsecurity\s+find-generic-password\b|(?<![\w.])\.env\b(?!\.example)",
        r"169\.254\.169\.254|metadata\.google\.internal",
    ),
)
_ENVIRONMENT = Rule(
    "environment",
    Severity.MEDIUM,
    Alternatives(
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
    Alternatives(
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
_MILD = tuple(f"instruction-{kind}" for kind in ("role", "download", "tests", "approval", "authority", "access"))
_OF_EVERY_FILE = ("instruction-override", "instruction-secrecy", "instruction-role")
INSTRUCTION_RULES = tuple(  # a hundred times as slow as the others
    Rule(
        name,
        Severity.MEDIUM if name in _MILD else Severity.HIGH,
        patterns,
        "" if name in _OF_EVERY_FILE else _PROSE,
    )
    for name, patterns in prompt_injection.EVERY.items()
)
RULES = (
    Rule("html-comment", Severity.MEDIUM, Alternatives(r"<!--"), _PROSE),
    Rule("zero-width", Severity.HIGH, invisible.ZERO_WIDTH),
    Rule("text-direction", Severity.HIGH, invisible.DIRECTION),
    Rule("smuggled-text", Severity.CRITICAL, invisible.SMUGGLED),
    Rule("long-base64", Severity.MEDIUM, _BASE64),
    Rule(
        "download-and-run",
        Severity.CRITICAL,
        Alternatives(
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


def scan(file: str, text: str) -> Iterator[Finding]:
    """The findings of every rule but those for instructions."""
    findings = list(_of_rules(RULES, file, text))
    yield from findings
    yield from _exfiltration(findings)


def scan_instructions(file: str, text: str) -> Iterator[Finding]:
    return _of_rules(INSTRUCTION_RULES, file, text)


def _of_rules(rules: Iterable[Rule], file: str, text: str) -> Iterator[Finding]:
    return (finding for rule in rules for finding in islice(_findings(rule, file, text), _MAX_FINDINGS))


def _findings(rule: Rule, file: str, text: str) -> Iterator[Finding]:
    if rule.files and not file.lower().endswith(tuple(rule.files.split())):
        return
    end = -1  # of the line of the last finding: one finding per line
    for match in rule.pattern.finditer(text):
        if match.start() > end:
            end = line_end(text, match.start())
            line = text.count("\n", 0, match.start()) + 1
            yield Finding(rule.name, rule.severity, file, line, excerpt(text, match.start()))


def _exfiltration(findings: Iterable[Finding]) -> Iterator[Finding]:
    """A critical finding where the same file reads secrets and sends something out."""
    uploads = [finding for finding in findings if finding.rule == _UPLOAD.name]
    if uploads and any(finding.rule in {_SECRETS.name, _ENVIRONMENT.name} for finding in findings):
        yield replace(uploads[0], rule="secrets-and-upload", severity=Severity.CRITICAL)
