"""Which tools only read, as people decided; which tools the runs called, and how undecided ones behaved."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, Self

from django.db import connection, models, transaction
from django.db.models import Q, Value

from consolidation.learning.runs.operations import does_many
from memories.models import AuditEntry
from memories.models.trusted import new_id
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust

TOOL = "tool"
MOST_CALLS = 300  # latest calls of a tool that are looked at
# One step along the index for each tool, however many calls there are.
NAMES = """
    (SELECT tool FROM memories_event WHERE tool <> '' AND tool > %(after)s ORDER BY tool LIMIT 1)
    UNION ALL
    SELECT (SELECT e.tool FROM memories_event e WHERE e.tool <> '' AND e.tool > names.tool ORDER BY e.tool LIMIT 1)
    FROM names WHERE names.tool IS NOT NULL
"""
CALLED = """
WITH RECURSIVE names (tool) AS ({names})
SELECT names.tool, used.calls, used.runs, used.last_at, used.sensitivity, (
    SELECT e.args FROM memories_event e WHERE e.tool = names.tool AND e.kind = 'tool_call'
    ORDER BY e.episode_id DESC LIMIT 1
)
FROM names CROSS JOIN LATERAL (
    SELECT count(*), count(DISTINCT latest.episode_id), max(latest.at), min(memory.sensitivity)
    FROM (SELECT e.episode_id, e.at, e.kind FROM memories_event e WHERE e.tool <> '' AND e.tool = names.tool
          ORDER BY e.episode_id DESC LIMIT %(latest)s) AS latest
    JOIN memories_memory AS memory ON memory.id = latest.episode_id
    WHERE latest.kind = 'tool_call' AND {visible}
) AS used (calls, runs, last_at, sensitivity)
WHERE names.tool IS NOT NULL AND used.calls > 0 AND position(lower(%(words)s) IN lower(names.tool)) > 0
LIMIT %(most)s
"""


class CalledTool(NamedTuple):
    """A tool with those of its latest MOST_CALLS calls that the reader may see; `sensitivity`: the lowest of them.

    `does_many`: what a call does stands in its arguments.
    """

    name: str
    calls: int
    runs: int
    last_at: datetime
    sensitivity: int
    does_many: bool = False

    @property
    def is_cut(self) -> bool:
        return self.calls >= MOST_CALLS


def called_tools(trust: Trust, *, after: str = "", words: str = "", most: int) -> list[CalledTool]:
    """The tools that runs called which the reader may see, by name, beyond `after`; `words`: a part of their names."""
    return _called(trust, NAMES, after=after, words=words, most=most)


def called_tool(trust: Trust, name: str) -> CalledTool | None:
    """The tool of this name; None where no run called it that the reader may see."""
    return next(iter(_called(trust, "SELECT %(name)s::varchar", name=name, words="", most=1)), None)


def _called(trust: Trust, names: str, **parameters: Any) -> list[CalledTool]:
    statement = CALLED.format(names=names, visible=trust.filter.sql("memory"))
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters | {"latest": MOST_CALLS} | trust.filter.values())
        rows = [(CalledTool(*row[:-1]), row[-1]) for row in cursor.fetchall()]
    return [tool._replace(does_many=does_many(tool.name, args)) for tool, args in rows]


class Marks(NamedTuple):
    """tool -> whether it only reads: as people decided, and True of those that behave so."""

    decided: dict[str, bool]
    observed: dict[str, bool]


def marks() -> Marks:
    """Read in one statement, which each step of consolidation asks for."""
    decisions = ToolDecision.objects.exclude(only_reads=None).values_list("tool", "only_reads", Value(True))
    observations = ToolUse.objects.filter(READS).values_list("tool", Value(True), Value(False))
    stored_marks = Marks({}, {})
    for tool, only_reads, by_a_person in decisions.union(observations, all=True):
        (stored_marks.decided if by_a_person else stored_marks.observed)[tool] = only_reads
    return stored_marks


class ToolDecisionQuerySet(models.QuerySet["ToolDecision"]):
    def only_reading(self) -> list[str]:
        return list(self.filter(only_reads=True).order_by("tool").values_list("tool", flat=True))

    def decide(
        self, tool: str, only_reads: bool | None, *, seen: str, sensitivity: int, by: Actor, at: datetime
    ) -> "ToolDecision":
        """Decide whether calls of a tool only read; None: its name and its callers tell again.

        `seen`: the `state` that was shown. Conflict: somebody decided meanwhile.
        """
        with transaction.atomic():
            self.get_or_create(tool=tool, defaults={"by": by.name[:200], "at": at, "sensitivity": sensitivity})
            row = self.select_for_update().get(tool=tool)
            before = row.only_reads
            if row.state != seen:
                raise Conflict(f"{row.by} has already decided about this tool")
            row.only_reads, row.by, row.at = only_reads, by.name[:200], at
            row.sensitivity = min(row.sensitivity, sensitivity)
            row.save()
            row.audit(before, by=by, at=at)
        return row


class ToolDecision(models.Model):
    """Whether calls of a tool only read, for every scope; it holds against what callers declare and names tell.

    `only_reads` null: the decision was taken back. `sensitivity`: the lowest at which the tool was seen.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tool = models.CharField(max_length=512, unique=True)
    only_reads = models.BooleanField(null=True)
    sensitivity = models.SmallIntegerField()
    by = models.CharField(max_length=200)
    at = models.DateTimeField()

    objects = ToolDecisionQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.tool}: {self.state or 'by its name'}"

    @property
    def state(self) -> str:
        return {True: "reads", False: "acts", None: ""}[self.only_reads]

    def audit(self, before: bool | None, *, by: Actor, at: datetime) -> None:
        facts: dict[str, Any] = {"kind": TOOL, "subject": self.pk, "label": self.tool[:200], "action": "revise"}
        change: dict[str, Any] = {"before": {"only_reads": before}, "after": {"only_reads": self.only_reads}}
        place: dict[str, Any] = {"scope": "", "sensitivity": self.sensitivity}
        AuditEntry.draft(by=by, at=at, **facts, **change, **place).save(force_insert=True)


