"""From the runs of one pattern to a competence: everything that a skill's version says, and the counts behind it."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from consolidation.learning import lessons, naming, procedure, triggers
from consolidation.learning.contrast import Contrast, contrast
from consolidation.learning.dialogue import assents
from consolidation.learning.effects import ToolRules, signature, unfolded
from consolidation.learning.failures import Mode, modes, quiet
from consolidation.learning.recipe import Stage, stages
from consolidation.learning.records import Sign, signs
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope, ordered
from consolidation.learning.sources import arguments
from consolidation.learning.speech import Term
from consolidation.learning.toolnames import phrase
from consolidation.learning.wording import upper_first
from skills.manifest import Fields, Step, TrackRecord


@dataclass(frozen=True)
class Competence:
    """`fields` is the version; the rest is what the memory keeps, as plain JSON values."""

    fields: Fields
    triggers: list[dict[str, Any]]
    recipe: list[dict[str, Any]]
    required_tools: list[str]
    failure_modes: list[dict[str, Any]]
    fallbacks: list[dict[str, Any]]
    contrast: dict[str, Any]


@dataclass(frozen=True)
class _Learned:
    """What one look at the runs found."""

    scope: Scope
    steps: Sequence[Stage]
    said: Sequence[Term]
    met: Sequence[Mode]
    signs: Sequence[Sign]
    seen: Contrast


def learn(
    *,
    effects: frozenset[str],
    runs: Sequence[Run],
    others: Sequence[Run],
    record: TrackRecord,
    taken: Collection[str],
    rules: ToolRules,
) -> Competence:
    """`runs` are the pattern's, `others` the scope's (they may overlap); `record` holds the exact counters, `taken` the
    slugs that others have. Same data, same bytes. Without a success among the runs all of them show how it is done."""
    if not runs:
        raise ValueError("no runs to learn from")
    scope = Scope(ordered(unfolded(r, rules) for r in runs), ordered(unfolded(r, rules) for r in others), rules)
    found = _Learned(scope, stages(scope), triggers.opening(scope), modes(scope), signs(scope), contrast(scope))
    fields = _fields(effects, found, record, taken)
    return Competence(
        fields=fields,
        triggers=[*map(_term, found.said), *map(_error, (mode for mode in found.met if mode.template))],
        recipe=[step.model_dump() for step in fields.recipe],
        required_tools=[stage.tool for stage in found.steps if not stage.optional],
        failure_modes=[_mode(mode) for mode in found.met],
        fallbacks=[_fallback(mode) for mode in found.met if mode.next],
        contrast=asdict(found.seen) | {"signs": [asdict(sign) for sign in found.signs]},
    )


def _fields(effects: frozenset[str], found: _Learned, record: TrackRecord, taken: Collection[str]) -> Fields:
    scope, steps = found.scope, found.steps
    title = naming.title(steps)
    later = triggers.later(scope, found.said)
    answered = [] if scope.effects(scope.runs[0]) else triggers.answered(scope, found.said)
    agreed = {stage.tool: assents(scope.successes, stage.tool) for stage in steps if stage.changes}
    return Fields(
        name=naming.slug(title, signature(effects), taken),
        title=title,
        description=naming.description(title, steps, found.said, found.signs, record),
        trigger=[term.written for term in found.said],
        procedure=procedure.steps(steps, arguments(scope, scope.shown_by), agreed),
        experience=lessons.lessons(scope, found.seen, found.signs, quiet(scope), later, answered),
        tool=procedure.tool_lines(steps) or None,
        recipe=[_step(stage) for stage in steps],
        failure_modes=lessons.failure_lines(found.met),
        fallbacks=lessons.fallback_lines(found.met),
        performance=record,
    )


def _step(stage: Stage) -> Step:
    return Step(
        step=upper_first(phrase(stage.tool)),
        tool=stage.tool,
        args_schema=stage.args_schema,
        validation=f"it returns {stage.returns}" if stage.returns else "",
        optional=stage.optional,
        share=round(stage.share, 4),
    )


def _term(term: Term) -> dict[str, Any]:
    return {"signal": term.written, "conditions": {"in": "opening", "runs": term.runs, "other_runs": term.others}}


def _error(mode: Mode) -> dict[str, Any]:
    return {"signal": mode.template, "conditions": {"in": "error", "tool": mode.tool, "runs": mode.runs}}


def _mode(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "runs": mode.runs, "recovered": mode.recovered}


def _fallback(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "next": [{"did": did, "runs": n} for did, n in mode.next]}
