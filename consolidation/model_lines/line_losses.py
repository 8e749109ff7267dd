"""Whether a recorded run heeded a line, and what the line would have done to the store's runs of other cases than its
own.

Of the latest runs of the scope those count in which a user or a tool said the line's sign, and that, for a line of a
skill, guidance leads to it without knowing their case; for a lesson, that are like one of its own runs. A run that
ended well although it did not heed the line would be lost; one that ended ill without heeding it may be gained. A line
of one case is measured without that case; one that was written from several cases on all of them, since it is known
without each.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from consolidation.extraction.transcripts import comparable
from consolidation.guidance.latest_runs import LatestRuns
from consolidation.guidance.skill_worth import LATEST, Led
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import leaves
from consolidation.model_lines.line_answers import ModelLine
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode, Memory
from memories.values.text import as_text

LEAST_ALIKE = 0.2  # of two runs; of recorded ones a quarter of all pairs, and nearly all of one case


def heeds(run: Run, line: ModelLine, rules: ToolRules) -> bool:
    """Whether the run did as the line says: made such a call where it says do, and none where it says do not."""
    return any(_is_meant(call, line, rules) for call in run.steps) == line.do


def calls_tool(run: Run, tool: str, rules: ToolRules) -> bool:
    return any(_may_be_named(call, tool, rules) for call in run.steps)


def _may_be_named(call: Call, tool: str, rules: ToolRules) -> bool:
    """Whether a model that read the call may name it so: by its tool, or by what it counts as."""
    return tool in {call.name, call.tool_name, *rules.kinds(call)}


def _is_meant(call: Call, line: ModelLine, rules: ToolRules) -> bool:
    if not _may_be_named(call, line.tool, rules):
        return False
    if not line.argument:
        return True
    value = comparable(line.value)
    return any(line.argument in path and comparable(as_text(leaf)) == value for path, leaf in leaves(call.arguments))


def shows(run: Run, sign: str) -> bool:
    """Whether a user or a tool said these words in the run."""
    words = comparable(sign)
    results = (as_text(call.result) for call in run.steps if call.result is not None)
    return any(words in comparable(text) for text in (*(message.text for message in run.user_messages), *results))


@dataclass(frozen=True)
class Effect:
    """Runs of other cases that the line concerns, and how many of them it would have changed."""

    concerned: int
    lost: int
    gained: int


@dataclass(frozen=True)
class Store:
    """The runs on which lines are measured: on those of them that are `similar`."""

    runs: Sequence[Run]
    rules: ToolRules
    similar: Sequence[Run] = field(default=())

    def effect(self, line: ModelLine, cases: Collection[frozenset[str]]) -> Effect:
        """`cases`: the threads of each pair of runs that the line was written from."""
        without = set().union(*cases) if len(cases) == 1 else set()
        runs_concerned = [run for run in self.similar if run.thread not in without and shows(run, line.sign)]
        not_heeding = [run for run in runs_concerned if not heeds(run, line, self.rules)]
        lost = sum(run.succeeded for run in not_heeding)
        return Effect(len(runs_concerned), lost, len(not_heeding) - lost)


def store_of(memory: Memory) -> Store:
    """What speaks for or against lines of this skill: nothing above its sensitivity."""
    led = Led(LatestRuns.of(memory.scope, memory.sensitivity))
    runs_by_id, rules = _read(led.latest)
    routed_ids = [led.runs[n].pk for n in led.routed(frozenset(memory.payload["effects"]))]
    return Store(list(runs_by_id.values()), rules, [runs_by_id[pk] for pk in routed_ids if pk in runs_by_id])


class ScopeStore:
    """The runs of a scope up to a level, on which its lessons are measured."""

    def __init__(self, scope: str, level: int) -> None:
        self._latest = LatestRuns.of(scope, level)
        self._runs_by_id, rules = _read(self._latest)
        self.all_runs = Store(list(self._runs_by_id.values()), rules)

    def like(self, runs: Collection[UUID]) -> Store:
        """The same for a lesson from these runs: measured on those that are like one of them."""
        ids = [run.pk for run in self._latest.runs]
        own_places = [n for n, pk in enumerate(ids) if pk in runs]
        if not own_places:
            return self.all_runs
        near = self._latest.among.overall[own_places].max(axis=0)
        alike = (self._runs_by_id[pk] for n, pk in enumerate(ids) if pk in self._runs_by_id and near[n] >= LEAST_ALIKE)
        return replace(self.all_runs, similar=[run for run in alike if run.outcome != "partial"])


def _read(latest: LatestRuns) -> tuple[dict[UUID, Run], ToolRules]:
    """The latest of them by id, and the rules by which their tools are told apart."""
    ids = [run.pk for run in latest.runs[:LATEST]]
    rules = tool_rules(Episode.objects.filter(pk__in=ids).order_by("closed_at", "pk").only("pk", "environment"))
    return {run.id: run for run in recorded.runs(ids)}, rules
