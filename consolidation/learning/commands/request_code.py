"""Requests that Python code sends by requests, httpx, aiohttp or urllib, as the `curl` that sends the same.

u = os.environ["SHOP"]; requests.post(u + "/orders/17/hold", json={"why": reason})
    -> curl -X POST -d {"why": "$reason"} $u/orders/17/hold

Nothing is run: what a name holds is followed through assignments, loops over listed values and functions of the code;
any other value is unknown, `$` with its name.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from consolidation.learning.commands.programs import DATABASE_CLIENTS, PYTHON
from consolidation.learning.commands.requests import operation_of
from consolidation.learning.commands.shell import command_words, documents
from consolidation.learning.commands.wrappers import kind_name, program_name, without_wrappers
from consolidation.learning.runs import cells

LONGEST = 20_000
MOST_VALUES, MOST_SENT, MOST_CALLS, DEEPEST = 8, 40, 2_000, 3
_SENDS = re.compile(r"\b(?:requests|httpx|urllib|aiohttp)\b")
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head"})
_CLIENTS = frozenset({"AsyncClient", "Client", "ClientSession", "Session"})
_VALUE_KEEPING = frozenset(
    {"rstrip", "lstrip", "strip", "encode", "decode", "dumps", "str", "quote"}
)  # as told of their value
_FROM_ENVIRONMENT = frozenset({"get", "getenv"})  # `os.environ.get("URL", "http://localhost:8000")`, or of a dict
_BODIES = ("json", "data", "content")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Values = list[Any]
Names = Mapping[str, Values]
_Function = tuple[ast.arguments, Sequence[ast.AST]]


def command_words_with_requests(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield what `command_words` does, with two changes. ValueError as there.

    Python whose code sends requests elsewhere becomes the `curl` commands of these; a client of a database gets the
    statements that it reads from its input as words.
    """
    documents_of_line = documents(line)
    before: list[str] = []
    for words, target in command_words(line):
        own_words = without_wrappers(words)
        if own_words and kind_name(program_name(own_words[0])) in DATABASE_CLIENTS:
            yield [*words, *_statements(own_words, before, line, documents_of_line)], target
            continue
        before = words
        requests = (
            curls(_code_of_interpreter(own_words, documents_of_line))
            if own_words and kind_name(program_name(own_words[0])) in PYTHON
            else []
        )
        elsewhere = [request for request in requests if operation_of(request[1:])]  # not those to a server of its own
        yield from ((request, "") for request in elsewhere) if elsewhere else [(words, target)]


def _statements(
    client: Sequence[str], before: Sequence[str], line: str, documents_of_line: list[tuple[str, str]]
) -> list[str]:
    """Return the input of a database client: a here-document, removed from the list, or the words of an `echo` piped
    into it; [] for none."""
    name = re.escape(client[0])
    if document := next((entry for entry in documents_of_line if re.search(rf"(?:^|[\s/]){name}\b", entry[0])), None):
        documents_of_line.remove(document)
        return [document[1]]
    is_piped = before[:1] in (["echo"], ["printf"]) and re.search(rf"\|[^|;&\n]*(?<![\w-]){name}\b", line)
    return [" ".join(before[1:])] if is_piped else []


def _code_of_interpreter(words: Sequence[str], documents_of_line: list[tuple[str, str]]) -> str:
    """Return the code of an interpreter: after `-c`, of its input, or of the script that the line writes; '' for none.

    A here-document that is its input is removed from the list: it is read once.
    """
    if "-c" in words[:-1]:
        return words[words.index("-c") + 1]
    file = next((word for word in words[1:] if not word.startswith("-")), "")
    # The line writes the script that it runs, or gives it the code itself.
    reads = re.compile(rf">\s*['\"]?{re.escape(file)}\b" if file else rf"(?:^|[\s/]){re.escape(words[0])}\b")
    document = next((document for document in documents_of_line if reads.search(document[0])), None)
    if document and not file:
        documents_of_line.remove(document)
    return document[1] if document else ""


