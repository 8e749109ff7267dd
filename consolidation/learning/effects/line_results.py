"""Results of single commands of a line, where client programs of services print JSON documents."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from consolidation.learning.commands import forms
from consolidation.learning.commands.resources import is_of_resource
from consolidation.learning.effects.command_starts import answer
from consolidation.learning.runs.run import Call

_DECODER = json.JSONDecoder()
_BEGINS = re.compile(r"^[\[{]", re.MULTILINE)


def documents(call: Call, line: str) -> Mapping[str, tuple[Any, bool | None]]:
    """Return command kind -> the last document that it printed, and whether it went well: None, its document tells;
    False for the last command of a line that failed.

    Empty unless each of the line's commands on resources printed a document. Other commands may print text.
    """
    called = [kind for kind, _, _ in forms.spelled(line) if is_of_resource(kind)]
    shown = list(_documents(answer(call)[1]))
    if len(called) != len(shown):
        return {}
    ends = [None] * (len(called) - 1) + [False if call.failed else None]
    return dict(zip(called, zip(shown, ends, strict=True), strict=True)) if called else {}


def _documents(text: str) -> Iterator[Any]:
    """Yield the objects and lists that begin with a line."""
    start = 0
    while begins := _BEGINS.search(text, start):
        try:
            document, start = _DECODER.raw_decode(text, begins.start())
            yield document
        except (ValueError, RecursionError):
            start = begins.end()
