"""A person's deliberate statement: it holds at once, and no rule takes it lower or replaces its words."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.claims import Likeness
from memories.intake import admission
from memories.intake.claims import categories, promotion
from memories.intake.claims.near_duplicates import Near, NearDuplicate, compare_with, nearest
from memories.intake.claims.reinforcement import Meeting, propose_edit
from memories.intake.claims.writing import KeyTaken, create, live_row, lock_key_alone
from memories.intake.reports.claims import TeachingReport
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, Stored, add_evidence
from memories.lifecycle.ladder import USER, Ladder
from memories.models import Evidence, Memory, claim_locks
from memories.values import text
from memories.values.choices import Category, Hold, Origin, Permission, Sensitivity, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.field_types import LONGEST_KEY, united
from memories.values.trust import Trust

CERTAIN = 100
LONGEST_PROPOSED = 60
FIRST: dict[str, Any] = {"status": Status.CONFIRMED, "times_confirmed": 1, "hold": Hold.FLOOR}


@dataclass(frozen=True)
class Lesson:
    """What is taught, by whom. `chosen`: the key is the person's own, not a proposal."""

    statement: Statement
    report: TeachingReport
    trust: Trust
    at: datetime

    @property
    def chosen(self) -> bool:
        return self.report.key is not None


def teach(report: TeachingReport, *, trust: Trust, at: datetime) -> Stored:
    """Confirmed at once, with confidence 100. The same key and claim again confirms it once more, without a question.

    NearDuplicate: something like it is known or was dismissed, and `resolve` does not say what is meant: `update` gives
    the nearest (or `memory_id`) these words, `separate` keeps both, `restore` takes back the dismissal. NotAllowed: the
    caller may not review, or not write there.
    """
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("teaching needs the permission review")
    lesson = Lesson(_statement(report, trust), report, trust, at)
    with transaction.atomic():
        claim_locks.to_decide(lesson.statement.scope)
        lock_key_alone(lesson.statement.scope, lesson.statement.key)
        stored = _taught(lesson)
        adapted = promotion.announcement(stored.memory, at=at) if stored.memory else None
    return replace(stored, notice=adapted or stored.notice)


def category_of(content: str) -> str:
    return categories.category_of(content).value


def key_of(content: str) -> str:
    """What is proposed as the key of these words: short enough to be read."""
    return text.slug(content, most=LONGEST_PROPOSED)


def _statement(report: TeachingReport, trust: Trust) -> Statement:
    return Statement(
        content=report.content,
        key=report.key or key_of(report.content),
        scope=trust.scope_to_write(report.scope),
        source=trust.source_to_write(USER),
        confidence=CERTAIN,
        category=Category(report.category or category_of(report.content)),
        origin=Origin.TAUGHT,
        sensitivity=Sensitivity.named(report.sensitivity) if report.sensitivity else None,
        tags=report.tags,
        company_id=report.company_id,
        deletion_policy=report.deletion_policy,
    )


def _taught(lesson: Lesson) -> Stored:
    statement, trust, resolve = lesson.statement, lesson.trust, lesson.report.resolve
    row = _held(lesson)
    if row is not None and not trust.sees(scope=row.scope, sensitivity=row.sensitivity):
        propose_edit(Meeting(row, statement, trust, lesson.at, Sensitivity.PUBLIC))
        return NOTHING_TOLD
    known = _at_key(row, lesson)
    if known and known.memory and known.likeness == Likeness.SAME:
        return _again(lesson, known.memory)
    near = _known(lesson, known)
    if resolve == "update" and (row := _meant(lesson, near)):
        return _instead(lesson, row)
    if near and resolve != "separate":
        raise NearDuplicate(near)
    return _dismissed(lesson) or _anew(lesson)


def _held(lesson: Lesson) -> Memory | None:
    """What lives under the key; under a proposed one, also what was taught when proposals were longer."""
    statement = lesson.statement
    row = live_row(statement.scope, statement.key, at=lesson.at)
    former = text.slug(statement.content)
    if row or lesson.chosen or former == statement.key:
        return row
    return live_row(statement.scope, former, at=lesson.at)


def _at_key(row: Memory | None, lesson: Lesson) -> Near | None:
    """A skill or plan that has the key is another thing, whatever it is called: a lesson never vouches for it."""
    if row is None or row.type != Type.SEMANTIC:
        return None
    return compare_with(row, lesson.statement.content, same_subject=lesson.chosen)


def _known(lesson: Lesson, known: Near | None) -> list[Near]:
    """What this could be a double of: what has the key that the person chose, and what speaks of the same."""
    statement = lesson.statement
    besides = known.memory.pk if known and known.memory else None
    near = nearest(statement.content, scope=statement.scope, trust=lesson.trust, besides=besides)
    return [known, *near] if known and known.likeness != Likeness.OTHER else near


