"""The tool rules of a scope: from the settings, the hints in callers' tool schemas, what people decided, and how tools
behaved whose names do not tell whether they change anything. Of those at most the latest calls are read."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import is_thought, name_tells
from consolidation.learning.runs import operations
from consolidation.models import ToolUse
from consolidation.models.tool_decisions import MOST_CALLS, Marks, marks
from consolidation.pipelines.recorded import read_only_hints
from memories.models import Episode, Event
from memories.values.choices import Outcome

LATEST_RUNS = 200  # of the scope, whose tools are looked at
APART = 0.25  # difference of two shares of success that is no chance
ENOUGH_OF_BOTH = 5  # runs with the tool and without it


def tool_rules(
    episodes: Iterable[Episode] = (),
    *,
    decided: Mapping[str, bool] | None = None,
    observed: Mapping[str, bool] | None = None,
) -> ToolRules:
    """Tool rules by the settings, how tools behaved, and the `readOnlyHint`s of these episodes; a later hint wins.

    `decided`: what people decided about tools, which holds against hints, as these do against behaviour; `observed`:
    that behaviour; None: as it stands.
    """
    stored_marks = marks() if decided is None or observed is None else Marks({}, {})
    decisions = stored_marks.decided if decided is None else decided
    observations = stored_marks.observed if observed is None else observed
    return ToolRules(
        ignored=frozenset(settings.IGNORED_TOOLS),
        handover=tuple(settings.HANDOVER_TOOLS),
        command_tools=frozenset(settings.COMMAND_TOOLS),
        marked={**observations, **read_only_hints(episodes), **decisions},
    )


def rules_of_each() -> Callable[[Episode], ToolRules]:
    """The rules of single episodes, by the hints of each; what else tells is read once, now.

    Nearly all have the same, and share the caches.
    """
    decided, observed = marks()
    rules_of_marks: dict[frozenset[tuple[str, bool]], ToolRules] = {}

    def rules(episode: Episode) -> ToolRules:
        own = tool_rules([episode], decided=decided, observed=observed)
        return rules_of_marks.setdefault(frozenset(own.marked.items()), own)

    return rules


class _Call(NamedTuple):
    episode_id: UUID
    position: int
    args: Any
    result: Any
    ok: bool | None
    sensitivity: int


def observe(scope: str, rules: ToolRules, *, at: datetime) -> None:
    """Count anew the calls of the uncertain tools of a scope's latest runs; two statements for each such tool."""
    latest = Episode.objects.filter(scope=scope, closed_at__isnull=False).order_by("-closed_at", "-pk")
    outcomes = dict(latest.values_list("pk", "outcome")[:LATEST_RUNS])
    steps = _steps(outcomes)
    tools = {tool for calls in steps.values() for _, tool in calls if is_uncertain(tool, rules)}
    if tools:
        tools -= read_only_hints(Episode.objects.filter(pk__in=outcomes).only("pk", "environment")).keys()
    observed = (_observed(tool, steps, outcomes, rules, at=at) for tool in sorted(tools))
    ToolUse.objects.keep([use for use in observed if use])


def _steps(episodes: Iterable[UUID]) -> dict[UUID, list[tuple[int, str]]]:
    """The calls of these runs, in order: position and tool."""
    calls = Event.objects.filter(episode__in=list(episodes), kind="tool_call").exclude(tool="")
    steps: dict[UUID, list[tuple[int, str]]] = defaultdict(list)
    for episode_id, position, tool in calls.order_by("position").values_list("episode_id", "position", "tool"):
        steps[episode_id].append((position, tool))
    return steps


def is_uncertain(tool: str, rules: ToolRules) -> bool:
    """Whether neither people, callers nor its name tell if calls of a tool change something."""
    is_ruled = tool in rules.marked or tool in rules.ignored or rules.hands_over(tool) or rules.runs_commands(tool)
    return not (is_ruled or is_thought(tool) or name_tells(tool))


def _observed(
    tool: str,
    steps: dict[UUID, list[tuple[int, str]]],
    outcomes: dict[UUID, str | None],
    rules: ToolRules,
    *,
    at: datetime,
) -> ToolUse | None:
    """None: a tool that does many things, whose calls tell one by one."""
    columns = ("episode_id", "position", "args", "result", "ok", "episode__memory__sensitivity")
    rows = Event.objects.filter(tool=tool, kind="tool_call").order_by("-episode_id", "position")
    calls = [_Call(*row) for row in rows.values_list(*columns)[:MOST_CALLS]]
    if any(operations.does_many(tool, call.args) for call in calls[:1]):
        return None
    with_it = {call.episode_id for call in calls}
    same, other = repeats(calls, steps | _steps(with_it - outcomes.keys()), rules)
    episodes_with_tool = {
        id for id, calls_of_episode in steps.items() if any(name == tool for _, name in calls_of_episode)
    }
    return ToolUse(
        tool=tool,
        at=at,
        calls=len(calls),
        runs=len(with_it),
        same=len(same),
        same_runs=len({call.episode_id for call in same}),
        other=len(other),
        outcomes_differ=_differ(
            [outcomes[id] for id in outcomes if id in episodes_with_tool],
            [outcomes[id] for id in outcomes if id not in episodes_with_tool],
        ),
        sensitivity=min(call.sensitivity for call in calls),
    )


def repeats(
    calls: Iterable[_Call], steps: dict[UUID, list[tuple[int, str]]], rules: ToolRules
) -> tuple[list[_Call], list[_Call]]:
    """The calls that repeat one of their run without a change between, and gave the same, or something else."""
    alike: dict[tuple[UUID, str], list[_Call]] = defaultdict(list)
    for call in calls:
        alike[call.episode_id, json.dumps(call.args, sort_keys=True, default=str)].append(call)
    same: list[_Call] = []
    other: list[_Call] = []
    for (episode_id, _), positions in alike.items():
        for first, second in pairwise(sorted(positions, key=lambda call: call.position)):
            between = (tool for position, tool in steps[episode_id] if first.position < position < second.position)
            if first.ok is not False and second.ok is not False and not any(map(rules.is_effect, between)):
                (same if first.result == second.result else other).append(second)
    return same, other


def _differ(with_it: Sequence[str | None], without: Sequence[str | None]) -> bool:
    shares = [[outcome == Outcome.SUCCESS for outcome in outcomes if outcome] for outcomes in (with_it, without)]
    if min(map(len, shares)) < ENOUGH_OF_BOTH:
        return False
    share_with, share_without = (sum(outcomes) / len(outcomes) for outcomes in shares)
    return abs(share_with - share_without) > APART
