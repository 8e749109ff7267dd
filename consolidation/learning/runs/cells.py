"""Code of a notebook's cells: as the command line that gives it to Python, with what the cells before gave a name.

BASE = "https://a.example"                   | BASE = "https://a.example"
!git status                                  | s = requests.Session()
s = requests.Session()                       | s.post(BASE + "/orders")
s.post(BASE + "/orders")  # in the next one  |     the program of the second cell

A kernel keeps its names from one cell to the next. A statement that calls anything but `_PURE_CALLS` is no definition:
it would send its request once more.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

LONGEST = 20_000
_MAGIC = re.compile(r"^([ \t]*)([!%])(?![%=])[ \t]*(\S.*)$", re.MULTILINE)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)[^\S\n]*([^\n]*)\n(.*)", re.DOTALL)
_SHELLS = frozenset({"bash", "sh", "script", "system"})
_FILES = frozenset({"file", "writefile"})
_PACKAGE_TOOLS = ("pip ", "conda ", "mamba ", "uv ")  # of `%pip install x`
# Calls that depend on their arguments alone and change nothing.
_PURE_CALLS = frozenset({
    "AsyncClient", "Client", "ClientSession", "Path", "Session", "Workbook", "create_sheet", "decode", "dict", "dumps",
    "encode", "format", "getenv", "join", "load_workbook", "lstrip", "quote", "replace", "rstrip", "str", "strip",
})  # fmt: skip
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFERRED = (ast.Lambda,)  # its body does not run where it is defined
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OWN_SCOPES = (*_DEFERRED, *_COMPREHENSIONS, ast.FunctionDef, ast.AsyncFunctionDef)


def line(code: str) -> str:
    """Return the command line that gives a cell's code to Python, followed by its shell lines; '' for no code."""
    cell_magic = _CELL_MAGIC.match(code)
    if cell_magic and cell_magic[1] in _SHELLS:
        return cell_magic[3]
    if cell_magic and cell_magic[1] in _FILES:
        return f"cat > {cell_magic[2].split()[-1] if cell_magic[2].split() else '$'} <<'CODE'\n{cell_magic[3]}\nCODE"
    lines = [] if tree_of(code) else list(_MAGIC.finditer(code))
    commands = [magic[3] for magic in lines if magic[2] == "!" or magic[3].startswith(_PACKAGE_TOOLS)]
    return "\n".join([f"python - <<'CODE'\n{python(code)}\nCODE", *commands]) if code else ""


def python(code: str) -> str:
    """Return the Python of a cell: `pass` for its magics, '' for a cell of a shell or a file."""
    if cell_magic := _CELL_MAGIC.match(code):
        return "" if cell_magic[1] in _SHELLS | _FILES else python(cell_magic[3])
    return code if tree_of(code) else _MAGIC.sub(r"\1pass", code)


def tree_of(code: str) -> ast.Module | None:
    """Return the syntax tree of code; None where it is too long or no Python."""
    if len(code) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in the agent's strings
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # nested too deep
        return None


class Kernel:
    """The names that the cells so far defined -> their statement, in the order of definition."""

    def __init__(self) -> None:
        self._definitions: dict[str, ast.stmt] = {}

    def program(self, code: str) -> str:
        """Return the code of the next cell behind the definitions of earlier cells that it uses."""
        tree = tree_of(python(code))
        try:
            definitions = [ast.unparse(statement) for statement in self._definitions_for(tree)] if tree else []
            self._add_definitions(tree.body if tree else ())
        except RecursionError:  # nested too deep
            return code
        return "\n".join([*definitions, python(code), *_shell_lines(code)]) if definitions else code

    def _definitions_for(self, tree: ast.Module) -> list[ast.stmt]:
        names, statements = list(_used_names(tree)), set[ast.stmt]()
        while names:
            statement = self._definitions.get(names.pop())
            if statement is not None and statement not in statements:
                statements.add(statement)
                names += _loaded_names(statement)
        return [statement for statement in dict.fromkeys(self._definitions.values()) if statement in statements]

    def _add_definitions(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            for name in _bound_names(statement):
                self._definitions.pop(name, None)  # so that it stands behind what it uses
                if _is_definition(statement):
                    self._definitions[name] = statement


def _shell_lines(code: str) -> list[str]:
    return (
        [magic[0].strip() for magic in _MAGIC.finditer(code)]
        if not tree_of(code) and not _CELL_MAGIC.match(code)
        else []
    )


def _is_definition(statement: ast.stmt) -> bool:
    if isinstance(statement, _Definition | ast.Import | ast.ImportFrom):
        return True
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return value is not None and all(map(_is_pure, _inside(value, _DEFERRED)))


def _inside(node: ast.AST, closed_kinds: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield a node and its descendants, without the descendants of nodes of the closed kinds."""
    yield node
    for child in ast.iter_child_nodes(node) if not isinstance(node, closed_kinds) else ():
        yield from _inside(child, closed_kinds)


def _is_pure(node: ast.AST) -> bool:
    if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
        return False
    if not isinstance(node, ast.Call):
        return True
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _PURE_CALLS or (name == "get" and ast.unparse(node.func).endswith("environ.get"))


def _used_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a cell uses before it binds them itself."""
    bound_names: set[str] = set()
    for statement in tree.body:
        yield from (name for name in _loaded_names(statement) if name not in bound_names)
        bound_names.update(_bound_names(statement))


def _loaded_names(node: ast.AST) -> list[str]:
    return [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)]


def _bound_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, _Definition):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    names = (inner for inner in _inside(statement, _OWN_SCOPES) if isinstance(inner, ast.Name))
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]
