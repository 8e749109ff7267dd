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
from consolidation.learning.effects.effects import characteristic_kinds
from consolidation.learning.runs.harness_tools import FILE_CHANGES, PATHS
from consolidation.learning.writing import argument_choices, file_shapes
from consolidation.learning.writing.argument_choices import Choice
from consolidation.learning.writing.argument_conditions import Condition as Deciding
from consolidation.learning.writing.argument_sources import Sources, arguments
from consolidation.learning.writing.call_conditions import record_conditions
from consolidation.learning.writing.failures import Mode, modes
from consolidation.learning.writing.file_shapes import FileShape
from consolidation.learning.writing.phrases import Phrases, phrases
from consolidation.learning.writing.recipe import Stage, stages


@dataclass(frozen=True, eq=False)
class PatternFindings:
    """`terms`: of the requests; `signs`: conditions of the records acted on; `other_value`: one with which another
    effect is right; `choices`: what decides arguments, by tool and argument; `call_conditions`: what decides that a
    record gets a call, by tool; `contrast`: other ways for similar requests; `differences`: of failed runs; `work`:
    statistics of command lines; `files`: shapes of the files that most runs changed, `files_by_commands`: of those that
    their commands changed, `removed_files`: of those that they removed; `target_folders`: to which they moved files.
    """

    scope: Scope
    say: Phrases
    steps: Sequence[Stage]
    sources: Sources
    terms: Sequence[Term]
    error_modes: Sequence[Mode]
    signs: Sequence[Condition]
    other_value: OtherValue | None
    choices: Mapping[str, Mapping[str, Choice]]
    call_conditions: Mapping[str, Sequence[Deciding]]
    contrast: Contrast
    differences: Sequence[Difference]
    work: CommandWork | None
    files: Sequence[FileShape]
    files_by_commands: Sequence[FileShape]
    removed_files: Sequence[FileShape]
    target_folders: Sequence[FileShape]

    @cached_property
    def effects(self) -> frozenset[str]:
        """The effects of the pattern."""
        return self.scope.effects(self.scope.runs[0])

    @cached_property
    def acts(self) -> Sequence[Stage]:
        """The steps that characterize the skill: required effects; of commands first those that check or publish."""
        acts = [stage for stage in self.steps if stage.changes]
        required = [stage for stage in acts if not stage.optional] or acts
        commands = characteristic_kinds(
            [stage.tool for stage in required if stage.via], beside=[s.tool for s in required if not s.via]
        )
        return [stage for stage in required if not stage.via or stage.tool in commands]

    @cached_property
    def places(self) -> Sequence[str]:
        """The repositories or packages in which nearly all runs worked by command lines; work on services is bound to
        none: the folder that their commands name most is what they looked at."""
        return self.work.places if self.work and not all(map(is_of_service, self.effects)) else ()

    @cached_property
    def is_coding(self) -> bool:
        """Whether files are changed, by command lines or by the tools of a coding agent."""
        return bool(self.work or self.files or self.removed_files or self.target_folders) or any(
            stage.tool in FILE_CHANGES and PATHS & stage.args_schema.get("properties", {}).keys()
            for stage in self.steps
        )


def look(scope: Scope) -> PatternFindings:
    """Run all analyses over the scope."""
    say, sources, signs = phrases(scope), arguments(scope, scope.examples), records.signs(scope)
    files, steps = file_shapes.changed_files(scope, scope.examples), stages(scope, say, sources)
    tools = [stage.tool for stage in steps if stage.changes and stage.kind == "step"]
    return PatternFindings(
        scope,
        say,
        steps,
        sources,
        triggers.request_terms(scope),
        modes(scope, say),
        signs,
        records.other_value(scope, signs),
        {tool: argument_choices.choices(scope, tool) for tool in tools},
        {tool: record_conditions(scope, tool) for tool in tools},
        contrast(scope),
        differences(scope),
        command_work(scope),
        files,
        file_shapes.files_changed_by_commands(scope, scope.examples, files),
        file_shapes.removed_files(scope, scope.examples),
        file_shapes.target_folders(scope, scope.examples),
    )
