"""Code of a notebook's cells: as the command line that gives it to Python, with what the cells before gave a name.

BASE = "https://a.example"                   | BASE = "https://a.example"
!git status                                  | s = requests.Session()
s = requests.Session()                       | s.post(BASE + "/orders")
s.post(BASE + "/orders")  # in the next one  |     the program of the second cell

A kernel keeps its names from one cell to the next. What would ask or change something once more is no definition.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

LONGEST = 20_000
_MAGIC = re.compile(r"^([ \t]*)([!%])(?![%=])[ \t]*(\S.*)$", re.MULTILINE)
_WHOLE = re.compile(r"\s*%%(\w+)[^\S\n]*([^\n]*)\n(.*)", re.DOTALL)
_SHELLS = frozenset({"bash", "sh", "script", "system"})
_FILES = frozenset({"file", "writefile"})
_PROGRAMS = ("pip ", "conda ", "mamba ", "uv ")  # of `%pip install x`
# What calls of these give is told by their arguments alone.
_PLAIN = frozenset({
    "AsyncClient", "Client", "ClientSession", "Path", "Session", "Workbook", "create_sheet", "decode", "dict", "dumps",
    "encode", "format", "getenv", "join", "load_workbook", "lstrip", "quote", "replace", "rstrip", "str", "strip",
})  # fmt: skip
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_LATER = (ast.Lambda,)  # what it holds is not done where it stands
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OF_THEIR_OWN = (*_LATER, *_COMPREHENSIONS, ast.FunctionDef, ast.AsyncFunctionDef)


def line(code: str) -> str:
    """Return the command line that gives code to Python, with the shell's lines in it behind; '' for none."""
    whole = _WHOLE.match(code)
    if whole and whole[1] in _SHELLS:
        return whole[3]
    if whole and whole[1] in _FILES:
        return f"cat > {whole[2].split()[-1] if whole[2].split() else '$'} <<'CODE'\n{whole[3]}\nCODE"
    lines = [] if tree_of(code) else list(_MAGIC.finditer(code))
    commands = [magic[3] for magic in lines if magic[2] == "!" or magic[3].startswith(_PROGRAMS)]
    return "\n".join([f"python - <<'CODE'\n{python(code)}\nCODE", *commands]) if code else ""


def python(code: str) -> str:
    """Return the Python of a cell: `pass` for its magics, '' for a cell that is a shell's."""
    if whole := _WHOLE.match(code):
        return "" if whole[1] in _SHELLS | _FILES else python(whole[3])
    return code if tree_of(code) else _MAGIC.sub(r"\1pass", code)


def tree_of(code: str) -> ast.Module | None:
    """Return code as Python parses it; None for what it cannot."""
    if len(code) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in the agent's strings
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # nested too deep
        return None


class Kernel:
    """The names that the cells so far defined, each with its statement in the order in which these came."""

    def __init__(self) -> None:
        self._defined: dict[str, ast.stmt] = {}

    def program(self, code: str) -> str:
        """Return the code of the next cell behind the definitions of earlier cells that it uses."""
        tree = tree_of(python(code))
        try:
            needed = [ast.unparse(statement) for statement in self._needed(tree)] if tree else []
            self._keep(tree.body if tree else ())
        except RecursionError:  # nested too deep
            return code
        return "\n".join([*needed, python(code), *_shell_lines(code)]) if needed else code

    def _needed(self, tree: ast.Module) -> list[ast.stmt]:
        wanted, needed = list(_used(tree)), set[ast.stmt]()
        while wanted:
            statement = self._defined.get(wanted.pop())
            if statement is not None and statement not in needed:
                needed.add(statement)
                wanted += _loaded(statement)
        return [statement for statement in dict.fromkeys(self._defined.values()) if statement in needed]

    def _keep(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            for name in _bound(statement):
                self._defined.pop(name, None)  # so that it stands behind what it uses
                if _is_definition(statement):
                    self._defined[name] = statement


def _shell_lines(code: str) -> list[str]:
    return [magic[0].strip() for magic in _MAGIC.finditer(code)] if not tree_of(code) and not _WHOLE.match(code) else []


def _is_definition(statement: ast.stmt) -> bool:
    if isinstance(statement, _Named | ast.Import | ast.ImportFrom):
        return True
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return value is not None and all(map(_is_plain, _inside(value, _LATER)))


def _inside(node: ast.AST, closed: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield a node and all inside of it, but not what is inside of nodes of the closed kinds."""
    yield node
    for child in ast.iter_child_nodes(node) if not isinstance(node, closed) else ():
        yield from _inside(child, closed)


def _is_plain(node: ast.AST) -> bool:
    if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
        return False
    if not isinstance(node, ast.Call):
        return True
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _PLAIN or (name == "get" and ast.unparse(node.func).endswith("environ.get"))


def _used(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a cell uses before it gives them a meaning itself."""
    own: set[str] = set()
    for statement in tree.body:
        yield from (name for name in _loaded(statement) if name not in own)
        own.update(_bound(statement))


def _loaded(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, _Named):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names]
    names = (each for each in _inside(statement, _OF_THEIR_OWN) if isinstance(each, ast.Name))
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]
