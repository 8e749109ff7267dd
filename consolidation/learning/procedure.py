"""The recipe as numbered steps and as lines about each tool."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consolidation.learning.dialogue import Assent
from consolidation.learning.recipe import Stage
from consolidation.learning.sources import Origin, Sources
from consolidation.learning.toolnames import code, phrase
from consolidation.learning.values import ITEM, spelled
from consolidation.learning.wording import joined, times, upper_first

MOST_ARGUMENTS = 7
ASSENT = 0.6


def steps(stages: Sequence[Stage], sources: Sources, assents: Mapping[str, Assent]) -> str:
    lines = list(_lines(stages, sources, assents))
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))


def _lines(stages: Sequence[Stage], sources: Sources, assents: Mapping[str, Assent]) -> Iterator[str]:
    asked = False
    for stage in stages:
        assent = assents.get(stage.tool)
        if not asked and assent and assent.yes >= 2 and assent.yes >= ASSENT * assent.runs:
            asked = True
            yield (
                f"Say what will be done and wait for a yes: in {assent.yes} of {assent.runs} runs that ended well the "
                f"user agreed right before {code(stage.tool)}."
            )
        yield _line(stage, sources)
    if not any(stage.changes for stage in stages):
        yield "Answer from what came back and change nothing."


def _line(stage: Stage, sources: Sources) -> str:
    head = f"{upper_first(phrase(stage.tool))} with {code(stage.tool)}{_often(stage)}."
    if stage.optional:
        head = f"If needed ({stage.runs} of {stage.of} runs): {head[:1].lower()}{head[1:]}"
    paths = sorted({path for tool, path in sources if tool == stage.tool and path[:1] != "*"})[:MOST_ARGUMENTS]
    came = [line for path in paths if (line := _from(path, sources[stage.tool, path], stage))]
    told = f" {upper_first('; '.join(came))}." if came else ""
    returned = stage.returns.rstrip(".") if stage.changes and stage.tells else ""
    done = f" Done when it returns {returned}." if returned else ""
    return head + told + done


def _often(stage: Stage) -> str:
    if stage.most == 1:
        return ""
    each = f", once per {code(stage.per)}" if stage.per else ""
    if stage.usual == stage.most:
        return f"{each} ({times(stage.most)})"
    usual = times(stage.usual) if stage.usual < 3 else str(stage.usual)
    return f"{each} (usually {usual}, up to {times(stage.most)})"


def _from(path: str, counted: Counter[Origin], stage: Stage) -> str:
    """`reservation_id` from the user's answer, else from `get_user_details` → `reservations[]`."""
    origins = Counter({origin: n for origin, n in counted.items() if origin.kind != "names"})
    ranked = sorted(origins.items(), key=lambda pair: (-pair[1], pair[0].kind, pair[0].tool, pair[0].path))
    if ranked[0][0].kind == "own":
        return _own_words(path, counted, ranked[0][1]) if stage.changes else ""
    kept = [origin for origin, n in ranked if n * 5 >= origins.total() and origin.kind != "own"]
    users = [_asked(origin) for origin in kept if not origin.tool][:1]
    tools = list(dict.fromkeys(origin.tool for origin in kept if origin.tool))
    found = [_field(tool, [origin for origin in kept if origin.tool == tool]) for tool in tools]
    told = [*users, *found] if not kept[0].tool else [*found, *users]
    return f"{code(path)} {', else '.join(told[:2])}"


def _own_words(path: str, counted: Counter[Origin], written: int) -> str:
    named = sorted(spelled(o.path) for o, n in counted.items() if o.kind == "names" and n * 2 >= written)
    naming = f", naming {joined([code(name) for name in named[:3]])}" if named else ""
    return f"{code(path)} in your own words{naming}"


def _asked(origin: Origin) -> str:
    return "from the user's request" if origin.kind == "opening" else "from the user (ask for it)"


def _field(tool: str, origins: Sequence[Origin]) -> str:
    """From `get_order` → `id` or `items[].id`."""
    paths = [code(spelled(origin.path)) for origin in origins if set(origin.path) - {ITEM, "*"}]
    return f"from {code(tool)} → {' or '.join(paths[:2])}" if paths else f"from {code(tool)}"


def tool_lines(stages: Sequence[Stage]) -> list[str]:
    """One line per tool: its arguments, whether it changes something, in how many successes."""
    return [f"{code(stage.tool)}: {'; '.join(_about(stage))}" for stage in stages]


def _about(stage: Stage) -> Iterator[str]:
    properties: dict[str, Any] = stage.args_schema.get("properties", {})
    required = stage.args_schema.get("required", [])
    if stage.changes:
        yield "changes something"
    given = [_argument(name, schema, name in required) for name, schema in properties.items()][:MOST_ARGUMENTS]
    if given:
        yield f"takes {joined(given)}"
    yield f"used in {stage.runs} of {stage.of} runs{' that ended well' if stage.well else ''}"


def _argument(name: str, schema: dict[str, Any], required: bool) -> str:
    notes = [] if required else ["optional"]
    inner = list(schema.get("items", schema).get("properties", {}))[:4]
    if schema.get("examples"):
        notes.append(f"such as {joined([str(example) for example in schema['examples'][:3]], 'or')}")
    elif inner:
        notes.append(f"{'a list' if schema['type'] == 'array' else 'an object'} of {joined(inner)}")
    return f"{code(name)} ({', '.join(notes)})" if notes else code(name)
