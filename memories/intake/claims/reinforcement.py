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
from memories.intake.claims import promotion
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, Stored, evidence_of, keep_episodes, uncounted
from memories.lifecycle.ladder import Ladder
from memories.lifecycle.ownership import is_own
from memories.models import Evidence, Injection, Memory, Proposal, Tombstone, bulk_rows
from memories.models.claim_lookup import Met
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

    `evidence`: the highest sensitivity of what speaks for the statement. `met`: what was asked of the row under its
    lock; None: it is asked where it is needed. `may_be_dismissed`: there may be tombstones to compare with.
    """

    row: Memory
    statement: Statement
    trust: Trust
    at: datetime
    evidence: int
    met: Met | None = None
    may_be_dismissed: bool = True

    @cached_property
    def likeness(self) -> Likeness:
        return claims.compare(claims.claim_of(self.row.content), self.statement.claim, same_subject=True)

    @property
    def visible(self) -> bool:
        return self.trust.sees(self.row)

    @cached_property
    def is_own(self) -> bool:
        return is_own(self.row, self.trust, of_others=self.met.of_others if self.met else None)

    @property
    def counted(self) -> frozenset[str] | None:
        return self.met.counted if self.met else None

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
        held = self.row.hold != Hold.NONE
        same = self.likeness == Likeness.SAME
        repeated = same and (self.row.status == Status.APPLIED or self.is_read_out)
        return held or repeated or self.out_of_place

    @cached_property
    def is_read_out(self) -> bool:
        """The agent says what a context told it in this very session: another's word, for which it is no witness."""
        actor, thread = self.trust.actor, self.statement.thread_id
        if actor.kind != ActorKind.AGENT or not thread or not speakers.is_unreviewed(self.row, reader=actor.identity):
            return False
        return Injection.objects.told(self.row.pk, agent=actor.name[:200], thread_id=thread)

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


def reinforce(meeting: Meeting, confirming: Sequence[Occasion]) -> Stored:
    """Confirm the live memory, reword it, replace its claim, or propose that to a person."""
    row, statement, trust = meeting.row, meeting.statement, meeting.trust
    if not meeting.visible:
        if not meeting.same_words:
            propose_edit(meeting)
        return NOTHING_TOLD
    if row.type != statement.type:
        raise Conflict(f"the key {row.key!r} is that of a memory of the type {row.type}")
    dismissal = meeting.dismissal
    if meeting.likeness == Likeness.SAME:  # what lives here already is not stored anew
        outlived = dismissal.blocking is not None and meeting.outlives(dismissal.blocking)
        blocking = None if outlived else dismissal.blocking
        dismissal = replace(dismissal, blocking=blocking, resembled=None)
    if dismissal.blocking is not None:
        return admission.suppress(dismissal.blocking, statement, trust=trust, at=meeting.at)
    if not meeting.is_for_a_person:
        return _count(meeting, confirming, dismissal)
    proposal = propose_edit(meeting, dismissal)
    if proposal.is_rejected:
        return Stored(row, notice=REJECTED)
    return Stored(row, proposal=proposal.pk, notice=dismissal.notice)


def replace_typed(meeting: Meeting) -> Stored:
    """Propose a skill or plan that was brought whole in place of the live one of its key; the same changes nothing."""
    row, statement = meeting.row, meeting.statement
    if meeting.visible and row.type != statement.type:
        raise Conflict(f"the key {row.key!r} is that of a memory of the type {row.type}")
    if meeting.same_words and row.payload == statement.payload:
        return Stored(row) if meeting.visible else NOTHING_TOLD
    proposal = _propose(meeting, {"verb": "supersede", "memory": statement.as_new_memory(meeting.sensitivity)})
    if not meeting.visible:
        return NOTHING_TOLD
    return Stored(row, notice=REJECTED) if proposal.is_rejected else Stored(row, proposal=proposal.pk)


def propose_edit(meeting: Meeting, dismissal: Dismissal = NO_DISMISSAL) -> Proposal:
    """Open a proposal that the live memory takes the words of the statement."""
    row, statement = meeting.row, meeting.statement
    change: dict[str, Any] = {"verb": "edit", "content": statement.content}
    if meeting.sensitivity > row.sensitivity:
        change["sensitivity"] = Sensitivity(meeting.sensitivity).label
    if any(tag not in row.tags for tag in statement.tags):
        change["tags"] = united(row.tags, statement.tags)
    proposal = _propose(meeting, change)
    if dismissal.resembled is not None and not proposal.is_rejected:
        Proposal.objects.filter(pk=proposal.pk).update(resembles=dismissal.resembled.pk)
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


