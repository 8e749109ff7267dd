"""The cases that the model compares, a run that ended well beside one that failed; and the price.

For a skill: of each case a success its way and a failure. For a scope, where no skill fits: the same, and then each
failure of a case without a success, beside the success that is most like it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Func, IntegerField, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat, Left, Length

from consolidation import llm
from consolidation.extraction.queue import NO_MODEL, TOO_SENSITIVE
from consolidation.extraction.transcripts import LONGEST_SHOWN, MOST_EVENTS
from consolidation.guidance.latest_runs import MOST_RUNS, LatestRuns
from consolidation.llm.tokens import CHARACTERS_PER_TOKEN, cost
from consolidation.model_lines.line_answers import TRANSCRIPT_TOKENS
from consolidation.model_lines.line_losses import LEAST_ALIKE
from consolidation.models import RunProfile, RunStep
from memories.models import Event, Memory
from memories.values.choices import LIVE, Outcome, Type
from memories.values.trust import SHARED_SCOPES

MOST_CASES, MOST_OF_SCOPE = 6, 10
PROMPT_TOKENS, ANSWER_TOKENS = 2_000, 500  # of the instructions, and of an answer
LESSONS = "lessons"  # the kind of runs about a scope
NOT_LIVE = "no live skill, or not one that was learned from runs"
NO_CASE = "no case has both a run that ended well this way and one that failed"
NO_NEW_CASE = "no failure that was not compared yet stands beside a success that no skill has"


@dataclass(frozen=True)
class CasePair:
    """A success and a failure: ids of their episodes."""

    success: UUID
    failure: UUID


@dataclass(frozen=True)
class Price:
    """What reading the cases takes, estimated; two transcripts each."""

    cases: int
    tokens_in: int
    tokens_out: int

    @property
    def cost(self) -> float | None:
        """None without prices."""
        return cost(self.tokens_in, self.tokens_out)


def refusal_of_scope() -> str:
    """Why the model may not be asked about a scope; '' if it may."""
    return "" if llm.configured() else NO_MODEL


def refusal(memory: Memory | None) -> str:
    """Why the model may not be asked about this skill at all; '' if it may."""
    if not llm.configured():
        return NO_MODEL
    if memory is None or memory.status not in LIVE or "effects" not in memory.payload:
        return NOT_LIVE
    return TOO_SENSITIVE if memory.sensitivity > llm.highest_sensitivity() else ""


def pairs_of(memory: Memory) -> list[CasePair]:
    """Up to MOST_CASES, those with the latest runs first. Only what the skill may know and the model may read."""
    if "effects" not in memory.payload:
        return []
    effects = set(memory.payload["effects"])
    return _of_cases(_latest(memory.scope, memory.sensitivity), lambda run: set(run.effects) == effects)[:MOST_CASES]


def pairs_of_scope(scope: str, level: int) -> list[CasePair]:
    """Up to MOST_OF_SCOPE, as in `pairs_of`, with failures that no earlier run of the scope has compared."""
    skills, rows = _effects_of_skills(scope), _latest(scope, level)

    def fits(run: RunProfile) -> bool:
        """Whether no skill has it: to change nothing is a lesson, never a skill."""
        return not run.effects or frozenset(run.effects) not in skills

    steps = RunStep.objects.filter(run__kind=LESSONS, scope=scope).exclude(failure=None)
    done = set(steps.values_list("failure", flat=True))
    pairs = [pair for pair in _of_cases(rows, fits) if pair.failure not in done]
    if len(pairs) < MOST_OF_SCOPE:
        pairs += [pair for pair in _nearest(scope, level, rows, fits) if pair.failure not in done]
    return pairs[:MOST_OF_SCOPE]


def _latest(scope: str, level: int) -> list[RunProfile]:
    """The latest runs up to a level that a model may read."""
    level = min(level, llm.highest_sensitivity())
    rows = RunProfile.objects.filter(scope=scope, sensitivity__lte=level, episode__extract=True)
    rows = rows.filter(episode__transcript_removed_at=None)
    rows = rows.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE)).order_by("-at", "pk")
    return list(rows.only("pk", "thread", "outcome", "effects")[:MOST_RUNS])


def _effects_of_skills(scope: str) -> set[frozenset[str]]:
    """What the live skills that this scope reads do."""
    skills = Memory.objects.filter(type=Type.COMPETENCE, status__in=LIVE, scope__in={scope, *SHARED_SCOPES})
    return set(map(frozenset, skills.filter(payload__has_key="effects").values_list("payload__effects", flat=True)))


def _of_cases(rows: Sequence[RunProfile], fits: Callable[[RunProfile], bool]) -> list[CasePair]:
    """The latest success that fits beside the latest failure of the same case."""
    ends: dict[str, dict[str, UUID]] = defaultdict(dict)
    for run in rows:
        if run.outcome == Outcome.FAILURE or fits(run):
            ends[run.thread].setdefault(run.outcome, run.pk)
    return [CasePair(end[Outcome.SUCCESS], end[Outcome.FAILURE]) for end in ends.values() if len(end) == 2]


def _nearest(
    scope: str, level: int, rows: Sequence[RunProfile], fits: Callable[[RunProfile], bool]
) -> Iterator[CasePair]:
    """Each failure of a case without a success beside the success that is most like it, if that one fits."""
    solved_threads = {run.thread for run in rows if run.outcome == Outcome.SUCCESS}
    latest_failures = {
        run.thread: run.pk for run in reversed(rows) if run.thread not in solved_threads
    }  # the latest of each case
    if not solved_threads or not latest_failures:
        return
    latest, readable_ids = LatestRuns.of(scope, min(level, llm.highest_sensitivity())), {run.pk for run in rows}
    well = [n for n, run in enumerate(latest.runs) if run.outcome == Outcome.SUCCESS and run.pk in readable_ids]
    for n, run in enumerate(latest.runs) if well else ():
        nearness = latest.among.overall[n, well]
        best = latest.runs[well[int(nearness.argmax())]]
        if latest_failures.get(run.thread) == run.pk and nearness.max() >= LEAST_ALIKE and fits(best):
            yield CasePair(best.pk, run.pk)


def price(pairs: Sequence[CasePair]) -> Price:
    texts = sum(_transcript_tokens([run for pair in pairs for run in (pair.success, pair.failure)]))
    return Price(len(pairs), texts + len(pairs) * PROMPT_TOKENS, len(pairs) * ANSWER_TOKENS)


def _transcript_tokens(episodes: list[UUID]) -> list[int]:
    """As `llm.tokens` estimates them, but counted by the database: a Chinese character has three octets."""
    columns = [Coalesce(Cast(name, TextField()), Value("", TextField())) for name in ("text", "args", "result")]
    texts = [Left(text, LONGEST_SHOWN) for text in columns]
    events = Event.objects.filter(episode__in=episodes, instruction=None, position__lte=MOST_EVENTS)
    octets = Func(F("whole"), function="OCTET_LENGTH", output_field=IntegerField())
    rows = events.annotate(whole=Concat(*texts)).values("episode_id").order_by()
    sums = rows.annotate(characters=Sum(Length("whole")), octets=Sum(octets)).values_list("characters", "octets")
    return [min(_tokens(characters, size), TRANSCRIPT_TOKENS) for characters, size in sums]


def _tokens(characters: int, octets: int) -> int:
    wide = (octets - characters) // 2
    return (characters - wide) // CHARACTERS_PER_TOKEN + wide
