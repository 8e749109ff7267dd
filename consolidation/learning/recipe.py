"""The steps of a competence: which tools, in which order, how often, with what arguments."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from consolidation.learning import schemas
from consolidation.learning.runs import Call, Run
from consolidation.learning.scope import Scope
from consolidation.learning.values import leaves

LEFT_OUT_BELOW = 0.2
OPTIONAL_BELOW = 0.5


@dataclass(frozen=True)
class Stage:
    """One tool of the recipe. `runs` of `of` successes used it, usually `usual` times, at most `most`; `per` is the
    argument that was another one at each repetition."""

    tool: str
    runs: int
    of: int
    usual: int
    most: int
    per: str
    changes: bool
    args_schema: dict[str, Any]

    @property
    def share(self) -> float:
        return self.runs / self.of

    @property
    def optional(self) -> bool:
        return self.share < OPTIONAL_BELOW


def stages(scope: Scope) -> list[Stage]:
    """The tools of the successes by mean rank of first use; those of less than a fifth of the runs are left out."""
    ranks: dict[str, list[int]] = defaultdict(list)
    uses: dict[str, list[list[Call]]] = defaultdict(list)
    for run in scope.successes:
        for rank, (tool, calls) in enumerate(_by_tool(run, scope).items()):
            ranks[tool].append(rank)
            uses[tool].append(calls)
    total = len(scope.successes)
    kept = [tool for tool in ranks if len(ranks[tool]) >= LEFT_OUT_BELOW * total]
    kept.sort(key=lambda tool: (sum(ranks[tool]) / len(ranks[tool]), tool))
    return [_stage(scope, tool, uses[tool], total) for tool in kept]


def _by_tool(run: Run, scope: Scope) -> dict[str, list[Call]]:
    found: dict[str, list[Call]] = {}
    for call in run.steps:
        if call.tool.strip() not in scope.ignored:
            found.setdefault(call.tool.strip(), []).append(call)
    return found


def _stage(scope: Scope, tool: str, uses: Sequence[Sequence[Call]], total: int) -> Stage:
    worked = [call for calls in uses for call in calls if not call.failed]
    seen = worked or [call for calls in uses for call in calls]
    counts = [len(calls) for calls in uses]
    return Stage(
        tool=tool,
        runs=len(uses),
        of=total,
        usual=round(median(counts)),
        most=max(counts),
        per=_per(scope, uses),
        changes=scope.changes(tool),
        args_schema=schemas.of(scope, tool, seen),
    )


def _per(scope: Scope, uses: Sequence[Sequence[Call]]) -> str:
    """The one argument that tells repeated calls apart, when there is exactly one in all runs that repeat."""
    candidates: set[str] | None = None
    for calls in uses:
        if len(calls) > 1:
            apart = _told_apart(calls)
            candidates = apart if candidates is None else candidates & apart
    named = {key for key in candidates or () if scope.may_name(key)}
    return named.pop() if len(named) == 1 else ""


def _told_apart(calls: Sequence[Call]) -> set[str]:
    keys = {key for call in calls for key in call.arguments}
    spelled = {key: [str(list(leaves(call.arguments.get(key)))) for call in calls] for key in keys}
    return {key for key, texts in spelled.items() if len(set(texts)) == len(texts)}
