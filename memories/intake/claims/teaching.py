"""Teach: a person's statement holds at once, and no rule takes it lower or replaces its words."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.claims import Likeness
from memories.intake import admission
from memories.intake.claims import categories, climbing
from memories.intake.claims.near_duplicates import Near, NearDuplicate, compare_with, nearest
from memories.intake.claims.reinforcement import Meeting, propose_edit
from memories.intake.claims.writing import KeyTaken, create, live_row, lock_key_alone
from memories.intake.reports.claims import TeachingReport
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, WriteResult, add_evidence
from memories.lifecycle.ladder import USER, Ladder
from memories.models import Evidence, Memory, Tombstone, claim_locks
from memories.values import text
from memories.values.choices import Category, Hold, Origin, Permission, Sensitivity, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, one_of
from memories.values.field_types import LONGEST_KEY, united
from memories.values.trust import Trust

CERTAIN = 100
LONGEST_PROPOSED = 60
_NUMBER = re.compile(r"-v\d+$")
FIRST: dict[str, Any] = {"status": Status.CONFIRMED, "times_confirmed": 1, "hold": Hold.FLOOR}


@dataclass(frozen=True)
class Teaching:
    """One request to teach. `chosen`: the key is the person's own, not a proposal."""

    statement: Statement
    report: TeachingReport
    trust: Trust
    at: datetime

    @property
    def chosen(self) -> bool:
        return self.report.key is not None


def teach(report: TeachingReport, *, trust: Trust, at: datetime) -> WriteResult:
    """Store what a person teaches: confirmed at once, with confidence 100.

    The same key and claim again confirms it once more, without a question.

    NearDuplicate: something like it is known or was dismissed, and `resolve` does not say what is meant: `update` gives
    the nearest (or `memory_id`) these words, `separate` keeps both, `restore` takes back the dismissal. NotAllowed: the
    caller may not review, or not write there.
    """
    trust.require(Permission.REVIEW, "teaching needs the permission review")
    teaching = Teaching(_statement(report, trust), report, trust, at)
    with transaction.atomic():
        claim_locks.to_decide(teaching.statement.scope)
        lock_key_alone(teaching.statement.scope, teaching.statement.key)
        result = _teach(teaching)
        announcement = climbing.announcement(result.memory, at=at) if result.memory else None
    return replace(result, notice=announcement or result.notice or _withheld(result.memory, trust))


def _withheld(memory: Memory | None, trust: Trust) -> str | None:
    """Where what was taught to all is not offered, because it was dismissed there."""
    scopes = trust.names_of(memory.withheld_from) if memory else []
    return f"it was dismissed in {', '.join(scopes)}: it is not offered there" if scopes else None


def category_of(content: str) -> str:
    return categories.category_of(content).value


def key_of(content: str) -> str:
    """The proposed key of these words, short enough to be read."""
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


def _teach(teaching: Teaching) -> WriteResult:
    statement, trust, resolve = teaching.statement, teaching.trust, teaching.report.resolve
    row = live_row(statement.scope, statement.key, at=teaching.at)
    if row is not None and not trust.sees(row):
        propose_edit(Meeting(row, statement, trust, teaching.at, Sensitivity.PUBLIC))
        return NOTHING_TOLD
    near_row = _compare_row(row, teaching)
    if near_row and near_row.memory and near_row.likeness == Likeness.SAME:
        return _confirm(teaching, near_row.memory)
    near = _near(teaching, near_row)
    dismissal = _dismissal(teaching) if resolve != "separate" else None
    if dismissal and resolve != "restore":
        raise NearDuplicate([_near_dismissal(teaching, dismissal), *near])
    if resolve == "update" and (row := _row_to_update(teaching, near)):
        return _replace(teaching, row)
    if near and resolve != "separate" and not dismissal:  # else what is near was shown before
        raise NearDuplicate(near)
    return (_take_back(teaching, dismissal) if dismissal else None) or _create(teaching, near)


def _compare_row(row: Memory | None, teaching: Teaching) -> Near | None:
    """How near the memory of the key is; None for a skill or plan, which a taught statement never confirms."""
    if row is None or row.type != Type.SEMANTIC:
        return None
    return compare_with(row, teaching.statement.content, same_subject=teaching.chosen)


def _near(teaching: Teaching, near_row: Near | None) -> list[Near]:
    """What this may duplicate: the memory of the key that the person chose, and those that say nearly the same."""
    statement = teaching.statement
    besides = near_row.memory.pk if near_row and near_row.memory else None
    near = nearest(statement.content, scope=statement.scope, trust=teaching.trust, besides=besides)
    return [near_row, *near] if near_row and near_row.likeness != Likeness.OTHER else near


