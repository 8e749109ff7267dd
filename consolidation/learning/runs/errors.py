"""Detection of failed tool results and their error message, for recordings without an explicit status."""

import re
from http import HTTPStatus
from typing import Any

from consolidation.learning.runs.values import parse_json, text_of
from memories.lexicon.tool_words import ERRORS, FAILED, SUCCESS

_LATIN = "|".join(sorted(word for word in FAILED if re.match("[a-zé]", word) and word != "fail"))  # fail-safe is on
_HAN = "|".join(sorted(word for word in FAILED if not re.match("[a-zé]", word)))
_REASONS = "|".join(status.phrase for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST)
_LEADING = re.compile(
    rf"\s*(?:\[?(?:panic|traceback|{_LATIN})\b\]?(?=\s*[:!(\]-]|\s+\w)"
    rf"|\w*(?:Error|Exception)\b\s*[:(]|{_HAN}|❌|[\w.-]+: (?:fatal )?error:"
    rf"|Exit code [1-9]\d*\s"  # as Claude Code begins
    rf"|HTTP(?:/\d(?:\.\d)?)?(?: error)?\s+[45]\d\d\b|status(?: code)?\s*[:=]\s*[45]\d\d\b|[45]\d\d (?:{_REASONS})\b)",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"^Traceback \(most recent call last\)|^(?:--- )?FAIL\b|^\w*(?:Error|Exception): "
    r"|\b(?:exit(?:ed)?(?: with)?(?: code| status)|returncode|exit_code)[\s:=]+(?:-?[1-9]\d*)\b|: command not found$"
    r"|^(?:psql:\S+:\d+: )?(?:ERROR|FATAL):  \S|^\S+ +: ok=\d+ .*\b(?:unreachable|failed)=[1-9]",
    re.MULTILINE,
)
_NO_ERROR = re.compile(
    r"\s*(?:errors?|failures?|failed)\s*[:=]?\s*(?:0\b|none\b|\[\])|\s*(?:0|no) errors?", re.IGNORECASE
)
_POSITION = re.compile(r"[^\s:]+:\d+(?::\d+)?:? \S")
_EXIT = re.compile(r"\b(?:exit(?:ed)?(?: with)?(?: code| status)|returncode|exit_code)\b", re.IGNORECASE)
_PYTEST_MARK = re.compile(r"E {3,}(?=\S)")
_AS_CODE = re.compile(r"[A-Za-z]+(?:[_.-]?[A-Za-z0-9]+)*")
_WORD_FIELDS = ("message", "detail", "description", "error_description")
MOST_LINES = 200
MOST_WRAPPED = 4
_EXIT_TAG = re.compile(r"\s*<(return_?code|exit_?code|exit_?status)>\s*(-?\d+)\s*</\1>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z_]{2,20}>")
# How Gemini CLI answers a command: after the output what is left out where it is nothing, and without a code for 0.
_REPORT = re.compile(
    r"(?:\ACommand: .*?\nDirectory: [^\n]*\n|\A)(?:Output|Stdout): (?P<output>.*?)(?:\nStderr: \(empty\))?"
    r"(?:\nError: (?P<error>[^\n]*))?(?:\nExit Code: (?P<code>-?\d+|\(none\)))?(?:\nSignal: [^\n]*)?"
    r"(?:\nBackground PIDs: [^\n]*)?(?P<group>\nProcess Group PGID: \S+)?\s*\Z",
    re.DOTALL,
)
_EXIT_CODE_FIELDS = ("exit_code", "exitcode", "returncode", "exit_status", "exitCode", "returnCode")
_HTTP_STATUS = ("status", "status_code", "statusCode", "http_status", "httpStatus")
_ERROR_FIELDS = sorted(ERRORS)
_MESSAGE_FIELDS = (
    "error", "errors", "message", *_ERROR_FIELDS, "stderr", "detail", "content", "output", "stdout", "text",
    "body",
)  # fmt: skip


def looks_failed(result: Any) -> bool:
    """Return whether a result is an error: a leading "Error", an error field, a traceback, a non-zero exit code."""
    if isinstance(result, dict):
        return _says_failed(result)
    if not isinstance(result, str):
        return False
    text = result[:4_000]
    if match := _EXIT_TAG.match(text):  # the exit code decides, whatever words the output holds
        return int(match[2]) != 0
    if _NO_ERROR.match(text):
        return False
    return bool(_LEADING.match(text) or _ANYWHERE.search(text))


