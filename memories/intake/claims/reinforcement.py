"""A statement meets the live memory of its key: it confirms it, says it in other words, or says something else."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from memories import claims
from memories.claims import Likeness
from memories.intake.claims import occasions, promotion
from memories.intake.claims.creating import RESEMBLES
from memories.intake.claims.suppression import met_by, suppress
from memories.intake.revisions import is_own
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, Stored
from memories.lifecycle.ladder import Ladder
from memories.models import Evidence, Memory, Proposal, Tombstone
from memories.models.proposal import REJECTED
from memories.values.choices import Hold, Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.field_types import united
from memories.values.trust import Trust

WORDS = {"content", "tags", "company_id", "flags", "sensitivity"}  # these move the version


@dataclass(frozen=True)
class Meeting:
    """Held by the caller's transaction. `evidence`: the highest sensitivity of what speaks for the statement."""

    row: Memory
    statement: Statement
    trust: Trust
    at: datetime
    evidence: int

    @cached_property
    def likeness(self) -> Likeness:
        return claims.compare(claims.claim_of(self.row.content), self.statement.claim, same_subject=True)

    @property
    def same_words(self) -> bool:
        return self.row.content == self.statement.content

    @cached_property
    def words_are_kept(self) -> bool:
        """A person holds them, an active behaviour rests on them, or the new ones may not stand here."""
        held = self.row.hold != Hold.NONE
        applied = self.row.status == Status.APPLIED and self.likeness == Likeness.SAME
        return held or applied or self.out_of_place

    @cached_property
    def out_of_place(self) -> bool:
        """Words that ask for a second look do not replace those that hold; nor do more secret ones those of others."""
        suspicious = bool(self.statement.flags) and self.row.status != Status.CANDIDATE
        rises = self.statement.at_least(self.evidence) > self.row.sensitivity
        return suspicious or (rises and not is_own(self.row, self.trust))

    @property
    def begins_anew(self) -> bool:
        return self.likeness == Likeness.CHANGED and self.row.status == Status.CANDIDATE

    @property
    def is_for_a_person(self) -> bool:
        """Nothing is written or counted; a revision is proposed."""
        if self.likeness == Likeness.SAME:
            return False
        return self.words_are_kept or (self.likeness == Likeness.CHANGED and not self.begins_anew)

    def outlives(self, tombstone: Tombstone) -> bool:
        """The row lives beside the dismissal of its equal, because a person wants it to."""
        return self.row.hold == Hold.FLOOR or tombstone.duplicate


def reinforce(meeting: Meeting, confirming: Sequence[Occasion]) -> Stored:
    row, statement, trust = meeting.row, meeting.statement, meeting.trust
    if not trust.sees(scope=row.scope, sensitivity=row.sensitivity):
        if not meeting.same_words:
            propose(meeting)
        return NOTHING_TOLD
    if row.type != statement.type:
        raise Conflict(f"the key {row.key!r} is that of a memory of the type {row.type}")
    suppressing, resembled = met_by(statement, trust=trust)
    if meeting.likeness == Likeness.SAME:  # what lives here already is not stored anew
        resembled = None
        suppressing = None if suppressing and meeting.outlives(suppressing) else suppressing
    if suppressing is not None:
        return suppress(suppressing, statement, trust=trust, at=meeting.at)
    if meeting.is_for_a_person:
        return _asked(meeting, resembled)
    return _heard(meeting, confirming, resembled)


def _asked(meeting: Meeting, resembled: Tombstone | None) -> Stored:
    proposal = propose(meeting, resembled)
    if proposal.is_rejected:
        return Stored(meeting.row, notice=REJECTED)
    return Stored(meeting.row, proposal=proposal.pk, notice=RESEMBLES if resembled else None)


