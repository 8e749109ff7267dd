"""The calls of a run that are steps of a plan, and those that repeat each other as one step.

No steps are:
- commands of a line that only look at files or prepare them;
- failed attempts of what went well in the same run;
- a change that is repeated with the same arguments, except the last time;
- look-ups after the last change: that user asked for them, or they only confirm the change.
A run that only looks up and hands over has no plan: what matters there is when to hand over, which no plan tells.
"""

from collections.abc import Collection, Iterable, Sequence

from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.effects.effects import CHORES, started_kinds, with_service_commands
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import text_of

Row = tuple[str, list[Call]]


def steps_of(run: Run, rules: ToolRules) -> list[tuple[str, Call]]:
    """Return (kinds, call) of each step."""
    calls_by_kinds = [(", ".join(_kinds(call, rules)), call) for call in with_service_commands(run, rules).steps]
    successful_kinds = {kinds for kinds, call in calls_by_kinds if not call.failed}
    steps = [
        (kinds, call) for kinds, call in calls_by_kinds if kinds and not (call.failed and kinds in successful_kinds)
    ]
    last_index = {_step_key(*step): n for n, step in enumerate(steps)}
    steps_without_repeats = [
        step for n, step in enumerate(steps) if n == last_index[_step_key(*step)] or not _is_change(*step, rules)
    ]
    return _without_looks_behind(steps_without_repeats, rules)


def _without_looks_behind(steps: list[tuple[str, Call]], rules: ToolRules) -> list[tuple[str, Call]]:
    """Return the steps up to the last change, handover or command of a line; all of them where there is none.

    [] where the run only looked up and handed over.
    """
    acting = [n for n, (kinds, call) in enumerate(steps) if _acts(kinds, call, rules)]
    handed_over = [n for n, (kinds, _) in enumerate(steps) if any(map(rules.hands_over, kinds.split(", ")))]
    if not acting:
        return [] if handed_over else steps
    return steps[: max([*acting, *handed_over]) + 1]


def _acts(kinds: str, call: Call, rules: ToolRules) -> bool:
    return bool(call.via) or is_bare_line(call, rules) or any(map(rules.is_effect, kinds.split(", ")))


def _step_key(kinds: str, call: Call) -> tuple[str, str, str]:
    return kinds, call.page, text_of(call.arguments)


def _is_change(kinds: str, call: Call, rules: ToolRules) -> bool:
    return bool(call.arguments) and rules.is_effect(kinds)


def is_bare_line(call: Call, rules: ToolRules) -> bool:
    """Return whether a call is a whole command line that was not split into its commands."""
    return rules.runs_commands(call.name) and not call.via


def _kinds(call: Call, rules: ToolRules) -> Collection[str]:
    kinds = started_kinds(call, rules)
    if not (call.via or is_bare_line(call, rules)):
        return kinds
    return [kind for kind in kinds if is_of_service(kind) or (rules.is_effect(kind) and kind not in CHORES)]


def fold_repeats(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with adjacent repeats of a sequence joined: six times an invoice and its supplier become one row
    of six invoices and one of their suppliers. Sequences of two or more rows; calls are appended in place."""
    output: list[Row] = []
    for row in rows:
        output.append(row)
        size = next(
            (n for n in range(2, len(output) // 2 + 1) if _names(output[-n:]) == _names(output[-2 * n : -n])),
            0,
        )
        repeated_rows = [output.pop() for _ in range(size)][::-1]
        for former_row, repeated_row in zip(output[len(output) - size :], repeated_rows, strict=True):
            former_row[1].extend(repeated_row[1])
    return output


def _names(rows: Sequence[Row]) -> list[str]:
    return [op for op, _ in rows]
