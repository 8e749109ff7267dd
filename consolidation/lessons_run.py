"""One run for each scope whose cases the language model compares where no skill fits; what is kept becomes lessons,
candidates that wait for a person.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache, partial

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from consolidation import execution, llm
from consolidation.case_comparison import Comparison, compare, end
from consolidation.execution import never
from consolidation.model_lines.case_pairs import LESSONS, NO_NEW_CASE, pairs_of_scope, refusal_of_scope
from consolidation.model_lines.kept_lines import KeptLine, judge
from consolidation.model_lines.line_losses import ScopeStore
from consolidation.models import Run
from consolidation.models.lessons import SOURCE, Lesson
from consolidation.models.worth import SkillLines
from consolidation.trying_again import order_once
from memories import claims
from memories.intake.claims import Occasion, Statement, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.models import Episode, Memory, claim_locks
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.values.choices import LIVE, ActorKind, Category, Origin
from memories.values.trust import SHARED_SCOPES, Actor

KIND = LESSONS
LEAST_GAINED = 1


def request(scope: str, level: int, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison for a scope, of runs up to a level, as `order_once`."""
    with transaction.atomic():
        claim_locks.alone(f"memos:lessons:{scope}")  # two requests make one run
        run = Run(kind=KIND, scope=scope, sensitivity=min(level, llm.highest_sensitivity()), trigger=trigger)
        return order_once(
            run, lambda: refusal_of_scope() or ("" if pairs_of_scope(scope, level) else NO_NEW_CASE), at=at
        )


def process_queue(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many."""
    work = partial(process, now=now, should_stop=should_stop)
    return execution.process_queue(KIND, work, now=now, should_stop=should_stop)


def process(run: Run, *, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run that was begun: ask for each case, then judge and write what is left."""
    if reason := refusal_of_scope():
        return end(run, Run.Status.SKIPPED, {}, at=now(), error=reason)
    write, pairs = partial(_write, run), partial(pairs_of_scope, run.scope, run.sensitivity)
    return compare(Comparison(run, run.sensitivity, pairs, NO_NEW_CASE, write, now, should_stop))


def _write(run: Run, counters: Counter[str], error: str, at: datetime) -> None:
    """A lesson is measured on runs that are no more secret than those that it comes from."""
    store = cache(partial(ScopeStore, run.scope))
    all_runs = store(run.sensitivity).all_runs
    lines, judge_counters = judge(
        run.steps.all(), all_runs, measured_on=lambda runs, level: store(level).like(runs), least_gained=LEAST_GAINED
    )
    with transaction.atomic():
        counters += judge_counters + write(lines, run.scope, at=at)
        end(run, Run.Status.SUCCEEDED, +counters, at=at, error=error)


BY = Actor(ActorKind.SYSTEM, "Memos", "lessons")
CONFIDENCE = 40


def write(lines: Sequence[KeptLine], scope: str, *, at: datetime) -> Counter[str]:
    """Write what no lesson, memory or skill of the scope says yet. What was said once is never reworded here.

    Counters: lessons_created, known (it is said already), suppressed (people dismissed it), gone (one of its
    conversations was forgotten meanwhile, or may not be read any more).
    """
    counters: Counter[str] = Counter()
    claim_locks.to_store(scope)
    for line in lines:
        counters[_write_lesson(line, scope, at=at)] += 1
    return counters


@transaction.atomic
def _write_lesson(line: KeptLine, scope: str, *, at: datetime) -> str:
    statement = _statement(line, scope)
    lock_key(scope, statement.key)
    if live_row(scope, statement.key, at=at) is not None or _is_said(statement):
        return "known"
    episodes = Episode.objects.filter(pk__in=line.runs, scope=scope, extract=True).select_for_update(of=("self",))
    ends = {episode.pk: episode.closed_at or at for episode in episodes.order_by("pk")}
    if len(ends) < len(line.runs):
        return "gone"
    quotes = ((pk, line.quotes[pk].strip()[:LONGEST_SNAPSHOT]) for pk in ends)
    occasions = [Occasion.episode(pk, at=ends[pk], quote=quote) for pk, quote in quotes]
    result = remember(statement, occasions=occasions, by=BY, at=at)
    if not result.created or result.memory is None:
        return "suppressed"
    effect = line.effect
    counts = {"concerned": effect.concerned, "gained": effect.gained, "lost": effect.lost}
    Lesson.objects.create(memory=result.memory, words=result.memory.content, cases=line.cases, **counts)
    return "lessons_created"


def _statement(line: KeptLine, scope: str) -> Statement:
    """Its key is what it is measured by, so that a dismissal holds in whatever words the model says it again."""
    key = f"lesson-{line.name}"
    return Statement(
        content=line.sentence,
        key=key,
        scope=scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=Category.PATTERN,
        origin=Origin.EXTRACTED,
        names=[key],
    )


def _is_said(statement: Statement) -> bool:
    """Whether a live memory makes the same claim, or a live skill has the line."""
    scopes = (statement.scope, *SHARED_SCOPES)
    same = Q()
    for scope in scopes:
        same |= Q(scope=scope, fingerprint=claims.fingerprint(statement.claim, scope))
    if Memory.objects.filter(same, status__in=LIVE).exists():
        return True
    skills = SkillLines.objects.filter(memory__scope__in=scopes, memory__status__in=LIVE)
    rows = (row for lines in skills.values_list("lines", flat=True) for field in lines.values() for row in field)
    return any(row["text"].startswith(statement.content) for row in rows)
