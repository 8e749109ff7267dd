"""What a line would have done to the store's runs of other cases than those that it was written from.

Of the latest runs of the scope, those count that guidance, without knowing their case, leads to the skill, and in which
a user or a tool said the line's sign. A run that ended well although it did not heed the line would be lost; one that
ended ill without heeding it may be gained. A line of one case is measured without that case; one that was written from
several cases on all of them, since it is known without each.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from consolidation.guidance.latest_runs import LatestRuns
from consolidation.guidance.skill_worth import LATEST, Led
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.model_lines.actions import heeds, shows
from consolidation.model_lines.line_answers import ModelLine
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode, Memory


@dataclass(frozen=True)
class Effect:
    """Runs of other cases that the line concerns, and how many of them it would have changed."""

    concerned: int
    lost: int
    gained: int


@dataclass(frozen=True)
class Store:
    """The runs on which lines are measured: `routed` of `runs` are led to the skill."""

    runs: Sequence[Run]
    rules: ToolRules
    routed: Sequence[Run] = field(default=())

    def effect(self, line: ModelLine, cases: Collection[str]) -> Effect:
        """`cases`: those that the line was written from."""
        without = set(cases) if len(cases) == 1 else set()
        concerned = [run for run in self.routed if run.thread not in without and shows(run, line.sign)]
        against = [run for run in concerned if not heeds(run, line, self.rules)]
        lost = sum(run.succeeded for run in against)
        return Effect(len(concerned), lost, len(against) - lost)


def store_of(memory: Memory) -> Store:
    """What speaks for or against lines of this skill: nothing above its sensitivity."""
    led = Led(LatestRuns.of(memory.scope, memory.sensitivity))
    ids = [run.pk for run in led.runs[:LATEST]]
    rules = tool_rules(Episode.objects.filter(pk__in=ids).order_by("closed_at", "pk").only("pk", "environment"))
    known = {run.id: run for run in recorded.runs(ids)}
    routed = [led.runs[n].pk for n in led.routed(frozenset(memory.payload["effects"]))]
    return Store(list(known.values()), rules, [known[pk] for pk in routed if pk in known])
