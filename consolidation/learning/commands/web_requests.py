"""What a `curl` changes elsewhere: `curl -X POST https://a.example/users -d ...` is `POST a.example/users`.

Look-ups stay `curl`, and so do requests to this machine: a server that the run itself started is no place of its own.
"""

import re
from collections.abc import Sequence

from consolidation.learning.runs import operations

_SENDS = re.compile(r"-d|--data(?:-\w+)?|-F|--form(?:-string)?|--json|-T|--upload-file")
_ONLY_READS = re.compile(r"--get|--head|-[afgijkLnNsSv]*[GI][afgijkLnNsSv]*")  # or among options without a value
_METHOD_NEXT = re.compile(r"-[afgijkLnNsSv]*X")
_ADDRESS = re.compile(r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])\S+|\$\{?\w+\}?/\S+")


def changed(arguments: Sequence[str]) -> str:
    """Return the operation of a `curl` with these arguments that changes something; '' for any other."""
    address = next((word for word in arguments if _ADDRESS.fullmatch(word)), "")
    method = _method(arguments)
    made = operations.of("curl", {"method": method, "url": address}) if address and method != "GET" else None
    return made.name if made else ""


def without_query(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a `curl` without what `-G` makes a part of the address."""
    is_query = any(_ONLY_READS.fullmatch(word) for word in arguments)
    return [word for word in arguments if not (is_query and _SENDS.fullmatch(word.partition("=")[0]))]


def _method(arguments: Sequence[str]) -> str:
    """Return the method: as told, else by the options that send something."""
    for n, word in enumerate(arguments):
        if (word == "--request" or _METHOD_NEXT.fullmatch(word)) and n + 1 < len(arguments):
            return arguments[n + 1].upper()
        if told := re.fullmatch(r"(?:-[afgijkLnNsSv]*X|--request=)([A-Za-z]+)", word):
            return told[1].upper()
    if any(_ONLY_READS.fullmatch(word) for word in arguments):
        return "GET"
    sent = next((word for word in arguments if _SENDS.fullmatch(word.partition("=")[0])), "")
    return "PUT" if sent in {"-T", "--upload-file"} else "POST" if sent else "GET"
