"""From the runs of one pattern to a competence: everything that a skill's version says, and the counts behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from consolidation.learning import lessons, naming, procedure, records, triggers
from consolidation.learning.contrast import Contrast, contrast
from consolidation.learning.dialogue import assents
from consolidation.learning.failures import Mode, modes
from consolidation.learning.recipe import Stage, stages
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope, ordered
from consolidation.learning.sources import arguments
from consolidation.learning.toolnames import code, phrase
from consolidation.learning.triggers import Term
from consolidation.learning.wording import joined, upper_first
from consolidation.learning.wording import runs as some_runs
from skills.manifest import Fields, Step, TrackRecord


@dataclass(frozen=True)
class Competence:
    """`fields` is the version; the rest is what the memory keeps: plain JSON values."""

    fields: Fields
    triggers: list[dict[str, Any]]
    recipe: list[dict[str, Any]]
    required_tools: list[str]
    failure_modes: list[dict[str, Any]]
    fallbacks: list[dict[str, Any]]
    contrast: dict[str, Any]


def learn(
    *,
    kind: Literal["exact", "general"],
    signature: str,
    runs: Sequence[Run],
    others: Sequence[Run],
    record: TrackRecord,
    taken: Collection[str],
    ignored: Collection[str] = (),
    read_only: Mapping[str, bool] | None = None,
) -> Competence:
    """`runs` are the pattern's, `others` the scope's; they may overlap. `record` are the exact counters. Same data, same bytes."""
    scope = Scope(ordered(runs), ordered(others), frozenset(ignored), dict(read_only or {}))
    steps = stages(scope)
    said = triggers.terms_of(scope)
    met = modes(scope)
    seen = contrast(scope)
    fields = _fields(kind, signature, scope, steps, said, met, seen, record, taken)
    return Competence(
        fields=fields,
        triggers=[*map(_term_trigger, said), *(t for mode in met if (t := _error_trigger(mode)))],
        recipe=[step.model_dump() for step in fields.recipe],
        required_tools=[stage.tool for stage in steps if not stage.optional],
        failure_modes=[_mode(mode) for mode in met],
        fallbacks=[_fallback(mode) for mode in met if mode.next],
        contrast=asdict(seen),
    )


def _fields(
    kind: str,
    signature: str,
    scope: Scope,
    steps: Sequence[Stage],
    said: Sequence[Term],
    met: Sequence[Mode],
    seen: Contrast,
    record: TrackRecord,
    taken: Collection[str],
) -> Fields:
    title = naming.title(kind, steps)
    signs = records.signs(scope)
    yes = {stage.tool: assents(scope, scope.successes, stage.tool) for stage in steps if stage.changes}
    return Fields(
        name=naming.slug(title, signature, taken),
        title=title,
        description=naming.description(title, steps, said, signs, record, seen),
        trigger=[term.written for term in said],
        procedure=procedure.steps(steps, arguments(scope, scope.successes), yes),
        experience=lessons.lessons(scope, seen, signs),
        tool=procedure.tool_lines(steps) or None,
        recipe=[_step(stage) for stage in steps],
        failure_modes=[_mode_line(mode) for mode in met],
        fallbacks=[line for mode in met if (line := _fallback_line(mode))],
        performance=record,
    )


def _step(stage: Stage) -> Step:
    return Step(
        step=upper_first(phrase(stage.tool)),
        tool=stage.tool,
        args_schema=stage.args_schema,
        optional=stage.optional,
        share=round(stage.share, 4),
    )


def _term_trigger(term: Term) -> dict[str, Any]:
    return {"signal": term.written, "conditions": {"in": "opening", "runs": term.runs, "other_runs": term.others}}


def _error_trigger(mode: Mode) -> dict[str, Any]:
    return (
        {"signal": mode.template, "conditions": {"in": "error", "tool": mode.tool, "runs": mode.runs}}
        if mode.template
        else {}
    )


def _mode(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "runs": mode.runs, "recovered": mode.recovered}


def _fallback(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "next": [{"did": did, "runs": n} for did, n in mode.next]}


def _mode_line(mode: Mode) -> str:
    said = f"“{mode.template}”" if mode.template else "an error"
    return f"{code(mode.tool)} returned {said} in {some_runs(mode.runs)}, {mode.recovered} of them ended well"


def _fallback_line(mode: Mode) -> str:
    if not mode.next:
        return ""
    said = f"“{mode.template}”" if mode.template else "an error"
    did = joined([f"{did} ({n} of {mode.recovered})" for did, n in mode.next[:3]])
    return f"After {said} from {code(mode.tool)}, runs that ended well {did}"
