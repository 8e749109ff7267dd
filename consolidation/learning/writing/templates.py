"""Templates of tools' texts: placeholders instead of what is specific to one run."""

import re
from collections.abc import Collection

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.privacy import names_somebody, safe
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import versions
from memories.lexicon.chinese_words import HAN
from memories.lexicon.tool_words import FAILED

LONGEST = 160
_W = rf"[^\W{HAN}]"  # of a word: Chinese has no spaces, so that a value may stand between its characters
_START, _END = rf"(?<!{_W})(?={_W})", rf"(?<={_W})(?!{_W})"
_FILES = "py|go|js|ts|tsx|jsx|rs|java|rb|c|h|cpp|cs|php|md|json|ya?ml|toml|txt|sql|sh|html|css"
_QUOTED = re.compile(r"\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|`[^`\n]{1,120}`|(?<!\w)'[^'\n]{1,120}'(?!\w)")
_MARKS = (
    (re.compile(rf"[^\s{HAN}]+@[^\s{HAN}]+\.{_W}+"), "{email}"),
    (re.compile(rf"{_START}\d{{4}}-\d\d-\d\d(?:[T ][\d:.]+Z?)?"), "{date}"),
    (
        re.compile(
            rf"(?:{_W}+://|~?/|\.{{1,2}}/)[^\s:,;){HAN}]+"
            rf"|{_START}(?:{_W}|[.-])+/(?:{_W}|[./-])+|{_START}(?:{_W}|-)+\.(?:{_FILES}){_END}"
        ),
        "{path}",
    ),
    (re.compile(rf"[$€£¥￥]?{_START}\d+(?:[.,:]\d+)*%?(?!{_W}|-)"), "{number}"),
    (re.compile(rf"[#]?{_START}(?=(?:{_W}|-)*\d){_W}(?:{_W}|-)*{_END}"), "{id}"),
)
_PIECE = re.compile(r"\{\w+\}|[^\W_\d](?:[^\W_\d]|_(?=[^\W\d])|['’-](?=[^\W\d_]))*|[^\w{}]+|[\w{}]")
_LEAD = re.compile(rf"^\W*(?:{'|'.join(sorted(FAILED))})\W*[:：]\s*", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{1,2}\d{2,4}(?=: )")  # of an error: E090, TS2304
_HAN = re.compile(f"[{HAN}]")


def template(scope: Scope, text: str, sent: Collection[str] | None = None) -> str:
    """Replace numbers, ids, quotes, paths and words that may not be repeated; '' when no word is left.

    `sent`: the values of the call that the text answers. What is quoted and was not sent is a word of the tool itself,
    such as a value that it accepts, and stays where it may be repeated; None: every quote is replaced.
    """
    lead = _QUOTED.sub(lambda quote: _quoted(scope, quote[0], sent), _LEAD.sub("", text[:400].replace("***", "")))
    code = match[0] if (match := _CODE.match(lead)) and match[0] not in (sent or ()) else ""
    lead = lead.removeprefix(code)
    for pattern, mark in _MARKS:
        lead = pattern.sub(mark, lead)
    raw_text = "".join(_shown(scope, piece) for piece in _PIECE.findall(lead))
    raw_text = re.sub(r",?\s*(?:[A-Za-z]+…)+[A-Za-z]+!?", "", raw_text)  # words cut into pieces
    result = re.sub(r"…(?:[\s,;:'().-]*…)+", "…", re.sub(r"\s+", " ", raw_text)).strip(" :;,")
    result = re.sub(r"^(?:…[\s.:!]+)+", "", result)
    result = re.sub(r"^(?:\{path\}(?::\{number\})*:?\s+)", "", result)
    return f"{code}{': ' if code else ''}{result}"[:LONGEST] if _says_something(result) else ""


def _quoted(scope: Scope, quote: str, sent: Collection[str] | None) -> str:
    inner = quote[1:-1]
    is_own = sent is not None and all(inner.casefold() not in value.casefold() for value in sent)
    is_plain = inner.replace(" ", "").isalpha() and inner in (inner.lower(), inner.upper())  # a name has a capital
    return quote if is_own and is_plain and all(map(scope.may_quote, inner.split())) else "{text}"


def _says_something(text: str) -> bool:
    """Return whether a template has at least as many words as gaps."""
    plain_text = re.sub(r"\{\w+\}|…", " ", text)
    words = re.findall(r"[^\W\d_]{2,}", plain_text)
    is_telling = bool(_HAN.search(plain_text)) or any(len(word) > 2 for word in words)
    return is_telling and len(words) >= text.count("…")


def _shown(scope: Scope, piece: str) -> str:
    if piece.startswith("{") and piece.endswith("}"):
        return piece
    if not piece[0].isalpha():
        return "…" if re.search(r"[\d@*•█]", piece) else piece
    if "_" in piece:
        is_code = all(map(scope.may_quote, piece.split("_")))
        return piece if is_code or scope.may_name(piece) else "{id}"
    return piece if scope.may_quote(piece) else "…"


VERSION, DATE = "{version}", "{date}"
_VERSION = re.compile(r"(?<![\d.])\d{1,4}\.\d{1,2}\.\d{1,3}(?!\d|\.\d)")
_DATE = re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])")
_MARK = re.compile(r"\{(?:version|date)\}")


def marked(run: Run, text: str) -> str:
    """Return a text with marks for dates, and for the version that the request names, else for the only one in it."""
    text_with_dates = _DATE.sub(DATE, text)
    request_versions, text_versions = versions(run.opening), set(_VERSION.findall(text_with_dates))
    version = request_versions if len(request_versions) == 1 else request_versions & text_versions or text_versions
    if len(version) != 1:
        return text_with_dates
    return re.sub(rf"(?<![\d.]){re.escape(version.pop())}(?!\d|\.\d)", VERSION, text_with_dates)


def holds_mark(text: str) -> bool:
    return bool(_MARK.search(text))


def may_be_told(scope: Scope, text: str) -> bool:
    """Return whether a text with marks may stand in a skill: it names nobody."""
    plain_text = _MARK.sub(" ", text)
    if not text.strip():
        return False
    words = re.findall(r"[^\W\d_]+", plain_text.lower())
    return (
        (not plain_text.strip() or safe(plain_text))
        and not names_somebody(plain_text)
        and not scope.names.intersection(words)
    )
