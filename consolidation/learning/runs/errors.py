"""Detection of failed tool results and their error message, for recordings without an explicit status."""

import re
from typing import Any

from consolidation.learning.runs.values import parsed, text_of
from memories.lexicon.tool_messages import ERRORS, FAILED, SUCCESS

_LATIN = "|".join(sorted(word for word in FAILED if re.match("[a-zé]", word) and word != "fail"))  # fail-safe is on
_HAN = "|".join(sorted(word for word in FAILED if not re.match("[a-zé]", word)))
_LEADING = re.compile(
    rf"\s*(?:\[?(?:panic|traceback|{_LATIN})\b\]?(?=\s*[:!(\]-]|\s+\w)"
    rf"|\w*(?:Error|Exception)\b\s*[:(]|{_HAN}|HTTP(?:/\d\.\d)?\s+[45]\d\d\b)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"^Traceback \(most recent call last\)|^(?:--- )?FAIL\b|^\w*(?:Error|Exception): "
    r"|\b(?:exit(?:ed)?(?: with)?(?: code| status)|returncode|exit_code)[\s:=]+(?:-?[1-9]\d*)\b|: command not found$",
    re.MULTILINE,
)
_INNOCENT = re.compile(
    r"\s*(?:errors?|failures?|failed)\s*[:=]?\s*(?:0\b|none\b|\[\])|\s*(?:0|no) errors?", re.IGNORECASE
)
_PLACED = re.compile(r"[^\s:]+:\d+(?::\d+)?:? \S")
_EXIT = re.compile(r"\b(?:exit(?:ed)?(?: with)?(?: code| status)|returncode|exit_code)\b", re.IGNORECASE)
MOST_LINES = 200
_TAGGED = re.compile(r"\s*<(return_?code|exit_?code|exit_?status)>\s*(-?\d+)\s*</\1>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z_]{2,20}>")
_CODES = ("exit_code", "exitcode", "returncode", "exit_status", "exitCode", "returnCode")
_HTTP_STATUS = ("status", "status_code", "statusCode", "http_status", "httpStatus")
_FIELDS = sorted(ERRORS)
_TELLING = (
    "error", "errors", "message", *_FIELDS, "stderr", "detail", "content", "output", "stdout", "text", "body",
)  # fmt: skip


def looks_failed(result: Any) -> bool:
    """Return whether a result is an error: a leading "Error", an error field, a traceback, a non-zero exit code."""
    if isinstance(result, dict):
        return _says_failed(result)
    if not isinstance(result, str):
        return False
    text = result[:4_000]
    if match := _TAGGED.match(text):  # the exit code decides, whatever words the output holds
        return int(match[2]) != 0
    if _INNOCENT.match(text):
        return False
    return bool(_LEADING.match(text) or _ANYWHERE.search(text))


def _says_failed(result: dict[str, Any]) -> bool:
    if any(result.get(key) for key in ("isError", "is_error", *_FIELDS)):
        return True
    if any(result.get(key) is False for key in SUCCESS):
        return True
    if str(result.get("status", "")).lower() in FAILED or any(map(_is_refusal, map(result.get, _HTTP_STATUS))):
        return True
    if exit_code(result):
        return True
    content = result.get("content", result.get("output"))
    return isinstance(content, str) and bool(_LEADING.match(content[:400])) and not _INNOCENT.match(content[:400])


def _is_refusal(status: Any) -> bool:
    """Return whether this is an HTTP status of 400 to 599."""
    return bool(re.fullmatch(r"[45]\d\d", str(status))) and not isinstance(status, float)


def exit_code(result: dict[str, Any]) -> int | None:
    """Return the exit code in a command's result, or in its `metadata` (Codex, opencode); None for none."""
    metadata = result.get("metadata")
    codes = [result.get(key) for key in _CODES]
    if isinstance(metadata, dict):
        codes += [metadata.get(key) for key in (*_CODES, "exit")]
    return next((code for code in codes if isinstance(code, int)), None)


def message(result: Any) -> str:
    """Return the most informative line of an error result; '' for none.

    The error field of an object, a traceback's last line, else the line ranked best by `_vague`.
    """
    if isinstance(result, dict):
        for key in (
            "error",
            "errors",
            "message",
            *_FIELDS,
            "stderr",
            "detail",
            "content",
            "output",
            "stdout",
            "text",
            "body",
        ):
            if result.get(key) and result[key] is not True:
                inner = parsed(result[key])
                return message(inner.get("message", inner) if isinstance(inner, dict) else inner)
        return ""
    if isinstance(result, list):
        return message(result[0]) if result else ""
    text = text_of(result)
    if _TAGGED.match(text):
        text = _TAG.sub("\n", _TAGGED.sub("", text, count=1))
    lines = [line.strip() for line in text.splitlines() if any(c.isalpha() for c in line)]
    if not lines:
        return ""
    if any(line.startswith("Traceback (most recent") for line in lines):
        return lines[-1]
    return min(lines[:MOST_LINES], key=_vague)


def _vague(line: str) -> int:
    """Sort key of a line, 1 to 4: a stated error or file position first, a mere exit code last."""
    if _EXIT.search(line):
        return 4
    if _LEADING.match(line) or _PLACED.match(line):
        return 1
    return 2 if _ANYWHERE.search(line) else 3
