"""What a tool is given and what it returns, inferred from recorded calls: the JSON schema of its arguments, and its
typical successful result (a text, the state that it reports, or its fields)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.operations import is_button, is_form
from consolidation.learning.runs.privacy import Holders, names_somebody, safe
from consolidation.learning.runs.values import ITEM, JSON_TYPES, Path, leaves
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.templates import template

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 40
MOST_PROPERTIES = 30
DEEPEST = 4
MOST_SEEN = 2_000
LONGEST_TEXT = 80
MOST_FIELDS = 5
STATE = re.compile(
    r"(?:^|_)(?:status|state|stage|phase|result|outcome|estado|estatus|etapa|resultado|situaci[oó]n|zustand|statut|[eé]tat)$"
    r"|状态|结果$",
    re.IGNORECASE,
)


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
    named = [key for key in sorted(present) if (scope.may_name(key) if path else scope.may_name_argument(tool, key))][
        :MOST_PROPERTIES
    ]
    schema: dict[str, Any] = {"type": "object"}
    if named:
        schema["properties"] = {
            key: _schema(scope, tool, (*path, key), [item[key] for item in seen if key in item]) for key in named
        }
    required = [key for key in named if present[key] == len(seen)]
    if required:
        schema["required"] = required
    return schema


def _schema(scope: Scope, tool: str, path: Path, seen: Sequence[Any]) -> dict[str, Any]:
    kinds = sorted({JSON_TYPES.get(type(value), "null") for value in seen})
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


def _examples(scope: Scope, tool: str, path: Path, seen: Sequence[Any]) -> Sequence[str | int | float]:
    """Return the most frequent values that may be shown, if they cover at least half of the texts seen.

    Of equally frequent ones that which was sent first; of numbers and of what is filled into a form the one that all
    calls sent.
    """
    if (constant := _constant(scope, tool, path, seen)) is not None:
        return [constant]
    texts = [value for value in seen if isinstance(value, str)]
    words = [value for value in texts if len(value) <= LONGEST_EXAMPLE and len(value.split()) <= 4]
    counted = Counter(value for value in words if scope.may_show(tool, "args", path, value))
    kept = sorted(counted, key=lambda value: -counted[value])[:MOST_EXAMPLES]
    return kept if sum(counted[value] for value in kept) * 2 >= len(texts) else []


def _constant(scope: Scope, tool: str, path: Path, seen: Sequence[Any]) -> int | float | str | None:
    """Return the one number, or of a form the one text or tick, that all calls sent, where it may be shown."""
    kinds: tuple[type, ...] = (int, float, str, bool) if is_form(tool) else (int, float)
    if any(type(value) not in kinds for value in seen) or len(set(seen)) != 1:
        return None
    return seen[0] if scope.may_show_constant(tool, path, seen[0]) else None


def returns(scope: Scope, say: Phrases, tool: str, calls: Sequence[Call]) -> str:
    """Describe what the successful calls of a tool return; '' when they have nothing in common.

    A quoted text (“Transfer successful”), an object with a state (`status` shipped) or fields, or a list.
    """
    if is_button(tool):
        return _message(scope, tool)
    results = [call.returned for call in calls if call.returned not in (None, "")]
    if not results:
        return ""
    if all(isinstance(result, dict) for result in results):
        return _object_fields(scope, say, tool, results)
    if all(isinstance(result, list) for result in results):
        return say("list")
    if all(isinstance(result, str) for result in results):
        return _text(scope, results)
    return ""


def _message(scope: Scope, button: str) -> str:
    """Return what pages show when a button was pressed, as several runs saw it."""
    holders, seen = Holders(), Counter[str]()
    for run in scope.shown_by:
        pressed = [call for call in run.steps if call.name == button and not call.failed and call.says]
        lines = {call.says.partition("\n")[0] for call in pressed}
        holders.add(lines, run.thread)
        seen.update(lines)
    common = [line for line, _ in seen.most_common() if holders.common(line) and safe(line)]
    return f"“{common[0]}”" if common and not names_somebody(common[0]) else ""


def _text(scope: Scope, results: Sequence[str]) -> str:
    templates = Counter(template(scope, result) for result in results if len(result) <= LONGEST_TEXT)
    text, times = min(templates.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    return f"“{text}”" if text and times * 4 >= len(results) * 3 and not names_somebody(text) else ""


def _object_fields(scope: Scope, say: Phrases, tool: str, results: Sequence[dict[str, Any]]) -> str:
    states = [f"`{key}` {value}" for key, value in _brought(scope, tool)] if scope.changes(tool) else []
    if states:
        return say("object", what=say.join(states[:2]))
    shared = [key for key in results[0] if all(key in result for result in results) and scope.may_name(str(key))]
    return say("object", what=say.join([f"`{key}`" for key in shared[:MOST_FIELDS]])) if shared else ""


def _brought(scope: Scope, tool: str) -> list[tuple[str, str]]:
    """Return (field, state) that every result of the tool has and no earlier result or argument had.

    Only fields of states, which take few values over many runs: any other may hold somebody's name.
    """
    always: set[tuple[str, str]] | None = None
    for run in scope.successes:
        before: set[tuple[str, str]] = set()
        for call in run.steps:
            returned = _told(call.returned) if not call.failed else set()
            if call.name == tool and not call.failed:
                sent = {leaf for _, leaf in leaves(call.arguments)}
                new = {fact for fact in returned - before if fact[1] not in sent}
                always = new if always is None else always & new
            before |= returned if call.name != tool else set()
    states = [fact for fact in always or () if STATE.search(fact[0]) and not names_somebody(fact[1])]
    return sorted(fact for fact in states if scope.may_show(tool, "result", (fact[0],), fact[1]))


def _told(value: Any) -> set[tuple[str, str]]:
    return {(str(k), v) for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else set()
