"""What all analyses say of the runs of one pattern: the text of its skill is made from this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison import records, triggers
from consolidation.learning.comparison.command_work import CommandWork, command_work
from consolidation.learning.comparison.contrast import Contrast, contrast
from consolidation.learning.comparison.neighbours import Difference, differences
from consolidation.learning.comparison.records import Condition, OtherValue
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.comparison.triggers import Term
from consolidation.learning.effects.effects import telling
from consolidation.learning.runs.harness_tools import FILE_CHANGES, PATHS
from consolidation.learning.writing import argument_choices, file_shapes
from consolidation.learning.writing.argument_choices import Choice
from consolidation.learning.writing.argument_sources import Sources, arguments
from consolidation.learning.writing.failures import Mode, modes
from consolidation.learning.writing.file_shapes import FileShape
from consolidation.learning.writing.phrases import Phrases, phrases
from consolidation.learning.writing.recipe import Stage, stages


@dataclass(frozen=True, eq=False)
class Learned:
    """`said`: terms of the requests; `met`: errors; `signs`: conditions of the records acted on; `other`: a value with
    which another effect is right; `choices`: what decides arguments, by tool and argument; `seen`: other ways for
    similar requests; `beside`: how failed runs differ; `work`: statistics of command lines; `files`: shapes of the
    files that most runs changed, `files_by_commands`: of those that their commands changed, `removed`: of those that
    they removed; `moved`: the folders to which they moved files.
    """

    scope: Scope
    say: Phrases
    steps: Sequence[Stage]
    sources: Sources
    said: Sequence[Term]
    met: Sequence[Mode]
    signs: Sequence[Condition]
    other: OtherValue | None
    choices: Mapping[str, Mapping[str, Choice]]
    seen: Contrast
    beside: Sequence[Difference]
    work: CommandWork | None
    files: Sequence[FileShape]
    files_by_commands: Sequence[FileShape]
    removed: Sequence[FileShape]
    moved: Sequence[FileShape]

    @cached_property
    def own(self) -> frozenset[str]:
        """The effects of the pattern."""
        return self.scope.effects(self.scope.runs[0])

    @cached_property
    def acts(self) -> Sequence[Stage]:
        """The steps that characterize the skill: required effects; of commands first those that check or publish."""
        acts = [stage for stage in self.steps if stage.changes]
        needed = [stage for stage in acts if not stage.optional] or acts
        commands = telling([stage.tool for stage in needed if stage.via], beside=[s.tool for s in needed if not s.via])
        return [stage for stage in needed if not stage.via or stage.tool in commands]

    @cached_property
    def places(self) -> Sequence[str]:
        """The repositories or packages in which nearly all runs worked by command lines; work on services is bound to
        none: the folder that their commands name most is what they looked at."""
        return self.work.places if self.work and not all(map(is_of_service, self.own)) else ()

    @cached_property
    def is_coding(self) -> bool:
        """Whether files are changed, by command lines or by the tools of a coding agent."""
        return bool(self.work or self.files or self.removed or self.moved) or any(
            stage.tool in FILE_CHANGES and PATHS & stage.args_schema.get("properties", {}).keys()
            for stage in self.steps
        )


def look(scope: Scope) -> Learned:
    """Run all analyses over the scope."""
    say, sources, signs = phrases(scope), arguments(scope, scope.shown_by), records.signs(scope)
    files, steps = file_shapes.changed(scope, scope.shown_by), stages(scope, say, sources)
    deciding = [stage.tool for stage in steps if stage.changes and stage.kind == "step"]
    return Learned(
        scope,
        say,
        steps,
        sources,
        triggers.request_terms(scope),
        modes(scope, say),
        signs,
        records.other_value(scope, signs),
        {tool: argument_choices.choices(scope, tool) for tool in deciding},
        contrast(scope),
        differences(scope),
        command_work(scope),
        files,
        file_shapes.changed_by_commands(scope, scope.shown_by, files),
        file_shapes.removed(scope, scope.shown_by),
        file_shapes.moved(scope, scope.shown_by),
    )
