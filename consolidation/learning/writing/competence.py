"""Learn a competence from the runs of one pattern: all fields of a skill version and the counts behind them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from consolidation.learning.comparison.rare_names import without_rare_names
from consolidation.learning.comparison.scope import Scope, ordered
from consolidation.learning.comparison.triggers import Term
from consolidation.learning.comparison.vocabulary import Vocabulary
from consolidation.learning.effects.effects import signature
from consolidation.learning.effects.places import with_place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code, phrase
from consolidation.learning.runs.lines import Line, without_ids
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import upper_first
from consolidation.learning.writing import lessons, naming, procedure, work_steps
from consolidation.learning.writing.call_conditions import CALL
from consolidation.learning.writing.failures import Mode
from consolidation.learning.writing.learned import PatternFindings, look
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import LONGEST_CALL, Stage
from skills.manifest import Fields, Step, TrackRecord


@dataclass(frozen=True)
class Competence:
    """A learned competence.

    `fields`: the content of the skill version; `lines`: field name of the version -> its lines with the ids of the runs
    behind each; the rest is stored in the memory, as plain JSON values. `separates`: more than its name tells
    when to use it; `is_common_practice`: it is about commands that start in several places alike.
    """

    fields: Fields
    triggers: list[dict[str, Any]]
    recipe: list[dict[str, Any]]
    required_tools: list[str]
    failure_modes: list[dict[str, Any]]
    fallbacks: list[dict[str, Any]]
    contrast: dict[str, Any]
    lines: dict[str, list[Line]]
    separates: bool
    is_common_practice: bool


def learn(
    *,
    effects: frozenset[str],
    runs: Sequence[Run],
    other_runs: Sequence[Run],
    record: TrackRecord,
    taken: Collection[str],
    rules: ToolRules,
    vocabulary: Vocabulary | None = None,
) -> Competence:
    """Learn a competence from runs. Deterministic: the same data gives the same bytes.

    `runs`: those of the pattern; `other_runs`: those of the scope (they may overlap), and their `vocabulary` where it
    is known; `record`: exact counters of outcomes; `taken`: slugs of other skills. Without a successful run all runs
    serve as examples. ValueError: no runs.
    """
    if not runs:
        raise ValueError("no runs to learn from")
    own_runs, scope_runs = (ordered(with_place(run, rules) for run in group) for group in (runs, other_runs))
    scope = without_rare_names(Scope(own_runs, scope_runs, rules, vocabulary))
    findings = look(scope)
    lines = _lines(findings)
    fields = _fields(effects, findings, lines, record, taken)
    return Competence(
        fields=fields,
        triggers=[*map(_term, findings.terms), *map(_error, (mode for mode in findings.error_modes if mode.template))],
        recipe=[step.model_dump() for step in fields.recipe],
        required_tools=list(dict.fromkeys(stage.agent_tool for stage in findings.steps if not stage.optional)),
        failure_modes=[_mode(mode) for mode in findings.error_modes],
        fallbacks=[_fallback(mode) for mode in findings.error_modes if mode.next],
        contrast=_contrast(findings),
        lines=lines,
        separates=naming.separates(findings),
        is_common_practice=bool(findings.work and findings.work.everywhere),
    )


def _contrast(findings: PatternFindings) -> dict[str, Any]:
    """Return what tells right calls from others; `choices`: what decides arguments, for `check`."""
    conditions_by_tool = {
        tool: {name: choice.conditions for name, choice in by_argument.items()}
        for tool, by_argument in findings.choices.items()
    }
    choices = [
        {"tool": tool, "argument": argument, **_plain(condition)}
        for tool, by_argument in conditions_by_tool.items()
        for argument, conditions in (*by_argument.items(), (CALL, findings.call_conditions[tool]))
        for condition in conditions
    ]
    signs, differences = _plain(findings.signs), _plain(findings.differences)
    return {**_plain(findings.contrast), "signs": signs, "beside": differences, "choices": choices}


def _plain(result: Any) -> Any:
    """Convert dataclasses to plain JSON values, without run ids."""
    return [_plain(item) for item in result] if isinstance(result, list) else asdict(result, dict_factory=without_ids)


def _lines(findings: PatternFindings) -> dict[str, list[Line]]:
    return {
        "procedure": list(procedure.steps(findings)),
        "experience": lessons.lessons(findings),
        "failure_modes": lessons.failure_lines(findings.error_modes, findings.say),
        "fallbacks": lessons.fallback_lines(findings.error_modes, findings.say),
    }


def _fields(
    effects: frozenset[str],
    findings: PatternFindings,
    lines: dict[str, list[Line]],
    record: TrackRecord,
    taken: Collection[str],
) -> Fields:
    title = naming.title(findings, taken)
    texts = {name: [line.text for line in field_lines] for name, field_lines in lines.items()}
    return Fields(
        name=naming.slug(title, signature(effects), taken),
        title=title,
        description=naming.description(title, findings),
        trigger=[term.written for term in findings.terms],
        procedure=procedure.numbered(lines["procedure"]),
        experience=texts["experience"],
        tool=procedure.tool_lines(findings) or None,
        recipe=list(_recipe(findings)),
        failure_modes=texts["failure_modes"],
        fallbacks=texts["fallbacks"],
        performance=record,
    )


def _recipe(findings: PatternFindings) -> Iterator[Step]:
    """Yield the steps; the first that changes files names these."""
    files = findings.say.join([code(shape.path) for shape in findings.files])
    for stage in work_steps.acting(findings) or findings.steps:
        yield _step(stage, findings.say, files if work_steps.changes_files(stage) else "")
        files = "" if work_steps.changes_files(stage) else files


def _step(stage: Stage, say: Phrases, files: str = "") -> Step:
    sentence = say(f"plain_{stage.kind}", tool=code(stage.spoken, LONGEST_CALL), phrase=phrase(stage.tool))
    sentence = say("plain_files", files=files) if files else sentence
    return Step(
        step=upper_first(sentence),
        tool=stage.agent_tool,
        args_schema=stage.args_schema,
        validation=say("returns", what=stage.returns) if stage.returns and not stage.via else "",
        optional=stage.optional,
        share=round(stage.share, 4),
    )


def _term(term: Term) -> dict[str, Any]:
    return {"signal": term.written, "conditions": {"in": "request", "runs": term.runs, "other_runs": term.other_runs}}


def _error(mode: Mode) -> dict[str, Any]:
    return {"signal": mode.template, "conditions": {"in": "error", "tool": mode.tool, "runs": mode.runs}}


def _mode(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "runs": mode.runs, "recovered": mode.recoveries}


def _fallback(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "next": [{"did": did, "runs": n} for did, n in mode.next]}
