"""Which other effects the successes had that include this one: often together."""

from collections import defaultdict
from dataclasses import dataclass

from consolidation.learning.scope import Scope

LEAST_CASES = 2
SHARE = 0.1
MOST = 2


@dataclass(frozen=True)
class Companion:
    """`runs` of `of` successes that had all effects of the pattern had this one too."""

    tool: str
    runs: int
    of: int


def companions(scope: Scope) -> list[Companion]:
    own = scope.effects(scope.runs[0])
    if not own:
        return []
    wider = [run for run in scope.all if run.succeeded and own <= scope.effects(run)]
    least = 1 if scope.parts else LEAST_CASES
    threads: dict[str, list[str]] = defaultdict(list)
    for run in wider:
        for tool in scope.effects(run) - own:
            threads[tool].append(run.thread)
    found = [Companion(tool, len(seen), len(wider)) for tool, seen in threads.items() if len(set(seen)) >= least]
    clear = [one for one in found if one.runs >= SHARE * one.of]
    return sorted(clear, key=lambda one: (-one.runs, one.tool))[:MOST]
