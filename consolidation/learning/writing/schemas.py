"""JSON schemas of tool arguments, inferred from recorded calls."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.run import Call
from consolidation.learning.runs.values import ITEM, Path

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 40
MOST_PROPERTIES = 30
DEEPEST = 4
MOST_SEEN = 2_000
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
    tuple: "array",
}


def of(scope: Scope, tool: str, calls: Sequence[Call]) -> dict[str, Any]:
    """Return the JSON schema of a tool's named arguments; {} without any.

    Types as seen, `required` where always present, names and examples only where they may be shown.
    """
    seen = [call.arguments for call in calls]
    if not any(seen):
        return {}
    return _object(scope, tool, (), seen)


def _object(scope: Scope, tool: str, path: Path, seen: Sequence[dict[str, Any]]) -> dict[str, Any]:
    present = Counter(str(key) for item in seen for key in item)
    named = [key for key in sorted(present) if _may_name(scope, tool, path, key)][:MOST_PROPERTIES]
    schema: dict[str, Any] = {"type": "object"}
    if named:
        schema["properties"] = {
            key: _schema(scope, tool, (*path, key), [item[key] for item in seen if key in item]) for key in named
        }
    required = [key for key in named if present[key] == len(seen)]
    if required:
        schema["required"] = required
    return schema


def _may_name(scope: Scope, tool: str, path: Path, key: str) -> bool:
    return scope.may_name(key) if path else scope.may_name_argument(tool, key)


def _schema(scope: Scope, tool: str, path: Path, seen: Sequence[Any]) -> dict[str, Any]:
    kinds = sorted({_TYPES.get(type(value), "null") for value in seen})
    schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if len(path) >= DEEPEST:
        return schema
    objects = [value for value in seen if isinstance(value, dict)]
    items = [item for value in seen if isinstance(value, list | tuple) for item in value][:MOST_SEEN]
    if objects:
        schema |= {key: value for key, value in _object(scope, tool, path, objects).items() if key != "type"}
    if items:
        schema["items"] = _schema(scope, tool, (*path, ITEM), items)
    if examples := _examples(scope, tool, path, seen):
        schema["examples"] = examples
    return schema


def _examples(scope: Scope, tool: str, path: Path, seen: Sequence[Any]) -> list[str]:
    """Return the most frequent values that may be shown, if they cover at least half of the texts seen."""
    texts = [value for value in seen if isinstance(value, str)]
    words = [value for value in texts if len(value) <= LONGEST_EXAMPLE and len(value.split()) <= 4]
    counted = Counter(value for value in words if scope.may_show(tool, "args", path, value))
    kept = sorted(counted, key=lambda value: (-counted[value], value))[:MOST_EXAMPLES]
    return kept if sum(counted[value] for value in kept) * 2 >= len(texts) else []
