"""Detection and masking of credentials and payment card numbers in texts.

Recognises keys in their issuers' formats, values after a word that names a secret, and cards by issuer, length and
check digit. Incoming texts are flagged, texts shown to people are masked.

Texts may be JSON: a quote may be escaped, and a line break is a backslash and a letter. A pattern is tried only where
the text holds one of its literals, which costs a hundredth of trying the pattern.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

FLAG = "secret"  # the flag of texts with credentials
MASK = "••••••"
CARD = "card number"
_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_NAMES = (
    r"pass(?:word|wd|phrase|code)|pwd(?![^\w/]{1,6}/)|secret(?:[ _-]?(?:access[ _-]?)?key)?|client[ _-]?secret"
    r"|api[ _-]?key|access[ _-]?(?:key|token)|(?:auth|refresh|bearer|session)[ _-]?token|private[ _-]?key|bearer"
)
_QUOTE = r"(?:\\{0,3}['\"])?"


class Kind(NamedTuple):
    """A kind of credential.

    `literals`: in lower case; a text without any of them holds no match. The group `secret` of a match is masked.
    `name`: what it is called where it was removed.
    """

    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    name: str


def _kind(literals: str, pattern: str, name: str = "key") -> Kind:
    return Kind(tuple(literals.split("|")), re.compile(pattern), name)


def _issued(literals: str, pattern: str) -> Kind:
    return _kind(literals, rf"{_BEGINS}(?P<secret>{pattern})")


KINDS = (
    _kind(
        "-----begin ",
        r"(?P<secret>-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----[^-]{0,10000}(?:-----END [A-Z ]{1,60}-----)?)",
    ),
    _issued(
        "akia|asia",
        r"(?:AKIA|ASIA)(?:[A-Z0-9]{16}|(?=[A-Z0-9 -]{0,24}[2-7])(?:[ -][A-Z0-9]{4}){4})(?![A-Za-z0-9])",
    ),
    _issued("a k i a|ak ia", r"A ?K ?I ?A(?=[A-Z0-9 ]{0,32}[2-7])(?: ?[A-Z0-9]){16}(?![A-Za-z0-9])"),
    _issued("ghp_|gho_|ghu_|ghs_|ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _issued("github_pat_", r"github_pat_\w{22,255}"),
    _issued("glpat-", r"glpat-[\w-]{20,64}"),
    _issued("xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    _issued("aiza", r"AIza[\w-]{35}(?![\w-])"),
    _issued("k_live_|k_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _issued("sk-", r"sk-(?=[\w-]{0,64}\d)(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,255}"),
    _issued("memos_", r"memos_[0-9a-f]{8}_[\w-]{43}"),
    _issued("eyj", r"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}(?:\.[\w-]{0,2000})?"),
    _kind(
        "bearer ", r"(?i:(?<![A-Za-z])bearer) {1,3}(?=[\w.~+/-]{0,64}\d)(?P<secret>[\w.~+/-]{16,2000}={0,2})", "token"
    ),
    _kind("://", r"://[^\s:/@\"'\\]{1,100}:(?P<secret>[^\s:/@\"'\\•]{3,200})@", "password"),
    _kind(
        "passw|passph|passc|pwd|secret| key|_key|-key|ikey|skey|ekey|token|bearer",
        rf"(?i:(?<![A-Za-z])(?:{_NAMES}){_QUOTE}[ \t]{{0,3}}(?:[:=]|\bis\b)[ \t]{{0,3}}{_QUOTE})"
        r"(?=[^\s'\"\\]{0,64}(?:\d|[!#$%&*+/=?^_~]\w))(?P<secret>[^\s'\"\\,;()\[\]{}<>]{6,256}+)(?![(\[])",
        "password",
    ),
    _kind(
        "密码|口令|密钥|令牌",
        r"(?:密码|口令|密钥|令牌)[ ]{0,2}(?:是|为|:|：)[ ]{0,2}(?!\[)(?P<secret>[!-~]{6,256})",
        "password",
    ),
)
_DIGITS = re.compile(r"\d(?:[ -]?\d){12,40}")  # begins with a digit, not with an assertion: ten times as fast
_GOES_ON = re.compile(r"[\w-]|[.,]\d")
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))\d{12}"
    r"|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)  # Luhn: digit sum of a doubled digit


def is_in(text: str) -> bool:
    return next(_spans(text), None) is not None


def masked(text: str) -> str:
    """Mask every secret in a text; the words that name it stay."""
    return _replaced(text, lambda _: MASK)


def removed(text: str) -> str:
    """Replace every secret in a text by what it was, "[password removed]"; the words that name it stay."""
    return _replaced(text, lambda name: f"[{name} removed]")


def _replaced(text: str, by: Callable[[str], str]) -> str:
    spans, end, kept = sorted(_spans(text)), 0, []
    for start, stop, name in spans:
        if start >= end:
            kept += [text[end:start], by(name)]
        end = max(end, stop)
    return "".join([*kept, text[end:]]) if spans else text


def as_text(value: Any) -> str:
    """Convert a value to text for scanning: text unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    folded = text.lower()
    for kind in KINDS:
        for literal in kind.literals:
            if literal in folded:
                yield from ((*match.span("secret"), kind.name) for match in kind.pattern.finditer(text))
                break
    yield from ((*match.span(), CARD) for match in _DIGITS.finditer(text) if _is_card(match))


def _is_card(match: re.Match[str]) -> bool:
    """Whether a match is a whole number, grouped or not: not part of an id, of a longer number, or of a decimal."""
    before, digits = match.string[max(0, match.start() - 1) : match.start()], re.sub("[ -]", "", match.group())
    if not _ISSUERS.fullmatch(digits) or before.isalnum() or (before and before in "_-.,"):
        return False
    return not _GOES_ON.match(match.string, match.end()) and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = sum(_DOUBLED[int(digit)] if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return total % 10 == 0
