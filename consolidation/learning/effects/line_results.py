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


def printed(call: Call, line: str) -> Mapping[str, Any]:
    """Return command kind -> the last document that it printed; empty unless each of the line's commands on resources
    printed one. Other commands may print text."""
    called = [kind for kind, _, _ in forms.spelled(line) if is_of_resource(kind)]
    documents = list(_documents(answer(call)[1]))
    return dict(zip(called, documents, strict=True)) if len(called) == len(documents) else {}


def _documents(text: str) -> Iterator[Any]:
    """Yield the objects and lists that begin with a line."""
    start = 0
    while begins := _BEGINS.search(text, start):
        try:
            document, start = _DECODER.raw_decode(text, begins.start())
            yield document
        except (ValueError, RecursionError):
            start = begins.end()
