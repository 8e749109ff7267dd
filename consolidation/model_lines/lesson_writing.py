"""Lines that were kept for a scope as a whole, written as lessons: candidates that wait for a person."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from consolidation.model_lines.kept_lines import KeptLine
from consolidation.models.lessons import SOURCE, Lesson
from consolidation.models.worth import SkillLines
from memories import claims
from memories.intake.claims import Occasion, Statement, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.models import Episode, Memory, claim_locks
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.values.choices import LIVE, ActorKind, Category, Origin
from memories.values.trust import SHARED_SCOPES, Actor

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
        counters[_write(line, scope, at=at)] += 1
    return counters


@transaction.atomic
def _write(line: KeptLine, scope: str, *, at: datetime) -> str:
    statement = _statement(line, scope)
    lock_key(scope, statement.key)
    if live_row(scope, statement.key, at=at) is not None or _is_said(statement):
        return "known"
    there = Episode.objects.filter(pk__in=line.runs, scope=scope, extract=True).select_for_update(of=("self",))
    ended = {episode.pk: episode.closed_at or at for episode in there.order_by("pk")}
    if len(ended) < len(line.runs):
        return "gone"
    quotes = ((pk, line.quotes[pk].strip()[:LONGEST_SNAPSHOT]) for pk in ended)
    occasions = [Occasion.episode(pk, at=ended[pk], quote=quote) for pk, quote in quotes]
    stored = remember(statement, occasions=occasions, by=BY, at=at)
    if not stored.created or stored.memory is None:
        return "suppressed"
    effect = line.effect
    counts = {"concerned": effect.concerned, "gained": effect.gained, "lost": effect.lost}
    Lesson.objects.create(memory=stored.memory, words=stored.memory.content, cases=line.cases, **counts)
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
