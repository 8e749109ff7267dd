"""The steps of work on files and by command lines: try, change, try again, run commands, clean up."""

from collections.abc import Iterator, Sequence

from consolidation.learning.commands.wrappers import kind_name
from consolidation.learning.comparison.command_work import MOSTLY, CommandWork
from consolidation.learning.effects.command_starts import Tally
from consolidation.learning.effects.effects import CHORES, is_edit
from consolidation.learning.effects.toolnames import code, phrase
from consolidation.learning.runs.harness_tools import FILE_CHANGES, ONLY_READING
from consolidation.learning.wording import upper_first
from consolidation.learning.writing.file_shapes import FileShape
from consolidation.learning.writing.learned import PatternFindings
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import LONGEST_CALL, Stage

ALWAYS = 0.75


def is_told(stage: Stage, findings: PatternFindings) -> bool:
    """Return whether a stage is shown as a tool: no command, no tool by which coding agents read and write files."""
    return not stage.via and not (findings.is_coding and stage.tool in FILE_CHANGES | ONLY_READING)


def changes_files(stage: Stage) -> bool:
    """Return whether a stage only changes files, by a tool or a command line."""
    return is_edit(stage.tool) if stage.via else stage.tool in FILE_CHANGES


def _changing_files(findings: PatternFindings) -> Iterator[str]:
    """Yield the sentences that files are changed, removed and moved, with shapes of those that most runs changed."""
    say, by_line = findings.say, findings.work.changing if findings.work else ()
    by_tool = [stage for stage in findings.steps if changes_files(stage) and not stage.via]
    main_stages = [stage for stage in by_tool if not stage.optional] or by_tool
    tools = say.join([*(code(stage.tool) for stage in main_stages), *map(code, by_line)], "or")
    of = max((stage.of for stage in findings.steps), default=0)
    files, command_files, removed_files, folders = [
        say.join([_shape(shape, say) for shape in shapes])
        for shapes in (findings.files, findings.files_by_commands, findings.removed_files, findings.target_folders)
    ]
    if tools or files:
        key = "change_files" if not files else "change_these_files" if tools else "write_files"
        sentence = say(key, tools=tools, of=of, files=files)
        yield sentence + (say("changed_by_commands", of=of, files=command_files) if command_files else "")
    if removed_files:
        yield say("remove_files", of=of, files=removed_files)
    if folders:
        yield say("move_files", of=of, folders=folders)


def _shape(shape: FileShape, say: Phrases) -> str:
    if shape.added_lines:
        lines = say.join([code(line) for line in shape.added_lines])
        return say("with_lines", tool=code(shape.path), n=shape.runs, lines=lines)
    if not shape.beginnings:
        return say("chore", tool=code(shape.path), n=shape.runs)
    starts = say.join([code(f"{start} …") for start in shape.beginnings], "or")
    return say("new_files", tool=code(shape.path), n=shape.runs, starts=starts)


def of_work(findings: PatternFindings) -> Iterator[str]:
    """Yield the steps of work on files and by command lines; commands in their order."""
    work, say = findings.work, findings.say
    if work is None:
        yield from _changing_files(findings)
        return
    if work.tried_before >= MOSTLY * work.of:
        yield say("try_before", n=work.tried_before, of=work.of)
    acts = [stage for stage in acting(findings) if stage.via and stage.changes and not is_edit(stage.tool)]
    first = [stage for stage in acts if stage.tool in work.before and not _is_kind_of(stage.tool, work.starting)]
    yield from (_command(stage, say) for stage in first)
    yield from _changing_files(findings)
    if work.tried_after >= MOSTLY * work.of:
        yield say("try_after", n=work.tried_after, of=work.of)
    yield from _commands([stage for stage in acts if stage not in first], work, say)
    if work.failing:
        yield say("not_starting", tools=say.join([_start_counts(form, say) for form in work.failing]))
    chores = [(kind, n) for kind, n in work.chores if kind != "rm" or not findings.removed_files]
    if chores:
        sentences = [say("chore", tool=code(kind), n=n) for kind, n in chores]
        yield say("tidy_up", tools=say.join(sentences), of=work.of)


def _commands(acts: Sequence[Stage], work: CommandWork, say: Phrases) -> Iterator[str]:
    """Yield the commands; at the first test, or first of all, one sentence on all tests and how often they started."""
    shapes = {form: stage.shape for form in work.starting for stage in acts if _is_called(form.form, stage.shape)}
    tests = say(
        "run_tests", tools=say.join([_start_counts(form, say, shapes.get(form)) for form in work.starting], "or")
    )
    at = next((n for n, stage in enumerate(acts) if _is_kind_of(stage.tool, work.starting)), 0)
    for n, stage in enumerate(acts):
        if n == at and work.starting:
            yield tests
        if not _is_kind_of(stage.tool, work.starting):
            yield _command(stage, say)
    if not acts and work.starting:
        yield tests


def _is_called(form: str, shape: str) -> bool:
    """Return whether a shape is one of this form, between whose words options may stand: `pnpm --filter web test`."""
    words = iter(shape.split())
    return next(words, "") == form.split(maxsplit=1)[0] and all(word in words for word in form.split()[1:])


def _command(stage: Stage, say: Phrases) -> str:
    """Return the sentence of a command, or of the request that it sends."""
    key = "step_command" if stage.is_command else "step"
    command = code(stage.spoken, LONGEST_CALL)
    return in_share(stage, say(key, phrase=upper_first(phrase(stage.tool)), tool=command, often=""), say)


def in_share(stage: Stage, sentence: str, say: Phrases) -> str:
    """Return the sentence of a step with the share of the runs that took it, where it is not nearly all."""
    if stage.share >= ALWAYS:
        return sentence
    step = sentence if say.language == "zh" else f"{sentence[:1].lower()}{sentence[1:]}"
    return say("if_needed" if stage.optional else "in_runs", n=stage.runs, of=stage.of, step=step)


def acting(findings: PatternFindings) -> list[Stage]:
    """Remove commands that only read, prepare or clean up, and those that do not start here."""
    idle_tools = CHORES | ({form.form for form in findings.work.failing} if findings.work else set())
    return [stage for stage in findings.steps if not stage.via or (stage.changes and stage.tool not in idle_tools)]


def _start_counts(form: Tally, say: Phrases, shape: str | None = None) -> str:
    return say("starts", tool=code(shape or form.form), n=form.started, of=form.runs)


def _is_kind_of(kind: str, forms: Sequence[Tally]) -> bool:
    words_by_form = [(form.form, form.form.split()) for form in forms]
    return any(
        kind in {form, words[-1], " ".join([kind_name(words[0].removeprefix("./")), *words[1:]])}
        for form, words in words_by_form
    )