def _meant(lesson: Lesson, near: list[Near]) -> Memory | None:
    """What `update` is about; NotFound when the caller names what it may not see, Conflict when it is closed."""
    named = lesson.report.memory_id or next((one.memory.pk for one in near if one.memory), None)
    if named is None:
        return None
    rows = Memory.objects.visible_to(lesson.trust).filter(scope=lesson.statement.scope, type=Type.SEMANTIC)
    row = rows.select_for_update(of=("self",)).filter(pk=named).first()
    if row is None:
        raise NotFound("no such memory")
    row.lock_for("update", (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED, Status.CONTESTED))
    return row


def _dismissed(lesson: Lesson) -> Stored | None:
    """Asks what to do about a dismissal of this very claim, and takes it back when that is the answer."""
    statement, resolve, trust = lesson.statement, lesson.report.resolve, lesson.trust
    place: dict[str, Any] = {"scope": statement.scope, "key": statement.key}
    tombstone = admission.dismissal_of(statement.content, **place, claims_only=True).blocking  # it restores no skill
    if tombstone is None or resolve == "separate":
        return None
    if not trust.sees(scope=tombstone.scope, sensitivity=tombstone.sensitivity):
        return None  # nothing is told of it, and a person's word is no automatic write
    rows = Memory.objects.visible_to(trust).filter(pk=tombstone.memory_id) if tombstone.memory_id else None
    row = rows.first() if rows is not None else None
    if resolve != "restore":
        similarity = compare_with(row, statement.content).similarity if row else 1.0
        raise NearDuplicate([Near(row, Likeness.SAME, similarity, tombstone)])
    if row is None:
        tombstone.lift(by=trust.actor, at=lesson.at, why="taught again")
        return None
    row.restore(by=trust.actor, why="taught again", at=lesson.at, batch=uuid7())
    return _again(lesson, row)


def _again(lesson: Lesson, row: Memory) -> Stored:
    """The person says it once more: it holds, whatever a rule or a machine has made of it."""
    return _vouch(lesson, row, {"times_confirmed": row.times_confirmed + 1})


def _instead(lesson: Lesson, row: Memory) -> Stored:
    """These words take the place of those; another claim begins its count anew."""
    another = compare_with(row, lesson.statement.content, same_subject=True).likeness == Likeness.CHANGED
    category = lesson.report.category or row.category
    counted = {"times_confirmed": 1 if another else row.times_confirmed + 1, "category": category}
    return _vouch(lesson, row, counted, reset=another)


def _vouch(lesson: Lesson, row: Memory, facts: dict[str, Any], *, reset: bool = False) -> Stored:
    statement, at = lesson.statement, lesson.at
    occasion, delta = Occasion.request(at=at), Ladder.of_settings().gain
    kind = Evidence.Kind.REINFORCED
    add_evidence(row, [occasion], statement.content, kind=kind, delta=delta, trust=lesson.trust)
    change = {
        "content": statement.content,
        "confidence": CERTAIN,
        "hold": Hold.FLOOR,
        "flags": statement.flags,
        "status": Status.APPLIED if row.status == Status.APPLIED else Status.CONFIRMED,
        "tags": united(row.tags, statement.tags),
        "company_id": statement.company_id or row.company_id,
        "sensitivity": max(row.sensitivity, statement.at_least(Sensitivity.PUBLIC)),
        "deletion_policy": statement.deletion_policy or row.deletion_policy,
        **facts,
    }
    moved = {name: value for name, value in change.items() if value != getattr(row, name)}
    row.revise("revise" if "content" in moved else "reinforce", moved, by=lesson.trust.actor, why="", at=at)
    Memory.objects.filter(pk=row.pk).update(reinforced_at=at)
    promotion.climb(row, at=at)
    return Stored(row, reinforced=not reset, reset=reset)


def _anew(lesson: Lesson) -> Stored:
    statement = lesson.statement
    free = replace(statement, key=_free_key(statement, LONGEST_KEY if lesson.chosen else LONGEST_PROPOSED))
    admitted = admission.admit(free, trust=lesson.trust, at=lesson.at, decided=True, **FIRST).memory
    assert admitted is not None
    try:
        memory = create(admitted, [Occasion.request(at=lesson.at)], trust=lesson.trust, at=lesson.at)
    except KeyTaken:
        raise Conflict(f"another live memory holds the key {free.key!r} meanwhile") from None
    return Stored(memory, created=True)


def _free_key(statement: Statement, longest: int) -> str:
    """The key itself, else with the next number: acme-terms, acme-terms-v2, acme-terms-v3."""
    rows = Memory.objects.live().filter(scope=statement.scope)
    for number in range(1, 1_000):
        suffix = f"-v{number}" if number > 1 else ""
        key = statement.key[: longest - len(suffix)] + suffix
        if not rows.filter(key=key).exists():
            return key
    raise Invalid(FieldError("/key", "taken", "is that of another memory; choose another one"))
