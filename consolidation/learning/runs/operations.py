"""Calls of general tools as operations: HTTP requests, SQL, GraphQL, actions, other tools.

    http_request(method=PATCH, url=https://a.example/v2/devices/lap-7?dry=1, body={...})
        -> `PATCH a.example/v2/devices/{device}`, arguments {url: {device: lap-7, dry: 1}, body: {...}}
    run_sql(query=UPDATE shop.orders SET ...)  -> `UPDATE shop.orders`
    graphql(query=mutation { cancelOrder(...) })  -> `mutation cancelOrder`
    jira(action=create_issue, summary=...)  -> `jira.create_issue`, arguments {summary: ...}
    use_mcp_tool(tool_name=get_order, arguments={...})  -> `get_order`

A look-up and a change through one tool are thereby two operations, each learned with its own arguments.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from consolidation.learning.runs import harness_tools
from consolidation.learning.runs.values import parse_json
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.tool_words import CHANGING, READING

ID_START = "{"  # begins what stands for an id in an address
NAME = "{name}"  # stands for a person in the name of a sheet, file or button
PRESS = "press"  # a button of a page: `press Book refund`
WRITE_SHEET, READ_SHEET = "write sheet", "read sheet"  # of a workbook: `write sheet Prices of prices.xlsx`
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_METHOD_NAMES = ("method", "http_method", "verb")
_TOOL_NAMES, _TOOL_ARGUMENTS = ("tool_name", "tool", "tool_slug"), ("arguments", "args", "tool_input", "parameters")
_STATEMENTS, _ACTIONS = ("sql", "statement", "sql_query", "query"), ("action", "operation")
KEYS = (*_METHOD_NAMES, *_TOOL_NAMES, *_STATEMENTS, *_ACTIONS, *harness_tools.CODES, "cell_index", "url")
LONGEST = 120  # of a name
LONGEST_TEXT = 5_000
_VERBS = {
    "GET": "get", "HEAD": "get", "OPTIONS": "get", "POST": "create", "PUT": "update", "PATCH": "update",
    "DELETE": "delete", "SELECT": "get", "SHOW": "get", "INSERT": "insert", "UPDATE": "update", "REPLACE": "insert",
    "MERGE": "update", "TRUNCATE": "delete", "CREATE": "create", "ALTER": "update", "DROP": "delete", "query": "get",
}  # fmt: skip
_ADDRESSES = ("url", "uri", "endpoint", "path")
_HEADERS = frozenset({"headers", "http_headers"})
_NAMED_METHOD = re.compile(r"(?:^|[_.-])(?:http|https|requests?|rest|api|web)[_.-](get|post|put|patch|delete)$", re.I)
_VERSION = re.compile(r"v\d+(?:\.\d+)*(?:(?:alpha|beta)\d*)?", re.IGNORECASE)
_ID = re.compile(r".*\d.*\d.*|\d|.*[-_]\d|.*[@%].*|.{40,}")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*[A-Za-z]")
_COLLECTION_PARTS = frozenset({"all", "bulk", "batch", "current", "latest", "me", "new", "self", "status", "summary"})
_TOOL = re.compile(r"\w[\w.:/-]{1,99}")
_ACTION = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+){0,5}")
_DATABASE = re.compile(r"sql|database|(?:^|[_.-])(?:db|query)(?:$|[_.-])|bigquery|postgres|snowflake|warehouse", re.I)
_GRAPHQL = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:(mutation|query)\b[^{]*)?\{\s*(?:\w+\s*:\s*)?(\w+)")


class Operation(NamedTuple):
    """The name that replaces the tool's, and the arguments without those that the name is made of."""

    name: str
    arguments: dict[str, Any]


def of(tool: str, arguments: Mapping[str, Any]) -> Operation | None:
    """Return the operation that the arguments name; None where they name none, and for command lines."""
    if not tool or "command" in arguments or "cmd" in arguments:
        return None
    operation = (
        _called_tool(arguments) or _request(tool, arguments) or _statement(tool, arguments) or _action(tool, arguments)
    )
    return Operation(operation.name[:LONGEST], operation.arguments) if operation else None


def does_many(tool: str, args: Any) -> bool:
    """Return whether the recorded arguments of a call name an operation."""
    arguments = parse_json(args)
    return isinstance(arguments, dict) and of(tool.strip(), arguments) is not None


def is_button(operation: str) -> bool:
    """Return whether this is a button of a page that a browser presses."""
    return operation.startswith(f"{PRESS} ")


def is_sheet(operation: str) -> bool:
    """Return whether this writes rows of a sheet of a workbook."""
    return operation.startswith(f"{WRITE_SHEET} ")


def address(operation: str) -> str:
    """Return the button or sheet of an operation, without `press`, `write sheet` or `read sheet`; other names as is."""
    return re.sub(rf"^(?:{PRESS}|{WRITE_SHEET}|{READ_SHEET}) ", "", operation)