def curls(code: str) -> list[list[str]]:
    """Return the words of the `curl` commands that send what Python code sends, in its order; none of other code."""
    return [list(words) for words in _sent(code[:LONGEST])] if _SENDS.search(code[:LONGEST]) else []


def _sent(code: str) -> tuple[tuple[str, ...], ...]:
    tree = cells.tree_of(code)
    try:
        return tuple(dict.fromkeys(map(tuple, _Reading(tree).requests))) if tree else ()
    except RecursionError:  # nested too deep
        return ()


class _Reading:
    """The requests of a program; `clients`: the names of modules and sessions that send, with their base address."""

    def __init__(self, tree: ast.Module) -> None:
        self.requests: list[list[str]] = []
        self._calls_left = MOST_CALLS
        self._clients: dict[str, str] = {"requests": "", "httpx": ""}
        self._functions: dict[str, _Function] = {
            node.name: (node.args, node.body) for node in tree.body if isinstance(node, _DEFINITIONS)
        }
        self._block([node for node in tree.body if not isinstance(node, _DEFINITIONS)], {}, 0)

    def _block(self, nodes: Sequence[ast.AST], names: dict[str, Values], depth: int) -> None:
        for node in nodes:
            if isinstance(node, ast.For | ast.AsyncFor):
                items = [item for value in _values(node.iter, names) if isinstance(value, list) for item in value]
                self._bind(node.target, items[:MOST_VALUES], names)
                self._block(node.body, names, depth)
                continue
            for inner in _expressions(node) if not isinstance(getattr(node, "value", None), ast.Lambda) else ():
                if isinstance(inner, ast.Call) and len(self.requests) < MOST_SENT and self._calls_left:
                    self._calls_left -= 1
                    self._call(inner, names, depth)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._bind(target, _values(node.value, names), names)
                    self._open(target, node.value, names)
            for item in getattr(node, "items", ()):
                self._open(item.optional_vars, item.context_expr, names)
            self._block([*getattr(node, "body", ()), *getattr(node, "orelse", ())], names, depth)

    def _bind(self, target: ast.expr, values: Values, names: dict[str, Values]) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = values or [f"${target.id}"]
        elif isinstance(target, ast.Tuple):
            for n, part in enumerate(target.elts):
                items = [value[n] for value in values if isinstance(value, list) and n < len(value)]
                self._bind(part, items, names)

    def _open(self, target: ast.expr | None, value: ast.expr, names: Names) -> None:
        if not isinstance(target, ast.Name):
            return
        if isinstance(value, ast.Lambda):
            self._functions[target.id] = value.args, [value.body]
        if isinstance(value, ast.Call) and (client := _name(value.func)) in _CLIENTS:
            first = value.args[0] if value.args and client == "ClientSession" else None
            base = next((keyword.value for keyword in value.keywords if keyword.arg == "base_url"), first)
            self._clients[target.id] = str(_values(base, names)[0]) if base else ""

    def _call(self, call: ast.Call, names: dict[str, Values], depth: int) -> None:
        name = _name(call.func)
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if isinstance(call.func, ast.Name) and name in self._functions and depth < DEEPEST:
            self._call_function(name, call, names, depth)
        elif name == "Request" and call.args:
            method = _values(keywords.get("method"), names) or [
                "POST" if "data" in keywords or len(call.args) > 1 else "GET"
            ]
            body = {"data": call.args[1]} if len(call.args) > 1 else {}
            self._send(method, _values(call.args[0], names), {**keywords, **body}, names)
        elif isinstance(call.func, ast.Attribute) and _name(call.func.value) in self._clients and call.args:
            base = self._clients[_name(call.func.value)]
            if name == "request" and len(call.args) > 1:
                addresses = [f"{base}{address}" for address in _values(call.args[1], names)]
                self._send(_values(call.args[0], names), addresses, keywords, names)
            elif name in _METHODS:
                self._send([name], [f"{base}{address}" for address in _values(call.args[0], names)], keywords, names)

    def _call_function(self, name: str, call: ast.Call, names: Names, depth: int) -> None:
        """Read the body of a function, or the expression of a lambda, with the parameters of this call."""
        _, body = self._functions[name]
        within = {**names, **self._parameters(name, call, names)}
        self._block([ast.Expr(node) if isinstance(node, ast.expr) else node for node in body], within, depth + 1)

    def _parameters(self, name: str, call: ast.Call, names: Names) -> dict[str, Values]:
        """Return parameter -> its values in a call; keywords taken by `**` also as a dict under that name."""
        signature, _ = self._functions[name]
        parameters = [argument.arg for argument in signature.args]
        defaults = dict(zip(parameters[len(parameters) - len(signature.defaults) :], signature.defaults, strict=True))
        expressions = {**defaults, **dict(zip(parameters, call.args, strict=False))}
        expressions |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        values = {parameter: _values(value, names) for parameter, value in expressions.items()}
        keywords = {key: value[0] for key, value in values.items() if key not in parameters and value}
        return values | ({signature.kwarg.arg: [keywords]} if signature.kwarg else {})

    def _send(self, methods: Values, addresses: Values, keywords: Mapping[str, ast.expr], names: Names) -> None:
        key = next((key for key in _BODIES if key in keywords), "")
        body = (_values(keywords[key], names) if key else names.get("json", []))[:1]
        query = next((params for params in _values(keywords.get("params"), names) if isinstance(params, dict)), {})
        query_string = "?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else ""
        for method, address in product(methods[:MOST_VALUES], addresses[:MOST_VALUES]):
            body_options = ["-d", json.dumps(body[0])] if body and isinstance(body[0], dict) else []
            self.requests.append(["curl", "-X", str(method).upper(), *body_options, f"{address}{query_string}"])


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, the inner ones first, without the statements inside of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield from _expressions(child)
            yield child