def propose(meeting: Meeting, resembled: Tombstone | None = None) -> Proposal:
    row, statement = meeting.row, meeting.statement
    needed = max(row.sensitivity, statement.at_least(meeting.evidence))
    change: dict[str, Any] = {"verb": "edit", "content": statement.content}
    if needed > row.sensitivity:
        change["sensitivity"] = Sensitivity(needed).label
    if added := [tag for tag in statement.tags if tag not in row.tags]:
        change["tags"] = united(row.tags, added)
    proposal = Proposal.objects.propose(
        Proposal.Kind.REVISION,
        row,
        change,
        by=meeting.trust.actor,
        why=f"{statement.source} says otherwise"[:2000],
        at=meeting.at,
        sensitivity=needed,
    )
    if resembled is not None and not proposal.is_rejected:
        Proposal.objects.filter(pk=proposal.pk).update(resembles=resembled.pk)
    return proposal


def _heard(meeting: Meeting, confirming: Sequence[Occasion], resembled: Tombstone | None) -> Stored:
    """Counts the statement, and takes its words where they may stand."""
    row, statement, at = meeting.row, meeting.statement, meeting.at
    if meeting.begins_anew:
        fresh, kind = [Occasion.request(at=at)], Evidence.Kind.CREATED
        numbers = {"confidence": statement.confidence, "times_confirmed": 0}
    else:
        fresh, kind = occasions.uncounted(row, confirming), Evidence.Kind.REINFORCED
        numbers = _confirmed(row, len(fresh))
    delta = 0 if meeting.begins_anew else Ladder.of_settings().gain
    occasions.count(row, fresh, statement, kind=kind, delta=delta, trust=meeting.trust)
    _write(meeting, {**_words(meeting), **numbers}, fresh=bool(fresh), resembled=resembled)
    if fresh:  # what counts nothing moves nothing: a restored claim does not climb by what it has heard before
        promotion.climb(row, at=at)
    reinforced = bool(fresh) and not meeting.begins_anew
    notice = RESEMBLES if resembled else None
    return Stored(row, reinforced=reinforced, reset=meeting.begins_anew, notice=notice)


def _confirmed(row: Memory, times: int) -> dict[str, Any]:
    if not times:
        return {}
    confidence = Ladder.of_settings().gained(row.confidence, times)
    return {"confidence": confidence, "times_confirmed": row.times_confirmed + times}


def _words(meeting: Meeting) -> dict[str, Any]:
    """The columns that become something else."""
    row, statement = meeting.row, meeting.statement
    change: dict[str, Any] = {"tags": united(row.tags, statement.tags)}
    change["company_id"] = row.company_id or statement.company_id
    needed = meeting.evidence if is_own(row, meeting.trust) else Sensitivity.PUBLIC
    if not meeting.same_words and not meeting.words_are_kept:
        change |= {"content": statement.content, "flags": statement.flags}
        needed = statement.at_least(meeting.evidence)
    change["sensitivity"] = max(row.sensitivity, needed)
    return {name: value for name, value in change.items() if value != getattr(row, name)}


def _write(meeting: Meeting, change: dict[str, Any], *, fresh: bool, resembled: Tombstone | None) -> None:
    row, at = meeting.row, meeting.at
    beside: dict[str, Any] = {}
    if "content" in change and meeting.likeness != Likeness.SAME:
        beside["resembles"] = resembled.pk if resembled else None
    if fresh:
        beside |= {"reinforced_at": at, "updated_at": at}
        beside |= {"expires_at": at + timedelta(seconds=row.ttl)} if row.ttl else {}
    moved = not WORDS.isdisjoint(change)
    if change and not moved:  # numbers only: the version stays
        beside |= {**change, **row.along("reinforce", change, at=at)}
    before = {name: getattr(row, name) for name in change}
    if beside:
        Memory.objects.filter(pk=row.pk).update(**beside)
        for name, value in beside.items():
            setattr(row, name, value)
    if moved:
        action = "revise" if meeting.begins_anew else "reinforce"
        row.revise(action, change, by=meeting.trust.actor, why="", at=at)
    elif change:
        entry = row.audit("reinforce", by=meeting.trust.actor, at=at, before=before, after=change)
        entry.save(force_insert=True)
