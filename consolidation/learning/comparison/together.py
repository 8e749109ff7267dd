"""Effects that often occur together with all effects of the pattern."""

from collections import defaultdict
from dataclasses import dataclass

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Run

LEAST_CASES = 2
SHARE = 0.1
MOST = 2


@dataclass(frozen=True)
class Companion(Counted):
    """An effect that `runs` of the `of` successes with all effects of the pattern have too."""

    tool: str
    runs: int
    of: int


def companions(scope: Scope) -> list[Companion]:
    """Return up to MOST companions, the most frequent first."""
    own = scope.effects(scope.runs[0])
    if not own:
        return []
    wider = [run for run in scope.all if run.succeeded and own <= scope.effects(run)]
    least = 1 if scope.parts else LEAST_CASES
    having: dict[str, list[Run]] = defaultdict(list)
    for run in wider:
        for tool in scope.effects(run) - own:
            having[tool].append(run)
    several = {tool: runs for tool, runs in having.items() if len({run.thread for run in runs}) >= least}
    more = [Companion(tool, len(runs), len(wider), ids=ids_of(runs)) for tool, runs in several.items()]
    clear = [companion for companion in more if companion.runs >= SHARE * companion.of]
    return sorted(clear, key=lambda companion: (-companion.runs, companion.tool))[:MOST]
