"""Requests that a `curl` or `gh api` sends, as operations: `POST /api/waivers`, with the fields of their body.

    curl -X POST -d '{"room": "204"}' "$A/api/bookings/B-7/moves?dry=1"
        -> `POST /api/bookings/{booking}/moves`, arguments {booking: B-7, dry: 1, room: 204}

One to `/graphql` is named after its query: `mutation cancelOrder`, with its variables as arguments. A variable or
substitution at the beginning of an address is its host. Look-ups count only where the address is that of an API.
Requests to localhost never count: the run itself started that server.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from consolidation.learning.commands import resources
from consolidation.learning.runs import operations
from consolidation.learning.runs.values import parse_json

_HOST = re.compile(r"\$\{?\w*\}?(?=/)")
_ADDRESS = re.compile(rf"(?:https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])|{_HOST.pattern}/)\S+")
_OF_API = re.compile(rf"{_HOST.pattern}|https?://(?:api\.|[^/]+/(?:\S+/)?(?:api|rest|v\d+)(?:[/?]|$))")
_SENDS = re.compile(r"-d|--data(?:-\w+)?|-F|--form(?:-string)?|--json|-T|--upload-file")
_ONLY_READS = re.compile(r"--get|--head|-[afgijkLnNsSv]*[GI][afgijkLnNsSv]*")  # or among options without a value
_METHOD_NEXT = re.compile(r"-[afgijkLnNsSv]*X")
_BODY_OPTION = re.compile(r"(-[afgijkLnNsSv]*[dF]|--data(?:-\w+)?|--form(?:-string)?|--json)(?:=(.*))?", re.DOTALL)
_SHORT_BODY_OPTION = re.compile(r"-[afgijkLnNsSv]*[dF](?=[^-])(.+)", re.DOTALL)
_UNKNOWN = re.compile(r"\$\{?\w*\}?")  # a value that a variable or a substitution held
_LOOKS = frozenset({"GET", "HEAD", "OPTIONS", "query"})
_OF_GRAPHQL = frozenset({"query", "mutation"})
_CODE = re.compile(r"%\{(?:http_code|response_code)\}")
_VARIABLE = re.compile(r"%\{\w+\}")
_HEADERS = re.compile(r"-[afgijkLnNsSv]*i[afgijkLnNsSvX]*|--include")
_STATUS_OPTION = re.compile(r"-[afgijkLnNsSv]*w|--write-out")
_GH_OPTIONS = {  # of `gh api`, those with a value
    "-X": "method", "--method": "method", "-f": "field", "--raw-field": "field", "-F": "field", "--field": "field",
    "-H": "", "--header": "", "-q": "", "--jq": "", "-t": "", "--template": "", "--hostname": "", "--input": "",
    "-p": "", "--preview": "", "--cache": "",
}  # fmt: skip
_OF_REPOSITORY = re.compile(r"repos/[^/]+/[^/]+/(?=.)")
LEAST_USES = 2
CODE_USES = 3  # of a code of digits that all sent, an account's say
_SHORT_CODE = re.compile(r"\d{2,5}")


class Output(NamedTuple):
    """What a request prints. `headers`: they come before its document; `hides`: the document goes to a file; `code`: a
    pattern of the status behind it, '' for none."""

    headers: bool = False
    hides: bool = False
    code: str = ""


def operation_of(arguments: Sequence[str], document: str = "") -> operations.Operation | None:
    """Return the operation of a `curl` with these arguments; None where it is no request to a service elsewhere.

    `document`: the here-document of its line.
    """
    address = next((word for word in arguments if _ADDRESS.fullmatch(word)), "")
    method = _method(arguments)
    if not address or (
        method in _LOOKS and not (_OF_API.match(address) and ("/dev/null" in arguments or not _writes_file(arguments)))
    ):
        return None
    fields = _fields(arguments, document)
    operation = operations.of("curl", {"method": method, "url": _HOST.sub("", address, count=1), "body": fields})
    if not operation:
        return None
    if operation.name.partition(" ")[0] in _OF_GRAPHQL:
        variables = parse_json(fields.get("variables"))
        fields = variables if isinstance(variables, dict) else {}
    url = {key: value for key, value in operation.arguments.get("url", {}).items() if not _is_unknown(value)}
    return operations.Operation(operation.name, url | {key: _known_value(value) for key, value in fields.items()})


def curl_words(words: Sequence[str]) -> Sequence[str] | None:
    """Return the arguments of a `curl` that sends what `curl ...` or `gh api ...` sends; None for other words."""
    program, *rest = words or [""]
    if program == "gh" and rest[:1] == ["api"]:
        return _as_curl(rest[1:])
    return rest if program == "curl" else None


def _as_curl(arguments: Sequence[str]) -> list[str]:
    """Return `gh api repos/o/r/issues -f title=x` as `curl -d '{"title": "x"}' https://api.github.com/issues`.

    The repository is left out: it is mostly the one in which the command is called.
    """
    path, rest = "", iter(arguments)
    method: list[str] = []
    fields: dict[str, Any] = {}
    for word in rest:
        option, _, attached = word.partition("=") if word.startswith("--") else (word, "", "")
        if option in _GH_OPTIONS:
            value = attached or next(rest, "")
            name, _, field_value = value.partition("=")
            method = ["-X", value] if _GH_OPTIONS[option] == "method" else method
            fields |= {name: field_value} if _GH_OPTIONS[option] == "field" else {}
        elif not word.startswith("-"):
            path = path or _OF_REPOSITORY.sub("", word.strip("/").partition("?")[0])
    query = fields.pop("query", None) if path == "graphql" else None
    body = fields if query is None else {"query": query, "variables": fields}
    address = path if "://" in path else f"https://api.github.com/{path}"
    return [*method, *(["-d", json.dumps(body)] if body else []), address] if path else []


def is_request(kind: str) -> bool:
    """Return whether a command kind is a request: `DELETE a.example/orders`, not the statement `DELETE orders`."""
    method, _, address = kind.partition(" ")
    if method in _OF_GRAPHQL:
        return address.isidentifier()
    return method in operations.METHODS and ("/" in address or method != "DELETE")


def is_of_service(kind: str) -> bool:
    """Return whether a command kind is a request, or a command of a client program: of a service in both cases."""
    return is_request(kind) or resources.is_of_resource(kind)


def reads(kind: str) -> bool:
    """Return whether a command kind is a request that only looks something up."""
    return kind.partition(" ")[0] in _LOOKS


def arguments(commands: Iterable[tuple[str, str, Sequence[str]]], document: str) -> dict[str, dict[str, Any]]:
    """Return kind -> the arguments of its last command or request, of (kind, form, words) of the commands of a line.

    `document`: its here-document.
    """
    commands = list(commands)
    curl_calls = [(kind, curl_words(words)) for kind, _, words in commands if is_request(kind)]
    requests = [(kind, operation_of(words, document)) for kind, words in curl_calls if words]
    return resources.arguments(commands) | {kind: request.arguments for kind, request in requests if request}


def output_of(words: Sequence[str]) -> Output:
    """Return what a `curl` of these words prints."""
    status_format = next((after for word, after in pairwise(words) if _STATUS_OPTION.fullmatch(word)), "")
    code = (
        _CODE.sub("@", status_format.replace("\\n", "\n").replace("\\t", "\t")) if _CODE.search(status_format) else ""
    )
    pattern = re.escape(_VARIABLE.sub("#", code).strip()).replace("@", r"(\d{3})", 1).replace(r"\#", r"\S*")
    return Output(any(map(_HEADERS.fullmatch, words)), _writes_file(words), pattern)


def usual_request(kind: str, uses: Sequence[Mapping[str, Any]], may_name: Callable[[str], bool]) -> str:
    """Return how a request is sent, from the arguments of one use in each run: `POST /api/holds {"room": {room}}`.

    As `resources.usual_call` does: what only some runs sent stands in brackets.
    """
    if len(uses) < LEAST_USES:
        return ""
    names = [name for name in dict.fromkeys(name for use in uses for name in use) if f"{{{name}}}" not in kind]
    parts: list[str] = []
    for name in names:
        value = _value(name, [use[name] for use in uses if name in use], may_name)
        part = f"{name}={value.strip(chr(34))}" if reads(kind) else f'"{name}": {value}'
        parts.append(part if all(name in use for use in uses) else f"[{part}]")
    if not parts:
        return kind
    return f"{kind}?{'&'.join(parts)}" if reads(kind) else f"{kind} {{{', '.join(parts)}}}"


def _value(name: str, values: Sequence[Any], may_name: Callable[[str], bool]) -> str:
    first = values[0]
    is_code = isinstance(first, str) and len(values) >= CODE_USES and bool(_SHORT_CODE.fullmatch(first))
    is_plain = (
        isinstance(first, bool) or is_code or (isinstance(first, str) and resources.may_tell(name, first, may_name))
    )
    return json.dumps(first) if is_plain and all(value == first for value in values) else f"{{{name}}}"


def without_query(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a `curl` without what `-G` makes a part of the address."""
    is_query = any(_ONLY_READS.fullmatch(word) for word in arguments)
    return [word for word in arguments if not (is_query and _SENDS.fullmatch(word.partition("=")[0]))]


