"""Results of single commands of a line, where client programs of services and requests print JSON documents."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consolidation.learning.commands import forms, requests
from consolidation.learning.effects.command_starts import MOST_TEXT, answer
from consolidation.learning.effects.toolnames import name_reads
from consolidation.learning.runs import errors
from consolidation.learning.runs.run import Call

_DECODER = json.JSONDecoder()
_BEGINS = re.compile(r"^[\[{]", re.MULTILINE)
_HERE = re.compile(r"[\[{]")  # behind another one, say
_HEADERS = re.compile(r"HTTP/[\d.]+ (?!1|30)(\d{3})\b[^\n]*\n(?:[\w-]+:[^\n]*\n)*\n?")
_BAD = 400
_REPORTED = {"stdout", "output"}
Result = tuple[Any, bool]


def documents(call: Call, line: str) -> Mapping[str, Result]:
    """Return command kind -> the last document that it printed, and whether it went well: as its HTTP status says, else
    the document; not the last command of a line that failed.

    Empty unless each of the line's commands of services printed a document. Other commands may print text.
    """
    called = [
        (kind, requests.output_of(words)) for kind, _, words in forms.spelled(line) if requests.is_of_service(kind)
    ]
    results = list(_results(_printed(call), called)) if called else []
    if len(results) != len(called) + 1:
        return {}
    results.pop()
    if answer(call)[0]:
        results[-1] = (results[-1][0], False)
    return dict(zip((kind for kind, _ in called), results, strict=True))


def _printed(call: Call) -> str:
    """Return what a line printed, also where that is one document and so is parsed like the report of a harness."""
    returned = call.returned
    is_report = isinstance(returned, dict) and (errors.exit_code(returned) is not None or _REPORTED & returned.keys())
    return (
        call.result
        if isinstance(call.result, str) and not is_report and len(call.result) <= MOST_TEXT
        else answer(call)[1]
    )


def _results(text: str, called: Sequence[tuple[str, requests.Output]]) -> Iterator[Result]:
    """Yield the result of each command, as far as all of them are shown; and one more where nothing else is."""
    at = 0
    for kind, output in called:
        document, status, at = _result(text, at, output)
        if at < 0:
            return
        yield document, status < _BAD if status else not _is_refusal(kind, document)
    if _document(text, at)[1] < 0:
        yield None, True


def _result(text: str, at: int, output: requests.Output) -> tuple[Any, int, int]:
    """Return the document and HTTP status, 0 for none, that are shown behind a place, and their end; -1 for no such."""
    document, status = None, 0
    if output.headers:
        status, at = _status(_HEADERS, text, at)
    if not output.hides and at >= 0:
        document, at = _document(text, at)
    if output.code and at >= 0:
        status, at = _status(re.compile(output.code), text, at)
    return document, status, at


def _status(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    told = pattern.search(text, at)
    return (int(told[1]), told.end()) if told else (0, -1)


def _document(text: str, at: int) -> tuple[Any, int]:
    """Return the next object or list that begins here or with a line, and its end; -1 for none."""
    begins = _HERE.match(text, at) or _BEGINS.search(text, at)
    while begins:
        try:
            return _DECODER.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            begins = _BEGINS.search(text, begins.end())
    return None, -1


def _is_refusal(kind: str, document: Any) -> bool:
    """Return whether a document says that a command was refused; a record that was looked up may have an error, too."""
    if not isinstance(document, dict) or ("id" in document and name_reads(kind)):
        return False
    return errors.looks_failed(document) or document.keys() == {"detail"}