def _row_to_update(teaching: Teaching, near: list[Near]) -> Memory | None:
    """The memory that `update` is about. NotFound: the caller names what it may not see; Conflict: it is closed."""
    row_id = teaching.report.memory_id or next((row.memory.pk for row in near if row.memory), None)
    if row_id is None:
        return None
    rows = Memory.objects.visible_to(teaching.trust).filter(scope=teaching.statement.scope, type=Type.SEMANTIC)
    row = one_of(rows.select_for_update(of=("self",)).filter(pk=row_id), "no such memory")
    row.lock_for("update", (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED, Status.CONTESTED))
    return row


def _dismissal(teaching: Teaching) -> Tombstone | None:
    """The dismissal of this very claim; None where the caller may not see it: then teaching is not blocked."""
    statement, trust = teaching.statement, teaching.trust
    place: dict[str, Any] = {"scope": statement.scope, "key": statement.key}
    tombstone = admission.dismissal_of(statement.content, **place, claims_only=True).blocking  # it restores no skill
    is_visible = tombstone is not None and trust.sees(tombstone)
    return tombstone if is_visible else None


def _near_dismissal(teaching: Teaching, dismissal: Tombstone) -> Near:
    """The dismissed claim as a candidate of NearDuplicate; `memory` None: it is forgotten or above the caller."""
    row = _dismissed_row(teaching, dismissal)
    similarity = compare_with(row, teaching.statement.content).similarity if row else 1.0
    return Near(row, Likeness.SAME, similarity, dismissal)


def _dismissed_row(teaching: Teaching, dismissal: Tombstone) -> Memory | None:
    rows = Memory.objects.visible_to(teaching.trust).filter(pk=dismissal.memory_id) if dismissal.memory_id else None
    return rows.first() if rows is not None else None


def _take_back(teaching: Teaching, dismissal: Tombstone) -> WriteResult | None:
    """Restore what was dismissed. None: it is forgotten since, and only the dismissal is lifted."""
    by, at = teaching.trust.actor, teaching.at
    row = _dismissed_row(teaching, dismissal)
    if row is None:
        dismissal.lift(by=by, at=at, why="taught again")
        return None
    row.restore(by=by, why="taught again", at=at, batch=uuid7())
    return _confirm(teaching, row)


def _confirm(teaching: Teaching, row: Memory) -> WriteResult:
    """Confirm what the person states once more: it holds, whatever a rule or a machine has made of it."""
    return _write(teaching, row, {"times_confirmed": row.times_confirmed + 1})


def _replace(teaching: Teaching, row: Memory) -> WriteResult:
    """Replace the words of the row; another claim starts its count again."""
    another = compare_with(row, teaching.statement.content, same_subject=True).likeness == Likeness.CHANGED
    category = teaching.report.category or row.category
    change = {"times_confirmed": 1 if another else row.times_confirmed + 1, "category": category}
    return _write(teaching, row, change, reset=another)


def _write(teaching: Teaching, row: Memory, facts: dict[str, Any], *, reset: bool = False) -> WriteResult:
    statement, at = teaching.statement, teaching.at
    occasion, delta = Occasion.request(at=at), Ladder.of_settings().gain
    kind = Evidence.Kind.REINFORCED
    add_evidence(row, [occasion], statement.content, kind=kind, delta=delta, trust=teaching.trust)
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
    changes = {name: value for name, value in change.items() if value != getattr(row, name)}
    row.revise("revise" if "content" in changes else "reinforce", changes, by=teaching.trust.actor, why="", at=at)
    Memory.objects.filter(pk=row.pk).update(reinforced_at=at)
    climbing.climb(row, at=at)
    return WriteResult(row, reinforced=not reset, reset=reset)


def _create(teaching: Teaching, near: list[Near]) -> WriteResult:
    """`near`: what it stands beside. Without a chosen key it has the next one after the key of the nearest."""
    statement = teaching.statement
    keys = [row.memory.key for row in near if row.memory and row.memory.key and "#" not in row.memory.key]
    if keys and not teaching.chosen:
        statement = replace(statement, key=_NUMBER.sub("", keys[0]))
    unique = replace(statement, key=_free_key(statement, LONGEST_KEY if teaching.chosen else LONGEST_PROPOSED))
    new_memory = admission.admit(unique, trust=teaching.trust, at=teaching.at, decided=True, **FIRST).memory
    assert new_memory is not None
    try:
        memory = create(new_memory, [Occasion.request(at=teaching.at)], trust=teaching.trust, at=teaching.at)
    except KeyTaken:
        raise Conflict(f"another live memory has taken the key {unique.key!r}") from None
    return WriteResult(memory, created=True)


def _free_key(statement: Statement, longest: int) -> str:
    """The key itself, else with the next number: acme-terms, acme-terms-v2, acme-terms-v3."""
    rows = Memory.objects.live().filter(scope=statement.scope)
    for number in range(1, 1_000):
        suffix = f"-v{number}" if number > 1 else ""
        key = statement.key[: longest - len(suffix)] + suffix
        if not rows.filter(key=key).exists():
            return key
    raise Invalid(FieldError("/key", "taken", "is that of another memory; choose another one"))
