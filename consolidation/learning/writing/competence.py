"""Learn a competence from the runs of one pattern: all fields of a skill version and the counts behind them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from consolidation.learning.comparison import records, triggers
from consolidation.learning.comparison.command_work import CommandWork, command_work
from consolidation.learning.comparison.contrast import Contrast, Way, companions, contrast
from consolidation.learning.comparison.neighbours import Difference, differences
from consolidation.learning.comparison.records import Condition, OtherValue
from consolidation.learning.comparison.scope import Scope, ordered
from consolidation.learning.comparison.speech import Term
from consolidation.learning.comparison.vocabulary import Vocabulary
from consolidation.learning.effects.effects import signature
from consolidation.learning.effects.places import located
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code, phrase
from consolidation.learning.runs.dialogue import assents
from consolidation.learning.runs.lines import Line, ids_of, without_ids
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import upper_first
from consolidation.learning.writing import file_shapes, lessons, naming, procedure, work_steps
from consolidation.learning.writing.argument_sources import Sources, arguments
from consolidation.learning.writing.failures import Mode, modes
from consolidation.learning.writing.file_shapes import FileShape
from consolidation.learning.writing.phrases import Phrases, phrases
from consolidation.learning.writing.recipe import LONGEST_CALL, Stage, stages
from skills.manifest import Fields, Step, TrackRecord

LEAST_RUNS, CLEARLY = 3, 0.25  # of each of two ways, and what is between their shares of success


@dataclass(frozen=True)
class Competence:
    """A learned competence.

    `fields`: the content of the skill version; `lines`: field name of the version -> its lines with the ids of the runs
    behind each; the rest is stored in the memory, as plain JSON values. `separates`: something tells when to use it
    beside what its name says; `is_common_practice`: it is about commands that start in several places alike.
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


@dataclass(frozen=True)
class _Learned:
    """Intermediate results of all analyses of one pattern's runs."""

    scope: Scope
    say: Phrases
    steps: Sequence[Stage]
    sources: Sources
    said: Sequence[Term]
    met: Sequence[Mode]
    signs: Sequence[Condition]
    other: OtherValue | None
    seen: Contrast
    beside: Sequence[Difference]
    work: CommandWork | None
    files: Sequence[FileShape]


def _look(scope: Scope) -> _Learned:
    """Run all analyses over the scope."""
    say, sources, signs = phrases(scope), arguments(scope, scope.shown_by), records.signs(scope)
    return _Learned(
        scope,
        say,
        stages(scope, say, sources),
        sources,
        triggers.request_terms(scope),
        modes(scope, say),
        signs,
        records.other_value(scope, signs),
        contrast(scope),
        differences(scope),
        command_work(scope),
        file_shapes.changed(scope, scope.shown_by),
    )


def learn(
    *,
    effects: frozenset[str],
    runs: Sequence[Run],
    others: Sequence[Run],
    record: TrackRecord,
    taken: Collection[str],
    rules: ToolRules,
    vocabulary: Vocabulary | None = None,
) -> Competence:
    """Learn a competence from runs. Deterministic: the same data gives the same bytes.

    `runs`: those of the pattern; `others`: those of the scope (they may overlap), and their `vocabulary` where it is
    known; `record`: exact counters of outcomes; `taken`: slugs of other skills. Without a successful run all runs serve
    as examples. ValueError: no runs.
    """
    if not runs:
        raise ValueError("no runs to learn from")
    mine, rest = (ordered(located(run, rules) for run in each) for each in (runs, others))
    scope = Scope(mine, rest, rules, vocabulary)
    learned = _look(scope)
    lines = _lines(learned)
    fields = _fields(effects, learned, lines, record, taken)
    return Competence(
        fields=fields,
        triggers=[*map(_term, learned.said), *map(_error, (mode for mode in learned.met if mode.template))],
        recipe=[step.model_dump() for step in fields.recipe],
        required_tools=list(dict.fromkeys(stage.agent_tool for stage in learned.steps if not stage.optional)),
        failure_modes=[_mode(mode) for mode in learned.met],
        fallbacks=[_fallback(mode) for mode in learned.met if mode.next],
        contrast=_plain(learned.seen) | {"signs": _plain(learned.signs), "beside": _plain(learned.beside)},
        lines=lines,
        separates=naming.separates(learned.steps, _use(learned)),
        is_common_practice=bool(learned.work and learned.work.everywhere),
    )


