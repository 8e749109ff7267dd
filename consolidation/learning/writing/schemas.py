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
    arguments = [call.arguments for call in calls]
    if not any(arguments):
        return {}
    return _object(scope, tool, (), arguments)


def _object(scope: Scope, tool: str, path: Path, objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts = Counter(str(key) for item in objects for key in item)
    names = [key for key in sorted(counts) if (scope.may_name(key) if path else scope.may_name_argument(tool, key))][
        :MOST_PROPERTIES
    ]
    schema: dict[str, Any] = {"type": "object"}
    if names:
        schema["properties"] = {
            key: _schema(scope, tool, (*path, key), [item[key] for item in objects if key in item]) for key in names
        }
    required_names = [key for key in names if counts[key] == len(objects)]
    if required_names:
        schema["required"] = required_names
    return schema


def _schema(scope: Scope, tool: str, path: Path, values: Sequence[Any]) -> dict[str, Any]:
    kinds = sorted({JSON_TYPES.get(type(value), "null") for value in values})
    schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if len(path) >= DEEPEST:
        return schema
    objects = [value for value in values if isinstance(value, dict)]
    items = [item for value in values if isinstance(value, list | tuple) for item in value][:MOST_SEEN]
    if objects:
        schema |= {key: value for key, value in _object(scope, tool, path, objects).items() if key != "type"}
    if items:
        schema["items"] = _schema(scope, tool, (*path, ITEM), items)
    if examples := _examples(scope, tool, path, values):
        schema["examples"] = examples
    return schema


def _examples(scope: Scope, tool: str, path: Path, values: Sequence[Any]) -> Sequence[str | int | float]:
    """Return the most frequent values that may be shown, if they cover at least half of the texts seen.

    Of equally frequent ones that which was sent first; of numbers and of what is filled into a form the one that all
    calls sent.
    """
    if (constant := _constant(scope, tool, path, values)) is not None:
        return [constant]
    texts = [value for value in values if isinstance(value, str)]
    words = [value for value in texts if len(value) <= LONGEST_EXAMPLE and len(value.split()) <= 4]
    counts = Counter(value for value in words if scope.may_show(tool, "args", path, value))
    examples = sorted(counts, key=lambda value: -counts[value])[:MOST_EXAMPLES]
    return examples if sum(counts[value] for value in examples) * 2 >= len(texts) else []


def _constant(scope: Scope, tool: str, path: Path, values: Sequence[Any]) -> int | float | str | None:
    """Return the one number, or of a form the one text or tick, that all calls sent, where it may be shown."""
    kinds: tuple[type, ...] = (int, float, str, bool) if is_form(tool) else (int, float)
    if any(type(value) not in kinds for value in values) or len(set(values)) != 1:
        return None
    return values[0] if scope.may_show_constant(tool, path, values[0]) else None


def returns(scope: Scope, say: Phrases, tool: str, calls: Sequence[Call]) -> str:
    """Describe what the successful calls of a tool return; '' when they have nothing in common.

    A quoted text (“Transfer successful”), an object with a state (`status` shipped) or fields, or a list.
    """
    if is_button(tool):
        return _message(scope, tool)
    results = [call.parsed_result for call in calls if call.parsed_result not in (None, "")]
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
    holders, counts = Holders(), Counter[str]()
    for run in scope.examples:
        presses = [call for call in run.steps if call.name == button and not call.failed and call.page_message]
        lines = {call.page_message.partition("\n")[0] for call in presses}
        holders.add(lines, run.thread)
        counts.update(lines)
    common_lines = [line for line, _ in counts.most_common() if holders.is_common(line) and safe(line)]
    return f"“{common_lines[0]}”" if common_lines and not names_somebody(common_lines[0]) else ""


def _text(scope: Scope, results: Sequence[str]) -> str:
    templates = Counter(template(scope, result) for result in results if len(result) <= LONGEST_TEXT)
    text, times = min(templates.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    return f"“{text}”" if text and times * 4 >= len(results) * 3 and not names_somebody(text) else ""


def _object_fields(scope: Scope, say: Phrases, tool: str, results: Sequence[dict[str, Any]]) -> str:
    states = [f"`{key}` {value}" for key, value in _new_states(scope, tool)] if scope.changes(tool) else []
    if states:
        return say("object", what=say.join(states[:2]))
    shared_keys = [key for key in results[0] if all(key in result for result in results) and scope.may_name(str(key))]
    return say("object", what=say.join([f"`{key}`" for key in shared_keys[:MOST_FIELDS]])) if shared_keys else ""


def _new_states(scope: Scope, tool: str) -> list[tuple[str, str]]:
    """Return (field, state) that every result of the tool has and no earlier result or argument had.

    Only fields of states, which take few values over many runs: any other may hold somebody's name.
    """
    common_fields: set[tuple[str, str]] | None = None
    for run in scope.successes:
        fields_before: set[tuple[str, str]] = set()
        for call in run.steps:
            fields = _text_fields(call.parsed_result) if not call.failed else set()
            if call.name == tool and not call.failed:
                sent = {leaf for _, leaf in leaves(call.arguments)}
                new_fields = {fact for fact in fields - fields_before if fact[1] not in sent}
                common_fields = new_fields if common_fields is None else common_fields & new_fields
            fields_before |= fields if call.name != tool else set()
    states = [fact for fact in common_fields or () if STATE.search(fact[0]) and not names_somebody(fact[1])]
    return sorted(fact for fact in states if scope.may_show(tool, "result", (fact[0],), fact[1]))


def _text_fields(value: Any) -> set[tuple[str, str]]:
    return {(str(k), v) for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else set()