def sheet_title(operation: str) -> str:
    """Return the title of the sheet that is written or read."""
    return address(operation).rpartition(" of ")[0]


def workbook(operation: str) -> str:
    """Return the workbook of the sheet that is written; '' for none, and for one whose name differs from run to run."""
    book = address(operation).rpartition(" of ")[2] if is_sheet(operation) else ""
    return "" if ID_START in book else book


def is_form(operation: str) -> bool:
    """Return whether fields are filled in for it: of a page's form, or of a row of a sheet."""
    return is_button(operation) or is_sheet(operation)


def tool_name(operation: str) -> str:
    """Return the words of an operation as a tool name: `update_device` of `PATCH x/devices/{device}`; '' for tools."""
    verb, _, rest = operation.partition(" ")
    if verb == "mutation":
        return rest
    if verb == PRESS:
        return "_".join(rest.replace(NAME, "").lower().split()) or PRESS
    if operation.startswith((f"{WRITE_SHEET} ", f"{READ_SHEET} ")):
        words = re.findall(r"[^\W_]+", sheet_title(operation).replace(NAME, ""))
        return "_".join(["get" if verb == "read" else "update", *(words or ["sheet"])])
    if verb not in _VERBS:
        return ""
    if verb in METHODS:
        return _of_resource(verb, rest)
    return f"{_VERBS[verb]}_{rest.rsplit('.', 1)[-1]}" if rest else "get_rows"


def search_text(operation: str) -> str:
    """Return a text that the recorded arguments of every call of an operation contain, to search for these calls."""
    if not tool_name(operation):
        return operation.rpartition(".")[2]
    rest = operation.partition(" ")[2]
    return rest.partition("{")[0].rstrip("/") or rest


def _called_tool(arguments: Mapping[str, Any]) -> Operation | None:
    """Return the tool that a tool calls: `use_mcp_tool(tool_name=..., arguments=...)` and its like."""
    name = next((arguments[key] for key in _TOOL_NAMES if key in arguments), None)
    tool_arguments = next((parse_json(arguments[key]) for key in _TOOL_ARGUMENTS if key in arguments), None)
    is_call = isinstance(name, str) and _TOOL.fullmatch(name) and isinstance(tool_arguments, dict)
    return (
        Operation(str(name), {str(key): value for key, value in tool_arguments.items()})
        if is_call and tool_arguments
        else None
    )


def _request(tool: str, arguments: Mapping[str, Any]) -> Operation | None:
    method_in_name = _NAMED_METHOD.search(tool)
    method_key = next((key for key in _METHOD_NAMES if key in arguments), "")
    method = str(arguments.get(method_key) or (method_in_name[1] if method_in_name else "")).upper()
    key = next((key for key in _ADDRESSES if isinstance(arguments.get(key), str)), "")
    if method not in METHODS or not key:
        return None
    rest = {name: parse_json(value) for name, value in arguments.items() if name not in {*_HEADERS, key, method_key}}
    body = next((value for value in rest.values() if isinstance(value, dict) and "query" in value), None)
    if arguments[key].rstrip("/").endswith("graphql") and body and (graphql := _graphql(body)):
        return Operation(graphql.name, rest)
    try:
        address = urlsplit(arguments[key].strip()[:LONGEST_TEXT])
        host = address.hostname or ""
    except ValueError:  # an open bracket in the host, say
        return None
    path, ids = _path(address.path)
    url = {**ids, **dict(parse_qsl(address.query))}
    return Operation(f"{method} {host}{path}", {**({key: url} if url else {}), **rest})


def _path(path: str) -> tuple[str, dict[str, str]]:
    """Return a path with its ids as `{order}`, and these ids by name."""
    parts: list[str] = []
    ids: dict[str, str] = {}
    for part in path.strip("/").split("/") if path.strip("/") else ():
        before = parts[-1] if parts and _WORD.fullmatch(parts[-1]) else ""
        if (_ID.fullmatch(part) and not _VERSION.fullmatch(part)) or _names_record(part, before):
            name = singular(before) or "id"
            name = name if name not in ids else f"{name}_{len(ids) + 1}"
            ids[name] = unquote(part)
            parts.append(f"{{{name}}}")
        else:
            parts.append(part)
    return "".join(f"/{part}" for part in parts), ids


def _names_record(part: str, before: str) -> bool:
    """Return whether a part of a path likely names one of many: users/anna, not users/search or users/roles."""
    is_word = _is_verb(part) or singular(part) != part or part.lower() in _COLLECTION_PARTS
    return singular(before) != before and not is_word


def _is_verb(part: str) -> bool:
    return re.split("[_-]", part.strip("_").lower())[0] in READING | CHANGING | OF_TOOLS