def _plain(result: Any) -> Any:
    """Convert dataclasses to plain JSON values, without run ids."""
    return [_plain(item) for item in result] if isinstance(result, list) else asdict(result, dict_factory=without_ids)


def _lines(learned: _Learned) -> dict[str, list[Line]]:
    scope, steps, say = learned.scope, learned.steps, learned.say
    agreed = {stage.tool: assents(scope.successes, stage.tool) for stage in steps if stage.changes and not stage.via}
    known = procedure.Known(
        learned.sources, agreed, learned.signs, companions(scope), learned.work, learned.files, ids_of(scope.shown_by)
    )
    learnt = lessons.lessons(scope, say, learned.seen, learned.signs, learned.other, learned.beside)
    return {
        "procedure": list(procedure.steps(steps, known, say)),
        "experience": [*lessons.of_work(scope, learned.work, say), *learnt],
        "failure_modes": lessons.failure_lines(learned.met, say),
        "fallbacks": lessons.fallback_lines(learned.met, say),
    }


def _fields(
    effects: frozenset[str],
    learned: _Learned,
    lines: dict[str, list[Line]],
    record: TrackRecord,
    taken: Collection[str],
) -> Fields:
    steps, say = learned.steps, learned.say
    title = naming.title(steps, say, taken, learned.work)
    coding = work_steps.is_coding(steps, learned.work, learned.files)
    texts = {name: [line.text for line in kept] for name, kept in lines.items()}
    return Fields(
        name=naming.slug(title, signature(effects), taken),
        title=title,
        description=naming.description(title, steps, _use(learned), say),
        trigger=[term.written for term in learned.said],
        procedure=procedure.numbered(lines["procedure"]),
        experience=texts["experience"],
        tool=procedure.tool_lines(steps, coding=coding, say=say) or None,
        recipe=list(_recipe(learned)),
        failure_modes=texts["failure_modes"],
        fallbacks=texts["fallbacks"],
        performance=record,
    )


def _use(learned: _Learned) -> naming.Use:
    """Collect the inputs of the description."""
    ended = [run for run in learned.scope.runs if run.outcome in {"success", "failure"}]
    well = (sum(run.outcome == "success" for run in ended), len(ended))
    own, places = learned.scope.effects(learned.scope.runs[0]), learned.work.places if learned.work else ()
    return naming.Use(learned.said, learned.signs, learned.other, places, _worse(learned.seen, own, well), well)


def _worse(seen: Contrast, own: frozenset[str], well: tuple[int, int]) -> Way | None:
    """The most frequent other way for the same requests, where it ended well clearly less often."""
    n, of = well
    apart = [way for way in seen.ways if way.tools and not own & set(way.tools) and way.runs >= LEAST_RUNS <= of]
    worse = [way for way in apart if n / of - way.successes / way.runs >= CLEARLY]
    return max(worse, key=lambda way: way.runs, default=None)


def _recipe(learned: _Learned) -> Iterator[Step]:
    """Yield the steps; of the changes of files the first says which."""
    files = learned.say.join([code(shape.path) for shape in learned.files])
    for stage in work_steps.recipe_of(learned.steps, learned.work):
        yield _step(stage, learned.say, files if work_steps.changes_files(stage) else "")
        files = "" if work_steps.changes_files(stage) else files


def _step(stage: Stage, say: Phrases, files: str = "") -> Step:
    is_operation = stage.through or (stage.via and not stage.is_command)
    key = "plain_command" if stage.is_command else "plain_operation" if is_operation else "plain_step"
    called = say(key, tool=code(stage.spoken, LONGEST_CALL), phrase=phrase(stage.tool))
    called = say("plain_files", files=files) if files else called
    return Step(
        step=upper_first(called),
        tool=stage.agent_tool,
        args_schema=stage.args_schema,
        validation=say("returns", what=stage.returns) if stage.returns and not stage.via else "",
        optional=stage.optional,
        share=round(stage.share, 4),
    )


def _term(term: Term) -> dict[str, Any]:
    return {"signal": term.written, "conditions": {"in": "request", "runs": term.runs, "other_runs": term.others}}


def _error(mode: Mode) -> dict[str, Any]:
    return {"signal": mode.template, "conditions": {"in": "error", "tool": mode.tool, "runs": mode.runs}}


def _mode(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "runs": mode.runs, "recovered": mode.recovered}


def _fallback(mode: Mode) -> dict[str, Any]:
    return {"tool": mode.tool, "error": mode.template, "next": [{"did": did, "runs": n} for did, n in mode.next]}