def _count(meeting: Meeting, confirming: Sequence[Occasion], dismissal: Dismissal) -> Stored:
    """Confirm the row by the statement, or begin its count anew, and replace its words where that is allowed."""
    row, statement, at, notice = meeting.row, meeting.statement, meeting.at, dismissal.notice
    if meeting.begins_anew:
        fresh, kind = [Occasion.request(at=at)], Evidence.Kind.CREATED
        numbers = {"confidence": statement.confidence, "times_confirmed": 0}
    else:
        fresh, kind = uncounted(row, confirming, meeting.counted), Evidence.Kind.REINFORCED
        if fresh and _contradicts_itself(meeting):
            fresh, notice = [], CONTRADICTED
        numbers = _confirmed(row, len(fresh))
    delta = 0 if meeting.begins_anew else Ladder.of_settings().gain
    evidence = evidence_of(row, fresh, statement.content, kind=kind, delta=delta, trust=meeting.trust)
    if meeting.likeness == Likeness.SAME and meeting.is_read_out:
        for occasion in evidence:  # it counts as ever, and is nobody's word
            occasion.made_by_id = ""
    keep_episodes(fresh)
    _write(meeting, {**_words(meeting), **numbers}, evidence, dismissal=dismissal)
    if fresh:  # what counts nothing moves nothing: a restored claim does not climb by what it has heard before
        promotion.climb(row, at=at)
    reinforced = bool(fresh) and not meeting.begins_anew
    return Stored(row, reinforced=reinforced, reset=meeting.begins_anew, notice=notice)


def _contradicts_itself(meeting: Meeting) -> bool:
    """Whether an agent vouches for the claim of another, in the place of which it has proposed a different one."""
    actor = meeting.trust.actor
    vouches = actor.kind == ActorKind.AGENT and actor.identity != meeting.row.created_by_id
    return vouches and Proposal.objects.contradict(meeting.row, by=actor)


def _confirmed(row: Memory, times: int) -> dict[str, Any]:
    if not times:
        return {}
    confidence = Ladder.of_settings().gained(row.confidence, times)
    return {"confidence": confidence, "times_confirmed": row.times_confirmed + times}


def _words(meeting: Meeting) -> dict[str, Any]:
    """The columns that the statement changes, with their new values."""
    row, statement = meeting.row, meeting.statement
    change: dict[str, Any] = {"tags": united(row.tags, statement.tags)}
    change["company_id"] = row.company_id or statement.company_id
    needed = meeting.evidence if meeting.is_own else Sensitivity.PUBLIC
    if not meeting.same_words and not meeting.words_are_kept:
        change |= {"content": statement.content, "flags": statement.flags}
        needed = statement.at_least(meeting.evidence)
    change["sensitivity"] = max(row.sensitivity, needed)
    return {name: value for name, value in change.items() if value != getattr(row, name)}


def _write(meeting: Meeting, change: dict[str, Any], evidence: list[Evidence], *, dismissal: Dismissal) -> None:
    """Write the change with its evidence and audit row; `unaudited` columns move neither the version nor the trail."""
    row, at = meeting.row, meeting.at
    unaudited = _unaudited(meeting, change, evidence, dismissal)
    moved = not WORDS.isdisjoint(change)
    if change and not moved:  # numbers only: the version stays
        unaudited |= {**change, **row.along("reinforce", change, by=meeting.trust.actor, at=at)}
    entry = row.audit("reinforce", by=meeting.trust.actor, at=at, before=_of(row, change), after=change)
    bulk_rows.insert(evidence, [entry] if change and not moved else [])
    if unaudited:
        Memory.objects.filter(pk=row.pk).update(**unaudited)
        for name, value in unaudited.items():
            setattr(row, name, value)
    if moved:
        action = "revise" if meeting.begins_anew else "reinforce"
        beside = {"withheld_from": row.withheld_from}
        row.revise(action, change, by=meeting.trust.actor, why="", at=at, beside=beside)


def _unaudited(
    meeting: Meeting, change: dict[str, Any], evidence: list[Evidence], dismissal: Dismissal
) -> dict[str, Any]:
    """Columns that change along with the statement and are no part of the audit row."""
    row, at, resembled = meeting.row, meeting.at, dismissal.resembled
    unaudited: dict[str, Any] = {}
    if "content" not in change and (known := speakers.united(row, speakers_behind(evidence))) != row.speakers:
        unaudited["speakers"] = known  # with other words they follow these
    if "content" in change and meeting.likeness != Likeness.SAME:
        unaudited["resembles"] = resembled.pk if resembled else None
    withheld = set(dismissal.withheld_from) | ({*row.withheld_from} if meeting.likeness == Likeness.SAME else set())
    if withheld != {*row.withheld_from}:
        unaudited["withheld_from"] = sorted(withheld)
    if evidence:
        unaudited |= {"reinforced_at": at, "updated_at": at}
        unaudited |= {"expires_at": at + timedelta(seconds=row.ttl)} if row.ttl else {}
    return unaudited


def _of(row: Memory, change: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in change}