def _of_resource(method: str, address: str) -> str:
    """Return `update_device` for PATCH a.example/v2/devices/{device}; what an address ends in may be a verb itself."""
    words = [part.strip("_") for part in address.split("/")[1:] if _WORD.fullmatch(part.strip("_"))]
    if not words:
        return f"{_VERBS[method]}_{address.partition('/')[0].replace('.', '_')}"
    *parents, last = words
    if method == "POST" and _is_verb(last):
        return "_".join([last, *map(singular, parents[-1:])])  # orders/{order}/cancel
    is_single = address.endswith("}") or method == "POST"
    return f"{_VERBS[method]}_{singular(last) if is_single else last}"


def singular(word: str) -> str:
    """Return an English noun in the singular: `categories` -> category."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _statement(tool: str, arguments: Mapping[str, Any]) -> Operation | None:
    for key in _STATEMENTS:
        text = arguments.get(key)
        if not isinstance(text, str):
            continue
        if "graphql" in tool.lower() and (graphql := _graphql(arguments)):
            return graphql
        if (key == "query" and not _DATABASE.search(tool)) or not (name := name_of(text[:LONGEST_TEXT])):
            continue
        return Operation(name, dict(arguments))
    return None


def _graphql(arguments: Mapping[str, Any]) -> Operation | None:
    match = _GRAPHQL.match(str(arguments.get("query"))[:LONGEST_TEXT])
    return Operation(f"{match[1] or 'query'} {match[2]}", dict(arguments)) if match else None


def _action(tool: str, arguments: Mapping[str, Any]) -> Operation | None:
    for key in _ACTIONS:
        value = arguments.get(key)
        if isinstance(value, str) and len(value) <= 50 and _ACTION.fullmatch(value):
            rest = {name: argument for name, argument in arguments.items() if name != key}
            return Operation(f"{tool}.{value.replace('.', '_')}", rest)
    return None


_QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'", re.DOTALL)
_TABLE = r"([\w$.\"`\[\]]+)"  # a table
_CHANGES = re.compile(
    rf"\b(INSERT|REPLACE|MERGE)\s+(?:INTO|OVERWRITE)\s+(?:TABLE\s+)?{_TABLE}"
    rf"|\b(UPDATE)\s+(?:ONLY\s+)?{_TABLE}(?:\s+(?:AS\s+)?\w+)?\s+SET\b|\b(DELETE)\s+FROM\s+{_TABLE}"
    rf"|(?:^|;)\s*(TRUNCATE(?:\s+TABLE)?|(?:CREATE|ALTER|DROP)(?:\s+\w+){{0,3}}?\s+(?:TABLE|VIEW|INDEX|SCHEMA|SEQUENCE"
    rf"|DATABASE|EXTENSION|FUNCTION|ROLE|TRIGGER|TYPE|USER))\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_TABLE}"
    rf"|(?:^|;)\s*(GRANT|REVOKE)\s[\w\s,()]+?\sON\s+(?:TABLE\s+)?{_TABLE}|(?:^|;)\s*\\?(COPY)\s+{_TABLE}(?:\s*\([^)]*\))?\s+FROM\b"
    rf"|(?:^|;)\s*(VACUUM|REINDEX|REFRESH)\s(?:(?:\([^)]*\)|FULL|ANALYZE|VERBOSE|TABLE|INDEX|MATERIALIZED|VIEW"
    rf"|CONCURRENTLY)\s+)*{_TABLE}",
    re.IGNORECASE,
)
# A plan alone, or a transaction that is taken back at its end.
_CHANGES_NOTHING = re.compile(
    r"\s*EXPLAIN\b(?!\s*\(?[^;)]*\bANALY[SZ]E\b)|.*(?:^|;)\s*ROLLBACK\s*;?\s*\Z", re.IGNORECASE | re.DOTALL
)
_READS = re.compile(
    r"\s*\(*\s*(?:SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|PRAGMA|VALUES|\\?COPY(?=[^;]*\sTO\s))\b", re.IGNORECASE
)
_FROM = re.compile(rf"\bFROM\s+{_TABLE}", re.IGNORECASE)


def name_of(text: str) -> str:
    """Return the verb and the table of the first statement that changes something, else of a query; '' for no SQL."""
    plain = _QUOTED.sub(lambda literal: "''" if literal[0][0] == "'" else " ", text)
    changes_nothing = _CHANGES_NOTHING.match(plain)
    if not changes_nothing and (change := _CHANGES.search(plain)):
        verb, table = filter(None, change.groups())
        return f"{verb.split()[0].upper()} {_table_name(table)}"
    if not (_READS.match(plain) or changes_nothing):
        return ""
    source = _FROM.search(plain)
    return f"SELECT {_table_name(source[1])}" if source else "SELECT"


def _table_name(table: str) -> str:
    return re.sub(r"[\"`\[\]]", "", table).strip(".")
