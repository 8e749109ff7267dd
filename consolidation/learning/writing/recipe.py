"""Steps of a competence: tools in order, with frequency, argument schema and typical result."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, Literal

from consolidation.learning.commands import checking
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.commands.resources import is_of_resource
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.effects import refused_kinds
from consolidation.learning.effects.toolnames import words
from consolidation.learning.runs import operations
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import CountedResult, Ids, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.writing import schemas
from consolidation.learning.writing.argument_sources import Sources, arguments
from consolidation.learning.writing.command_shapes import usual_shape
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.schemas import returns

LEFT_OUT_BELOW = 0.2
OPTIONAL_BELOW = 0.5
RARELY = 0.75
LONGEST_CALL = 200
FEW = 3
_HEAD = re.compile(r"[.\[]")


@dataclass(frozen=True)
class Stage(CountedResult):
    """One tool of the recipe.

    `runs` of `of` successes used it, usually `usual` times, at most `most`. `per`: the argument that differed at each
    repetition; `returns`: description of a successful result.
    """

    tool: str
    runs: int
    of: int
    usual: int
    most: int
    per: str
    changes: bool
    args_schema: dict[str, Any]
    returns: str
    well: bool = True  # the counted runs are successes
    via: str = ""  # of a command: the tool that runs it
    through: str = ""  # of an operation: the tool that does it
    shape: str = ""  # of a command: how it is usually called
    on: str = ""  # of a button: the page on which it is pressed; of a page: itself

    @property
    def agent_tool(self) -> str:
        """The tool that an agent needs for it."""
        return self.via or self.through or self.tool

    @property
    def is_command(self) -> bool:
        """Whether it is shown as a command line; a request that `curl` sends is shown as the request."""
        return bool(self.via) and not operations.tool_name(self.tool)

    @property
    def speaks(self) -> bool:
        """Whether its name says what it does, like the name of a tool."""
        return not self.is_command or is_of_resource(self.tool)

    @property
    def spoken(self) -> str:
        """The name in a sentence: of a command with the shape of its arguments, of a button, page or sheet its own."""
        return self.address if self.kind in ("button", "page", "sheet") else self.shape or self.tool

    @property
    def address(self) -> str:
        """What an operation names behind its verb: a button, a page, a sheet."""
        return operations.address(self.tool) if self.kind == "sheet" else self.tool.partition(" ")[2]

    @property
    def is_button(self) -> bool:
        return operations.is_button(self.tool)

    @property
    def is_page(self) -> bool:
        """Whether a browser opens it."""
        return bool(self.on) and not self.is_button

    @property
    def kind(self) -> Literal["button", "page", "sheet", "command", "operation", "step"]:
        """The kind of its sentence: part of the keys in `phrases`."""
        if operations.is_sheet(self.tool):
            return "sheet"
        if self.is_button or self.is_page:
            return "button" if self.is_button else "page"
        if self.is_command:
            return "command"
        return "operation" if self.through or self.via else "step"

    def is_open(self, path: str) -> bool:
        """Return whether the agent supplies an argument: not if the shape of the command fixes it."""
        is_in_shape = self.via and self.shape and f"{{{_HEAD.split(path)[0]}}}" not in self.shape
        return not path.startswith("*") and not (is_in_shape and is_of_service(self.tool))

    @property
    def share(self) -> float:
        """Share of the successes that used the tool."""
        return self.runs / self.of

    @property
    def tells(self) -> bool:
        """Whether `returns` holds a text or a state, not only names of fields."""
        return self.returns.startswith("“") or bool(re.search(r"` (?!and `)\w", self.returns))

    @property
    def optional(self) -> bool:
        """Whether less than OPTIONAL_BELOW of the successes used the tool."""
        return self.share < OPTIONAL_BELOW


def stages(scope: Scope, say: Phrases, sources: Sources | None = None) -> list[Stage]:
    """Return the tools of the successes in order.

    Left out: tools of less than LEFT_OUT_BELOW of the runs or of a single one of several, and rarely used look-ups
    whose results were not used.
    """
    calls_by_run = [_by_tool(run, scope) for run in scope.examples]
    uses: dict[str, list[list[Call]]] = defaultdict(list)
    for calls in calls_by_run:
        for tool in calls:
            uses[tool].append(calls[tool])
    tools = {
        tool
        for tool in uses
        if len(uses[tool]) >= max(LEFT_OUT_BELOW * len(calls_by_run), 2 if len(calls_by_run) > 2 else 1)
    }
    order = _order([_in_order(calls, tools, scope) for calls in calls_by_run], scope.changes)
    ids_by_tool = {
        tool: ids_of(run for run, calls in zip(scope.examples, calls_by_run, strict=True) if tool in calls)
        for tool in order
    }
    all_stages = [_stage(scope, say, tool, uses[tool], len(calls_by_run), ids_by_tool[tool]) for tool in order]
    return _telling(scope, all_stages, arguments(scope, scope.examples) if sources is None else sources)


def _telling(scope: Scope, candidates: list[Stage], sources: Sources) -> list[Stage]:
    """Remove rarely used look-ups that fed no other step or came after the last change, and the pages on which buttons
    are pressed, which are told with these."""
    last = max((n for n, stage in enumerate(candidates) if stage.changes), default=-1)
    if last < 0:
        return candidates
    feeds = {(origin.tool, tool) for (tool, _), origins in sources.items() for origin in origins if origin.tool}
    feeding, on = {origin for origin, _ in feeds}, {stage.on for stage in candidates if stage.is_button}
    candidates = [s for s in candidates if not (s.is_page and s.address in on) or s.tool in feeding]
    useful = {stage.tool for n, stage in enumerate(candidates) if not _may_go(scope, stage, after=n > last)}
    for stage in reversed(candidates):
        if any((stage.tool, tool) in feeds for tool in useful):
            useful.add(stage.tool)
    return [stage for stage in candidates if stage.tool in useful]


def _may_go(scope: Scope, stage: Stage, *, after: bool) -> bool:
    is_rare = stage.share < RARELY if after or stage.runs < FEW else stage.optional
    return is_rare and scope.rules.reads(stage.tool) and not stage.via


def _by_tool(run: Run, scope: Scope) -> dict[str, list[Call]]:
    """Return tool -> its calls, in the order of first use, else of last use."""
    by_name: dict[str, list[Call]] = {}
    refused_commands = refused_kinds(
        run, {call.name for call in run.steps if call.via and scope.changes(call.name)}, scope.rules
    )
    for call in run.steps:
        if call.started and call.name not in scope.rules.ignored | refused_commands and words(call.name) != ["think"]:
            is_repeated = _is_called_again(call, scope)
            earlier = by_name.pop(call.name, []) if is_repeated else by_name.get(call.name, [])
            by_name[call.name] = [
                *(earlier_call for earlier_call in earlier if not _is_mended(earlier_call, call, run)),
                call,
            ]
    return by_name


def _is_called_again(call: Call, scope: Scope) -> bool:
    """Return whether its last use counts instead of its first: a refused change of a service, or push, is repeated
    after what it needs, though its line may have ended well; a script that checks runs before and after the work; a
    form is sent again when something was missing."""
    if call.button:
        return scope.changes(call.name)
    is_repeated = is_of_service(call.name) or bool(call.push) or checking.runs_named_check([call.name])
    return bool(call.via) and is_repeated and scope.changes(call.name)


def _is_mended(earlier: Call, later: Call, run: Run) -> bool:
    """Return whether a form was sent again with the same fields after the user had said something."""
    is_same = bool(later.button) and earlier.arguments == later.arguments
    return is_same and run.user_message_before(earlier.position) != run.user_message_before(later.position)


def _in_order(calls: Mapping[str, list[Call]], tools: Collection[str], scope: Scope) -> list[str]:
    """Order these tools of a run by their first use that did not fail.

    Of commands by their first use: a test that fails at first shows what is to be changed.
    """
    places = {tool: _place(uses, scope) for tool, uses in calls.items() if tool in tools}
    return sorted(places, key=lambda tool: places[tool])


def _place(uses: Sequence[Call], scope: Scope) -> int:
    if _is_called_again(uses[0], scope):
        return next((call for call in reversed(uses) if not call.failed), uses[-1]).position
    return next((call for call in uses if call.via or not call.failed), uses[0]).position


def _order(sequences: Sequence[Sequence[str]], changes: Callable[[str], bool]) -> list[str]:
    """Order tools by mean rank of first use; rarely used ones go before the first tool that they mostly precede, on a
    tie a look-up before a change."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for sequence in sequences:
        for rank, tool in enumerate(sequence):
            ranks[tool].append(rank)
    rare_tools = {tool for tool in ranks if len(ranks[tool]) < OPTIONAL_BELOW * len(sequences)}
    order = sorted(ranks, key=lambda tool: (tool in rare_tools, sum(ranks[tool]) / len(ranks[tool]), tool))
    for tool in [tool for tool in order if len(ranks[tool]) < RARELY * len(sequences)]:
        at = order.index(tool)
        ties = [not changes(tool) and changes(other) for other in order]
        before = next((n for n in range(at) if _mostly_before(tool, order[n], sequences, ties[n])), at)
        order.insert(before, order.pop(at))
    return order


