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
from functools import lru_cache
from itertools import islice, product
from typing import Any

from consolidation.learning.commands.programs import DATABASE_CLIENTS, PYTHON
from consolidation.learning.commands.requests import operation_of
from consolidation.learning.commands.shell import command_words, documents
from consolidation.learning.commands.wrappers import bare, kind_name, program_name
from consolidation.learning.runs import cells

LONGEST = 20_000
MOST_VALUES, MOST_SENT, MOST_CALLS, DEEPEST = 8, 40, 2_000, 3
_SENDS = re.compile(r"\b(?:requests|httpx|urllib|aiohttp)\b")
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head"})
_CLIENTS = frozenset({"AsyncClient", "Client", "ClientSession", "Session"})
_SAME = frozenset({"rstrip", "lstrip", "strip", "encode", "decode", "dumps", "str", "quote"})  # as told of their value
_FROM_ENVIRONMENT = frozenset({"get", "getenv"})  # `os.environ.get("URL", "http://localhost:8000")`, or of a dict
_BODIES = ("json", "data", "content")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Values = list[Any]
Names = Mapping[str, Values]
_Function = tuple[ast.arguments, Sequence[ast.AST]]


def command_words_with_requests(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield what `command_words` does, for a Python with code that sends requests these, and a client of a database
    with the statements that it reads. ValueError as there."""
    typed = documents(line)
    before: list[str] = []
    for words, target in command_words(line):
        own = bare(words)
        if own and kind_name(program_name(own[0])) in DATABASE_CLIENTS:
            yield [*words, *_statements(own, before, line, typed)], target
            continue
        before = words
        sent = curls(_given(own, typed)) if own and kind_name(program_name(own[0])) in PYTHON else []
        elsewhere = [request for request in sent if operation_of(request[1:])]  # not those to a server of its own
        yield from ((request, "") for request in elsewhere) if elsewhere else [(words, target)]


def _statements(client: Sequence[str], before: Sequence[str], line: str, typed: list[tuple[str, str]]) -> list[str]:
    """Return what a client of a database reads from a here-document of the line, or from the `echo` before it."""
    name = re.escape(client[0])
    if document := next((each for each in typed if re.search(rf"(?:^|[\s/]){name}\b", each[0])), None):
        typed.remove(document)
        return [document[1]]
    piped = before[:1] in (["echo"], ["printf"]) and re.search(rf"\|[^|;&\n]*(?<![\w-]){name}\b", line)
    return [" ".join(before[1:])] if piped else []


def _given(words: Sequence[str], typed: list[tuple[str, str]]) -> str:
    """Return the code that an interpreter is given in its words, or as a here-document of the line, of those that are
    left: one is given once."""
    if "-c" in words[:-1]:
        return words[words.index("-c") + 1]
    file = next((word for word in words[1:] if not word.startswith("-")), "")
    # The line writes the script that it runs, or gives it the code itself.
    reads = re.compile(rf">\s*['\"]?{re.escape(file)}\b" if file else rf"(?:^|[\s/]){re.escape(words[0])}\b")
    given = next((document for document in typed if reads.search(document[0])), None)
    if given and not file:
        typed.remove(given)
    return given[1] if given else ""


def curls(code: str) -> list[list[str]]:
    """Return the words of the `curl` commands that send what Python code sends, in its order; none of other code."""
    return [list(words) for words in _sent(code[:LONGEST])] if _SENDS.search(code[:LONGEST]) else []


@lru_cache(maxsize=1_000)
def _sent(code: str) -> tuple[tuple[str, ...], ...]:
    tree = cells.tree_of(code)
    try:
        return tuple(dict.fromkeys(map(tuple, _Reading(tree).sent))) if tree else ()
    except RecursionError:  # nested too deep
        return ()


class _Reading:
    """The requests of a program; `clients`: the names of modules and sessions that send, with their base address."""

    def __init__(self, tree: ast.Module) -> None:
        self.sent: list[list[str]] = []
        self._left = MOST_CALLS
        self._clients: dict[str, str] = {"requests": "", "httpx": ""}
        self._functions: dict[str, _Function] = {
            node.name: (node.args, node.body) for node in tree.body if isinstance(node, _DEFINITIONS)
        }
        self._block([node for node in tree.body if not isinstance(node, _DEFINITIONS)], {}, 0)

    def _block(self, nodes: Sequence[ast.AST], names: dict[str, Values], depth: int) -> None:
        for node in nodes:
            if isinstance(node, ast.For | ast.AsyncFor):
                items = [item for held in _values(node.iter, names) if isinstance(held, list) for item in held]
                self._bind(node.target, items[:MOST_VALUES], names)
                self._block(node.body, names, depth)
                continue
            for inner in _in_order(node) if not isinstance(getattr(node, "value", None), ast.Lambda) else ():
                if isinstance(inner, ast.Call) and len(self.sent) < MOST_SENT and self._left:
                    self._left -= 1
                    self._call(inner, names, depth)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._bind(target, _values(node.value, names), names)
                    self._open(target, node.value, names)
            for item in getattr(node, "items", ()):
                self._open(item.optional_vars, item.context_expr, names)
            self._block([*getattr(node, "body", ()), *getattr(node, "orelse", ())], names, depth)

    def _bind(self, target: ast.expr, held: Values, names: dict[str, Values]) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = held or [f"${target.id}"]
        elif isinstance(target, ast.Tuple):
            for n, part in enumerate(target.elts):
                each = [value[n] for value in held if isinstance(value, list) and n < len(value)]
                self._bind(part, each, names)

    def _open(self, target: ast.expr | None, value: ast.expr, names: Names) -> None:
        if not isinstance(target, ast.Name):
            return
        if isinstance(value, ast.Lambda):
            self._functions[target.id] = value.args, [value.body]
        if isinstance(value, ast.Call) and (opened := _name(value.func)) in _CLIENTS:
            first = value.args[0] if value.args and opened == "ClientSession" else None
            base = next((keyword.value for keyword in value.keywords if keyword.arg == "base_url"), first)
            self._clients[target.id] = str(_values(base, names)[0]) if base else ""

    def _call(self, call: ast.Call, names: dict[str, Values], depth: int) -> None:
        name = _name(call.func)
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if isinstance(call.func, ast.Name) and name in self._functions and depth < DEEPEST:
            self._called(name, call, names, depth)
        elif name == "Request" and call.args:
            method = _values(given.get("method"), names) or ["POST" if "data" in given or len(call.args) > 1 else "GET"]
            body = {"data": call.args[1]} if len(call.args) > 1 else {}
            self._send(method, _values(call.args[0], names), {**given, **body}, names)
        elif isinstance(call.func, ast.Attribute) and _name(call.func.value) in self._clients and call.args:
            base = self._clients[_name(call.func.value)]
            if name == "request" and len(call.args) > 1:
                addresses = [f"{base}{address}" for address in _values(call.args[1], names)]
                self._send(_values(call.args[0], names), addresses, given, names)
            elif name in _METHODS:
                self._send([name], [f"{base}{address}" for address in _values(call.args[0], names)], given, names)

    def _called(self, name: str, call: ast.Call, names: Names, depth: int) -> None:
        """Read the requests of a function as it is called; one that is a lambda is its expression."""
        _, body = self._functions[name]
        within = {**names, **self._bound(name, call, names)}
        self._block([ast.Expr(node) if isinstance(node, ast.expr) else node for node in body], within, depth + 1)

    def _bound(self, name: str, call: ast.Call, names: Names) -> dict[str, Values]:
        """Return what the parameters of a function hold in a call; what `**` takes by its name, and each by its own."""
        declared, _ = self._functions[name]
        parameters = [argument.arg for argument in declared.args]
        defaults = dict(zip(parameters[len(parameters) - len(declared.defaults) :], declared.defaults, strict=True))
        given = {**defaults, **dict(zip(parameters, call.args, strict=False))}
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        held = {parameter: _values(value, names) for parameter, value in given.items()}
        taken = {key: value[0] for key, value in held.items() if key not in parameters and value}
        return held | ({declared.kwarg.arg: [taken]} if declared.kwarg else {})

    def _send(self, methods: Values, addresses: Values, given: Mapping[str, ast.expr], names: Names) -> None:
        key = next((key for key in _BODIES if key in given), "")
        body = (_values(given[key], names) if key else names.get("json", []))[:1]
        query = next((held for held in _values(given.get("params"), names) if isinstance(held, dict)), {})
        asked = "?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else ""
        for method, address in product(methods[:MOST_VALUES], addresses[:MOST_VALUES]):
            sends = ["-d", json.dumps(body[0])] if body and isinstance(body[0], dict) else []
            self.sent.append(["curl", "-X", str(method).upper(), *sends, f"{address}{asked}"])


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, the inner ones first, without the statements inside of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield from _in_order(child)
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
    if name in _SAME:
        inner = node.func.value if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value) else None
        return _values(inner or next(iter(node.args), None), names) or ["$"]
    return ["$"]


def _composed(node: ast.expr, names: Names) -> Values:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_values(node.left, names), _values(node.right, names)]
        return _joined(parts)
    if isinstance(node, ast.JoinedStr):
        parts = [_values(part.value if isinstance(part, ast.FormattedValue) else part, names) for part in node.values]
        return _joined(parts)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [{str(key.value): _values(value, names)[0] for key, value in pairs if isinstance(key, ast.Constant)}]
    if isinstance(node, ast.List | ast.Tuple):
        return [[value for part in node.elts for value in _values(part, names)[:1]]]
    if isinstance(node, ast.BoolOp):  # what it falls back on, where the first is not known
        held = [value for part in node.values for value in _values(part, names) if not str(value).startswith("$")]
        return held[:1] or ["$"]
    return ["$"]


def _joined(parts: Sequence[Values]) -> Values:
    return ["".join(map(str, pair)) for pair in islice(product(*parts), MOST_VALUES)]


def _is_module(node: ast.expr) -> bool:
    """Return whether a method is a function of a module: `json.dumps(x)`, not `x.encode()`."""
    return isinstance(node, ast.Name) and node.id in {"json", "urllib", "parse"}