def _name(node: ast.expr) -> str:
    """Return the last name of what is called: `post` of `requests.post`."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _values(node: ast.expr | None, names: Names) -> Values:
    """Return the values that an expression may have, at most MOST_VALUES; `$` and a name for an unknown one."""
    if node is None:
        return []
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.Name):
        return list(names.get(node.id) or [f"${node.id}"])
    return _of_call(node, names) if isinstance(node, ast.Call) else _composed(node, names)


def _of_call(node: ast.Call, names: Names) -> Values:
    name = _name(node.func)
    if name in _FROM_ENVIRONMENT and len(node.args) > 1:
        return _values(node.args[1], names)
    if name in _VALUE_KEEPING:
        inner = node.func.value if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value) else None
        return _values(inner or next(iter(node.args), None), names) or ["$"]
    return ["$"]


def _composed(node: ast.expr, names: Names) -> Values:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_values(node.left, names), _values(node.right, names)]
        return _concatenations(parts)
    if isinstance(node, ast.JoinedStr):
        parts = [_values(part.value if isinstance(part, ast.FormattedValue) else part, names) for part in node.values]
        return _concatenations(parts)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [{str(key.value): _values(value, names)[0] for key, value in pairs if isinstance(key, ast.Constant)}]
    if isinstance(node, ast.List | ast.Tuple):
        return [[value for part in node.elts for value in _values(part, names)[:1]]]
    if isinstance(node, ast.BoolOp):  # what it falls back on, where the first is not known
        known_values = [
            value for part in node.values for value in _values(part, names) if not str(value).startswith("$")
        ]
        return known_values[:1] or ["$"]
    return ["$"]


def _concatenations(parts: Sequence[Values]) -> Values:
    return ["".join(map(str, pair)) for pair in islice(product(*parts), MOST_VALUES)]


def _is_module(node: ast.expr) -> bool:
    """Return whether a method is a function of a module: `json.dumps(x)`, not `x.encode()`."""
    return isinstance(node, ast.Name) and node.id in {"json", "urllib", "parse"}