def _says_failed(result: dict[str, Any]) -> bool:
    fields = {str(key).lower(): value for key, value in result.items()}
    if any(fields.get(key) for key in ("iserror", "is_error", *_ERROR_FIELDS)) or _holds_error(result):
        return True
    if any(fields.get(key) is False for key in SUCCESS):
        return True
    if str(fields.get("status", "")).lower() in FAILED or any(map(_is_refusal, map(result.get, _HTTP_STATUS))):
        return True
    if exit_code(result):
        return True
    content = result.get("content", result.get("output"))
    return isinstance(content, str) and bool(_LEADING.match(content[:400])) and not _NO_ERROR.match(content[:400])


def _holds_error(result: dict[str, Any]) -> bool:
    """Return whether an object that is wrapped in others has an error."""
    inner = _unwrapped(result)
    return inner is not result and any(str(key).lower() in ERRORS and value for key, value in inner.items())


def _unwrapped(result: dict[str, Any]) -> dict[str, Any]:
    """Return the object inside objects that hold nothing else, none of which is called an error."""
    for _ in range(MOST_WRAPPED):
        ((name, inner),) = result.items() if len(result) == 1 else (("", None),)
        if not isinstance(inner, dict) or str(name).lower() in ERRORS:
            break
        result = inner
    return result


def _is_refusal(status: Any) -> bool:
    """Return whether this is an HTTP status of 400 to 599."""
    return bool(re.fullmatch(r"[45]\d\d", str(status))) and not isinstance(status, float)


def parse_report(result: Any) -> Any:
    """Return what a report in words says of a command, as an object with its output and exit code; else the result."""
    report = _REPORT.match(result) if isinstance(result, str) and result.startswith(("Command: ", "Output: ")) else None
    if not report or not (report["code"] or report["group"]):
        return result
    default_code = -1 if (report["error"] or "(none)") != "(none)" else 0
    code = int(report["code"]) if (report["code"] or "(").strip("-").isdigit() else default_code
    return {"output": report["output"] if report["output"] != "(empty)" else "", "exit_code": code}


def exit_code(result: dict[str, Any]) -> int | None:
    """Return the exit code in a command's result, or in its `metadata` (Codex, opencode); None for none."""
    metadata = result.get("metadata")
    codes = [result.get(key) for key in _EXIT_CODE_FIELDS]
    if isinstance(metadata, dict):
        codes += [metadata.get(key) for key in (*_EXIT_CODE_FIELDS, "exit")]
    return next((code for code in codes if isinstance(code, int)), None)


def message(result: Any) -> str:
    """Return the most informative line of an error result; '' for none.

    The error field of an object, a traceback's last line, what pytest marks, else the line ranked best by `_vague`.
    """
    if isinstance(result, dict):
        result = _unwrapped(result)
        fields = {str(key).lower(): value for key, value in result.items()}
        inner = parse_json(
            next((fields[key] for key in _MESSAGE_FIELDS if fields.get(key) and fields[key] is not True), "")
        )
        error = message(inner.get("message", inner) if isinstance(inner, dict) else inner)
        details = inner if isinstance(inner, dict) else fields
        return _with_words(error, details)
    if isinstance(result, list):
        return message(result[0]) if result else ""
    text = text_of(result)
    if _EXIT_TAG.match(text):
        text = _TAG.sub("\n", _EXIT_TAG.sub("", text, count=1))
    lines = [line.strip() for line in text.splitlines() if any(c.isalpha() for c in line)]
    if not lines:
        return ""
    if any(line.startswith("Traceback (most recent") for line in lines):
        return lines[-1]
    if pytest_lines := [line for line in lines if _PYTEST_MARK.match(line)]:
        return _PYTEST_MARK.sub("", pytest_lines[0])
    return min(lines[:MOST_LINES], key=_vague)


def _with_words(code: str, fields: dict[str, Any]) -> str:
    """Return an error that is told as a code with the words about it: `fee_open: the fee is open`."""
    words = next((value for key in _WORD_FIELDS if isinstance(value := fields.get(key), str) and " " in value), "")
    return f"{code}: {words.splitlines()[0]}" if words and _AS_CODE.fullmatch(code) else code


def _vague(line: str) -> int:
    """Sort key of a line, 1 to 4: a stated error or file position first, a mere exit code last."""
    if _EXIT.search(line):
        return 4
    if _LEADING.match(line) or _POSITION.match(line):
        return 1
    return 2 if _ANYWHERE.search(line) else 3