def _method(arguments: Sequence[str]) -> str:
    """Return the method: of the options for it, else as the options for a body imply."""
    for n, word in enumerate(arguments):
        if (word == "--request" or _METHOD_NEXT.fullmatch(word)) and n + 1 < len(arguments):
            return arguments[n + 1].upper()
        if option_and_method := re.fullmatch(r"(?:-[afgijkLnNsSv]*X|--request=)([A-Za-z]+)", word):
            return option_and_method[1].upper()
    if any(_ONLY_READS.fullmatch(word) for word in arguments):
        return "GET"
    option = next((word for word in arguments if _SENDS.fullmatch(word.partition("=")[0])), "")
    return "PUT" if option in {"-T", "--upload-file"} else "POST" if option else "GET"


def _writes_file(words: Sequence[str]) -> bool:
    return any(re.fullmatch(r"-[afgijkLnNsSv]*[oO]\S*|--output(?:=.*)?|--remote-name", word) for word in words)


def _fields(arguments: Sequence[str], document: str) -> dict[str, Any]:
    """Return the fields of the body, a JSON object or a form, with those that `-G` makes a part of the address."""
    fields: dict[str, Any] = {}
    for text in _body_texts(arguments):
        body = parse_json(document if text in {"@-", "$"} else text)
        if isinstance(body, dict):
            fields |= {str(key): value for key, value in body.items()}
        elif isinstance(body, str) and not body.startswith("@"):
            fields |= parse_qsl(body)
    return fields


def _body_texts(arguments: Sequence[str]) -> Iterator[str]:
    for n, word in enumerate(arguments):
        if option := _BODY_OPTION.fullmatch(word):
            yield option[2] if option[2] is not None else next(iter(arguments[n + 1 : n + 2]), "")
        elif not word.startswith("--") and (short_option := _SHORT_BODY_OPTION.fullmatch(word)):
            yield short_option[1]


def _known_value(value: Any) -> Any:
    """Return a value of the request; None for a variable or a substitution."""
    return None if _is_unknown(value) else value


def _is_unknown(value: Any) -> bool:
    return isinstance(value, str) and bool(_UNKNOWN.fullmatch(value))
