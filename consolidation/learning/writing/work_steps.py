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
from consolidation.learning.writing.learned import Learned
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import LONGEST_CALL, Stage

ALWAYS = 0.75


def is_told(stage: Stage, learned: Learned) -> bool:
    """Return whether a stage is told as a tool: not a command, nor how every coding agent reads and writes files."""
    return not stage.via and not (learned.is_coding and stage.tool in FILE_CHANGES | ONLY_READING)


def changes_files(stage: Stage) -> bool:
    """Return whether a stage only changes files, by a tool or a command line."""
    return is_edit(stage.tool) if stage.via else stage.tool in FILE_CHANGES


def _changing_files(learned: Learned) -> Iterator[str]:
    """Yield the sentences that files are changed, removed and moved, with shapes of those that most runs changed."""
    say, by_line = learned.say, learned.work.changing if learned.work else ()
    by_tool = [stage for stage in learned.steps if changes_files(stage) and not stage.via]
    own = [stage for stage in by_tool if not stage.optional] or by_tool
    tools = say.join([*(code(stage.tool) for stage in own), *map(code, by_line)], "or")
    of = max((stage.of for stage in learned.steps), default=0)
    named, by_commands, removed, moved = [
        say.join([_shape(shape, say) for shape in shapes])
        for shapes in (learned.files, learned.files_by_commands, learned.removed, learned.moved)
    ]
    if tools or named:
        key = "change_files" if not named else "change_these_files" if tools else "write_files"
        sentence = say(key, tools=tools, of=of, files=named)
        yield sentence + (say("changed_by_commands", of=of, files=by_commands) if by_commands else "")
    if removed:
        yield say("remove_files", of=of, files=removed)
    if moved:
        yield say("move_files", of=of, folders=moved)


def _shape(shape: FileShape, say: Phrases) -> str:
    if shape.added:
        lines = say.join([code(line) for line in shape.added])
        return say("with_lines", tool=code(shape.path), n=shape.runs, lines=lines)
    if not shape.beginnings:
        return say("chore", tool=code(shape.path), n=shape.runs)
    starts = say.join([code(f"{start} …") for start in shape.beginnings], "or")
    return say("new_files", tool=code(shape.path), n=shape.runs, starts=starts)


def of_work(learned: Learned) -> Iterator[str]:
    """Yield the steps of work on files and by command lines; commands in their order."""
    work, say = learned.work, learned.say
    if work is None:
        yield from _changing_files(learned)
        return
    if work.tried_before >= MOSTLY * work.of:
        yield say("try_before", n=work.tried_before, of=work.of)
    acts = [stage for stage in acting(learned) if stage.via and stage.changes and not is_edit(stage.tool)]
    first = [stage for stage in acts if stage.tool in work.before and not _is_named(stage.tool, work.starting)]
    yield from (_command(stage, say) for stage in first)
    yield from _changing_files(learned)
    if work.tried_after >= MOSTLY * work.of:
        yield say("try_after", n=work.tried_after, of=work.of)
    yield from _commands([stage for stage in acts if stage not in first], work, say)
    if work.failing:
        yield say("not_starting", tools=say.join([_started(form, say) for form in work.failing]))
    chores = [(kind, n) for kind, n in work.chores if kind != "rm" or not learned.removed]
    if chores:
        sentences = [say("chore", tool=code(kind), n=n) for kind, n in chores]
        yield say("tidy_up", tools=say.join(sentences), of=work.of)


def _commands(acts: Sequence[Stage], work: CommandWork, say: Phrases) -> Iterator[str]:
    """Yield the commands; the tests with how often they started, where the first of them stands, else first of all."""
    shapes = {form: stage.shape for form in work.starting for stage in acts if _is_called(form.form, stage.shape)}
    tests = say("run_tests", tools=say.join([_started(form, say, shapes.get(form)) for form in work.starting], "or"))
    at = next((n for n, stage in enumerate(acts) if _is_named(stage.tool, work.starting)), 0)
    for n, stage in enumerate(acts):
        if n == at and work.starting:
            yield tests
        if not _is_named(stage.tool, work.starting):
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
    called = code(stage.spoken, LONGEST_CALL)
    return in_share(stage, say(key, phrase=upper_first(phrase(stage.tool)), tool=called, often=""), say)


def in_share(stage: Stage, sentence: str, say: Phrases) -> str:
    """Return the sentence of a step with the share of the runs that took it, where it is not nearly all."""
    if stage.share >= ALWAYS:
        return sentence
    step = sentence if say.language == "zh" else f"{sentence[:1].lower()}{sentence[1:]}"
    return say("if_needed" if stage.optional else "in_runs", n=stage.runs, of=stage.of, step=step)


def acting(learned: Learned) -> list[Stage]:
    """Remove commands that only read, prepare or clean up, and those that do not start here."""
    idle = CHORES | ({form.form for form in learned.work.failing} if learned.work else set())
    return [stage for stage in learned.steps if not stage.via or (stage.changes and stage.tool not in idle)]


def _started(form: Tally, say: Phrases, shape: str | None = None) -> str:
    return say("starts", tool=code(shape or form.form), n=form.started, of=form.runs)


def _is_named(kind: str, forms: Sequence[Tally]) -> bool:
    called = [(form.form, form.form.split()) for form in forms]
    return any(
        kind in {form, words[-1], " ".join([kind_name(words[0].removeprefix("./")), *words[1:]])}
        for form, words in called
    )
