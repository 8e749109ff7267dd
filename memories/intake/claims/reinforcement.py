"""Reinforce the live memory of a key by a statement that confirms it, rewords it or claims something else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from memories import claims
from memories.claims import Likeness
from memories.intake import admission
from memories.intake.admission import NO_DISMISSAL, Dismissal
from memories.intake.claims import climbing
from memories.intake.statements import (
    NOTHING_TOLD,
    Occasion,
    Statement,
    WriteResult,
    evidence_of,
    keep_episodes,
    uncounted,
)
from memories.lifecycle.ladder import Ladder
from memories.lifecycle.ownership import is_own
from memories.models import Evidence, Injection, Memory, Proposal, Tombstone, bulk_rows
from memories.models.claim_lookup import MetMemory
from memories.models.evidence import speakers_behind
from memories.models.proposal import CONTRADICTED, REJECTED
from memories.values import speakers
from memories.values.choices import ActorKind, Hold, Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.field_types import united
from memories.values.trust import Trust

WORDS = {"content", "tags", "company_id", "flags", "sensitivity"}  # these move the version


@dataclass(frozen=True)
class Meeting:
    """A statement and the live memory of its key, which the caller's transaction has locked.

    `evidence`: the highest sensitivity of what speaks for the statement. `lookup`: what was asked of the row under its
    lock; None: it is asked where it is needed. `may_be_dismissed`: there may be tombstones to compare with.
    """

    row: Memory
    statement: Statement
    trust: Trust
    at: datetime
    evidence: int
    lookup: MetMemory | None = None
    may_be_dismissed: bool = True

    @cached_property
    def likeness(self) -> Likeness:
        return claims.compare(claims.claim_of(self.row.content), self.statement.claim, same_subject=True)

    @property
    def visible(self) -> bool:
        return self.trust.sees(self.row)

    @cached_property
    def is_own(self) -> bool:
        return is_own(self.row, self.trust, of_others=self.lookup.of_others if self.lookup else None)

    @property
    def counted_occasions(self) -> frozenset[str] | None:
        return self.lookup.counted_occasions if self.lookup else None

    @cached_property
    def dismissal(self) -> Dismissal:
        if not self.may_be_dismissed:
            return NO_DISMISSAL
        return admission.dismissal_of_statement(self.statement, trust=self.trust)

    @property
    def sensitivity(self) -> int:
        """The level that a proposal of these words must have."""
        return max(self.row.sensitivity, self.statement.at_least(self.evidence))

    @property
    def same_words(self) -> bool:
        return self.row.content == self.statement.content

    @cached_property
    def words_are_kept(self) -> bool:
        """A person holds them, an active behaviour rests on them, or the new ones may not stand here."""
        has_hold = self.row.hold != Hold.NONE
        is_same = self.likeness == Likeness.SAME
        is_repetition = is_same and (self.row.status == Status.APPLIED or self.is_read_out)
        return has_hold or is_repetition or self.out_of_place

    @cached_property
    def is_read_out(self) -> bool:
        """Whether the agent repeats what a context gave it in this thread: the word of another agent, no evidence."""
        actor, thread = self.trust.actor, self.statement.thread_id
        if actor.kind != ActorKind.AGENT or not thread or not speakers.is_unreviewed(self.row, reader=actor.identity):
            return False
        return Injection.objects.was_injected(self.row.pk, agent=actor.name[:200], thread_id=thread)

    @cached_property
    def out_of_place(self) -> bool:
        """Words that ask for a second look, or are dismissed where this is read, do not replace those that hold; nor do
        more secret ones those of others."""
        unsure = bool(self.statement.flags) or bool(self.dismissal.withheld_from)
        suspicious = unsure and self.row.status != Status.CANDIDATE
        rises = self.sensitivity > self.row.sensitivity
        return suspicious or (rises and not self.is_own)

    @property
    def begins_anew(self) -> bool:
        return self.likeness == Likeness.CHANGED and self.row.status == Status.CANDIDATE

    @property
    def is_for_a_person(self) -> bool:
        """Whether a person must decide: then nothing is written or counted, and a revision is proposed."""
        if self.likeness == Likeness.SAME:
            return False
        return self.words_are_kept or (self.likeness == Likeness.CHANGED and not self.begins_anew)

    def outlives(self, tombstone: Tombstone) -> bool:
        """The row lives beside the dismissal of its equal, because a person wants it to."""
        return self.row.hold == Hold.FLOOR or tombstone.duplicate


def reinforce(meeting: Meeting, confirming: Sequence[Occasion]) -> WriteResult:
    """Confirm the live memory, reword it, replace its claim, or propose that to a person."""
    row, statement, trust = meeting.row, meeting.statement, meeting.trust
    if not meeting.visible:
        if not meeting.same_words:
            propose_edit(meeting)
        return NOTHING_TOLD
    if row.type != statement.type:
        raise Conflict(f"the key {row.key!r} belongs to a memory of the type {row.type}")
    dismissal = meeting.dismissal
    if meeting.likeness == Likeness.SAME:  # what lives here already is not stored anew
        row_outlives = dismissal.blocking is not None and meeting.outlives(dismissal.blocking)
        blocking = None if row_outlives else dismissal.blocking
        dismissal = replace(dismissal, blocking=blocking, near_tombstone=None)
    if dismissal.blocking is not None:
        return admission.suppress(dismissal.blocking, statement, trust=trust, at=meeting.at)
    if not meeting.is_for_a_person:
        return _count(meeting, confirming, dismissal)
    proposal = propose_edit(meeting, dismissal)
    if proposal.is_rejected:
        return WriteResult(row, notice=REJECTED)
    return WriteResult(row, proposal=proposal.pk, notice=dismissal.notice)


def replace_typed(meeting: Meeting) -> WriteResult:
    """Propose a skill or plan that was brought whole in place of the live one of its key; the same changes nothing."""
    row, statement = meeting.row, meeting.statement
    if meeting.visible and row.type != statement.type:
        raise Conflict(f"the key {row.key!r} belongs to a memory of the type {row.type}")
    if meeting.same_words and row.payload == statement.payload:
        return WriteResult(row) if meeting.visible else NOTHING_TOLD
    proposal = _propose(meeting, {"verb": "supersede", "memory": statement.as_new_memory(meeting.sensitivity)})
    if not meeting.visible:
        return NOTHING_TOLD
    return WriteResult(row, notice=REJECTED) if proposal.is_rejected else WriteResult(row, proposal=proposal.pk)


def propose_edit(meeting: Meeting, dismissal: Dismissal = NO_DISMISSAL) -> Proposal:
    """Open a proposal that the live memory takes the words of the statement."""
    row, statement = meeting.row, meeting.statement
    change: dict[str, Any] = {"verb": "edit", "content": statement.content}
    if meeting.sensitivity > row.sensitivity:
        change["sensitivity"] = Sensitivity(meeting.sensitivity).label
    if any(tag not in row.tags for tag in statement.tags):
        change["tags"] = united(row.tags, statement.tags)
    proposal = _propose(meeting, change)
    if dismissal.near_tombstone is not None and not proposal.is_rejected:
        Proposal.objects.filter(pk=proposal.pk).update(resembles=dismissal.near_tombstone.pk)
    return proposal


def _propose(meeting: Meeting, change: dict[str, Any]) -> Proposal:
    return Proposal.objects.propose(
        Proposal.Kind.REVISION,
        meeting.row,
        change,
        by=meeting.trust.actor,
        why=f"{meeting.statement.source} says otherwise"[:2000],
        at=meeting.at,
        sensitivity=meeting.sensitivity,
    )


def _count(meeting: Meeting, confirming: Sequence[Occasion], dismissal: Dismissal) -> WriteResult:
    """Confirm the row by the statement, or begin its count anew, and replace its words where that is allowed."""
    row, statement, at, notice = meeting.row, meeting.statement, meeting.at, dismissal.notice
    if meeting.begins_anew:
        new_occasions, kind = [Occasion.request(at=at)], Evidence.Kind.CREATED
        numbers = {"confidence": statement.confidence, "times_confirmed": 0}
    else:
        new_occasions, kind = uncounted(row, confirming, meeting.counted_occasions), Evidence.Kind.REINFORCED
        if new_occasions and _contradicts_itself(meeting):
            new_occasions, notice = [], CONTRADICTED
        numbers = _confirmation_columns(row, len(new_occasions))
    delta = 0 if meeting.begins_anew else Ladder.of_settings().gain
    evidence = evidence_of(row, new_occasions, statement.content, kind=kind, delta=delta, trust=meeting.trust)
    if meeting.likeness == Likeness.SAME and meeting.is_read_out:
        for occasion in evidence:  # it counts, and names no agent as its speaker
            occasion.made_by_id = ""
    keep_episodes(new_occasions)
    _write(meeting, {**_words(meeting), **numbers}, evidence, dismissal=dismissal)
    if new_occasions:  # without a new occasion nothing climbs, e.g. after a restore
        climbing.climb(row, at=at)
    reinforced = bool(new_occasions) and not meeting.begins_anew
    return WriteResult(row, reinforced=reinforced, reset=meeting.begins_anew, notice=notice)


def _contradicts_itself(meeting: Meeting) -> bool:
    """Whether an agent vouches for the claim of another, in the place of which it has proposed a different one."""
    actor = meeting.trust.actor
    vouches = actor.kind == ActorKind.AGENT and actor.identity != meeting.row.created_by_id
    return vouches and Proposal.objects.contradict(meeting.row, by=actor)


def _confirmation_columns(row: Memory, times: int) -> dict[str, Any]:
    if not times:
        return {}
    confidence = Ladder.of_settings().gained(row.confidence, times)
    return {"confidence": confidence, "times_confirmed": row.times_confirmed + times}


def _words(meeting: Meeting) -> dict[str, Any]:
    """The columns that the statement changes, with their new values."""
    row, statement = meeting.row, meeting.statement
    change: dict[str, Any] = {"tags": united(row.tags, statement.tags)}
    change["company_id"] = row.company_id or statement.company_id
    least_level = meeting.evidence if meeting.is_own else Sensitivity.PUBLIC
    if not meeting.same_words and not meeting.words_are_kept:
        change |= {"content": statement.content, "flags": statement.flags}
        least_level = statement.at_least(meeting.evidence)
    change["sensitivity"] = max(row.sensitivity, least_level)
    return {name: value for name, value in change.items() if value != getattr(row, name)}


def _write(meeting: Meeting, change: dict[str, Any], evidence: list[Evidence], *, dismissal: Dismissal) -> None:
    """Write the change with its evidence and audit row; `unaudited_columns` move neither version nor trail."""
    row, at = meeting.row, meeting.at
    unaudited_columns = _unaudited_columns(meeting, change, evidence, dismissal)
    moves_version = not WORDS.isdisjoint(change)
    if change and not moves_version:  # numbers only: the version stays
        unaudited_columns |= {**change, **row.along("reinforce", change, by=meeting.trust.actor, at=at)}
    entry = row.audit("reinforce", by=meeting.trust.actor, at=at, before=_of(row, change), after=change)
    bulk_rows.insert(evidence, [entry] if change and not moves_version else [])
    if unaudited_columns:
        Memory.objects.filter(pk=row.pk).update(**unaudited_columns)
        for name, value in unaudited_columns.items():
            setattr(row, name, value)
    if moves_version:
        action = "revise" if meeting.begins_anew else "reinforce"
        extra_columns = {"withheld_from": row.withheld_from}
        row.revise(action, change, by=meeting.trust.actor, why="", at=at, extra_columns=extra_columns)


def _unaudited_columns(
    meeting: Meeting, change: dict[str, Any], evidence: list[Evidence], dismissal: Dismissal
) -> dict[str, Any]:
    """Columns that change along with the statement and are no part of the audit row."""
    row, at, near_tombstone = meeting.row, meeting.at, dismissal.near_tombstone
    columns: dict[str, Any] = {}
    if "content" not in change and (united_speakers := speakers.united(row, speakers_behind(evidence))) != row.speakers:
        columns["speakers"] = united_speakers  # with other words they follow these
    if "content" in change and meeting.likeness != Likeness.SAME:
        columns["resembles"] = near_tombstone.pk if near_tombstone else None
    scopes = set(dismissal.withheld_from) | ({*row.withheld_from} if meeting.likeness == Likeness.SAME else set())
    if scopes != {*row.withheld_from}:
        columns["withheld_from"] = sorted(scopes)
    if evidence:
        columns |= {"reinforced_at": at, "updated_at": at}
        columns |= {"expires_at": at + timedelta(seconds=row.ttl)} if row.ttl else {}
    return columns


def _of(row: Memory, change: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in change}