def _mostly_before(tool: str, other: str, sequences: Sequence[Sequence[str]], half_is_enough: bool = False) -> bool:
    common = [s for s in sequences if tool in s and other in s]
    first = sum(1 for s in common if s.index(tool) < s.index(other)) * 2
    return first > len(common) or (half_is_enough and first == len(common) > 0)


def _stage(scope: Scope, say: Phrases, tool: str, uses: Sequence[Sequence[Call]], total: int, ids: Ids) -> Stage:
    calls_by_run = [[call for call in calls if not call.failed] or list(calls) for calls in uses]
    all_calls = [call for calls in calls_by_run for call in calls]
    counts = [len(calls) for calls in calls_by_run]
    return Stage(
        tool=tool,
        runs=len(uses),
        of=total,
        usual=median_low(counts),
        most=max(counts),
        per=_per(scope, tool, calls_by_run),
        changes=scope.changes(tool),
        args_schema={} if all_calls[0].via else schemas.of(scope, tool, all_calls),
        returns=returns(scope, say, tool, [call for call in all_calls if not call.failed]),
        well=bool(scope.successes),
        via=next((call.via for call in all_calls if call.via), ""),
        through=all_calls[0].tool_name if all_calls[0].is_operation else "",
        shape=usual_shape(scope, tool) if all_calls[0].via else "",
        on=_page(all_calls),
        ids=ids,
    )


def _page(calls: Sequence[Call]) -> str:
    """Return the page that is opened, or on which most presses of a button happened; '' for none."""
    page, times = Counter(call.page for call in calls).most_common(1)[0]
    return page if times * 2 > len(calls) else ""


def _per(scope: Scope, tool: str, uses: Sequence[Sequence[Call]]) -> str:
    """Return the one short argument that differs between repeated calls; '' unless there is exactly one."""
    argument_sets = [_varied_arguments(calls) for calls in uses if len(calls) > 1]
    names = (
        [key for key in sorted(set.intersection(*argument_sets)) if scope.may_name_argument(tool, key)]
        if argument_sets
        else []
    )
    return names[0] if len(names) == 1 else ""


def _varied_arguments(calls: Sequence[Call]) -> set[str]:
    """Return the arguments that have a different short value in each call."""
    keys = {key for call in calls for key in call.arguments}
    values_by_key = {key: [call.arguments.get(key) for call in calls] for key in keys}
    return {
        key
        for key, texts in values_by_key.items()
        if all(map(_short, texts)) and len(set(map(str, texts))) == len(texts)
    }


def _short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(str(value).split()) <= 3