ENOUGH_REPEATS, ENOUGH_RUNS = 3, 2  # equal answers to one call, and of how many runs
ASKED_FROM = 3  # runs: a tool that fewer called matters little
READS = Q(same__gte=ENOUGH_REPEATS, same_runs__gte=ENOUGH_RUNS, other=0, outcomes_differ=False)


class ToolUseQuerySet(models.QuerySet["ToolUse"]):
    def asked(self, trust: Trust) -> Self:
        """Those about which a person is asked, once: nothing tells, several runs called it, and nobody has decided."""
        rows = self.filter(runs__gte=ASKED_FROM).exclude(READS).exclude(tool__in=ToolDecision.objects.values("tool"))
        return rows.filter(sensitivity__lte=trust.max_sensitivity).order_by("-runs", "tool")

    def keep(self, rows: Iterable["ToolUse"]) -> None:
        fields = ["calls", "runs", "same", "same_runs", "other", "outcomes_differ", "sensitivity", "at"]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["tool"], update_fields=fields)


class ToolUse(models.Model):
    """The latest calls of a tool of which neither a person nor its name tells whether it changes anything.

    `same`: how often the same call, without a change between, gave the same, in `same_runs` runs; `other`: something
    else. `outcomes_differ`: runs with it ended otherwise than those without it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tool = models.CharField(max_length=512, unique=True)
    calls = models.IntegerField()
    runs = models.IntegerField()
    same = models.IntegerField()
    same_runs = models.IntegerField()
    other = models.IntegerField()
    outcomes_differ = models.BooleanField()
    sensitivity = models.SmallIntegerField()
    at = models.DateTimeField()

    objects = ToolUseQuerySet.as_manager()

    def __str__(self) -> str:
        return self.tool
