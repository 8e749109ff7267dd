"""Store what one statement says of a subject: the same again confirms, another object follows the revision policy.

Agents report such statements as observations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from django.db import transaction

from memories.intake import revisions
from memories.intake.admission import admit, lock_and_look, suppress
from memories.intake.claims import Occasion, Statement, WriteResult
from memories.intake.claims.reinforcement import Meeting, reinforce
from memories.intake.claims.writing import create, unexpired
from memories.intake.episodes.new_rows import Ingested
from memories.intake.reports import payloads
from memories.intake.reports.events import ObservationReport
from memories.intake.reports.payloads import key_of
from memories.intake.statements import ClaimWrite, evidence_sensitivity
from memories.lifecycle.ladder import waits_for_person
from memories.lifecycle.ownership import is_own
from memories.models import Evidence, Memory, Proposal
from memories.models.claim_lookup import Lookup, MetMemory
from memories.values.choices import Origin, Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.field_types import LONGEST_TEXT
from memories.values.strict_json import text_of
from memories.values.trust import Trust

CONFIDENCE = 70  # of an observation
OUTDATED = "something else was said later: nothing was stored"
VERB = {"replace": "supersede", "contest": "contest"}  # what a revision policy asks for


@dataclass(frozen=True)
class Triple:
    """A statement whose payload is a `payloads.Triple`, and the occasion that states it.

    `why`: of a revision. `status`: of a new row that asks for no second look. `may_revise`: whether it may replace or
    contest this memory without a person. `is_dated`: the occasion may be older than what is known, and then it revises
    nothing that was said after it. `inherits_policy`: it states no policy, that of the latest statement about the same
    holds.
    """

    statement: Statement
    occasion: Occasion
    why: str
    proposal_why: str
    status: Status
    may_revise: Callable[[Memory, Trust], bool] = is_own
    is_dated: bool = False
    inherits_policy: bool = False

    @property
    def policy(self) -> str:
        return str(self.statement.payload["revision_policy"])

    @property
    def stems(self) -> list[str]:
        """What the keys of statements about this subject and predicate begin with: as written, and as in its key."""
        as_written = payloads.stem_of(self.statement.payload["subject"], self.statement.payload["predicate"])
        return sorted({as_written, self.statement.key.rpartition("#")[0]})

    def beside(self, memories: Sequence[Memory]) -> Self:
        """The same with the policy that holds for it beside these."""
        if not (self.inherits_policy and memories):
            return self
        latest = max(memories, key=lambda memory: (memory.created_at, memory.pk))
        policy = {"revision_policy": latest.payload.get("revision_policy", self.policy)}
        return replace(self, statement=replace(self.statement, payload={**self.statement.payload, **policy}))

    def says(self, row: Memory) -> bool:
        """Whether a row is this statement, also where its object was stored in quotes and made the key of that."""
        words = [text_of(row.payload.get(name)) for name in ("subject", "predicate", "object")]
        keys = {row.key, key_of(str(words[0]), str(words[1]), words[2])}
        return self.statement.key in keys or (self.is_dated and self.statement.key == folded_key(*map(str, words)))


def store(triple: Triple, *, trust: Trust, at: datetime) -> WriteResult:
    """Store a triple, or confirm the one that says the same.

    Another object for the same subject and predicate: what may be revised is superseded, kept beside or contested, as
    the policy says; anything else is left as it is, and a revision is proposed (`WriteResult.proposal`). What people
    dismissed is suppressed.
    """
    statement = triple.statement
    with transaction.atomic():
        lookup = lock_and_look(statement, [triple.occasion], stems=triple.stems, trust=trust)
        evidence = evidence_sensitivity([triple.occasion], statement.scope, trust)
        live_matches = unexpired(lookup, at=at)
        if match := next((candidate for candidate in live_matches if triple.says(candidate.memory)), None):
            return _confirm(match, lookup, triple, evidence, trust=trust, at=at)
        other_memories = [candidate.memory for candidate in live_matches if candidate.memory.status != Status.CONTESTED]
        triple = triple.beside([memory for memory in other_memories if trust.sees(memory)])
        statement = triple.statement
        no_tombstones = not lookup.may_be_dismissed
        admission = admit(
            statement, trust=trust, at=at, evidence=evidence, no_tombstones=no_tombstones, status=triple.status
        )
        if admission.memory is None:
            return suppress(admission.dismissal.blocking, statement, trust=trust, at=at)
        if triple.is_dated and triple.policy != "fork" and _is_outdated(other_memories, triple.occasion):
            return WriteResult(None, notice=OUTDATED)
        is_unsure = waits_for_person(admission.memory)
        if protected_memory := _not_to_be_revised(other_memories, triple, trust, unsure=is_unsure):
            return _propose(protected_memory, triple, evidence, trust=trust, at=at)
        memory = create(admission.memory, [triple.occasion], trust=trust, at=at)
        if not triple.is_dated or triple.policy != "fork":  # of several that hold side by side none comes from another
            _revise(other_memories, memory, triple, trust=trust, at=at)
    return WriteResult(memory, created=True)


def folded_key(subject: str, predicate: str, object: str) -> str:
    """The key of a statement that is written by a model, which writes the same in capitals and without."""
    return key_of(subject.casefold(), predicate.casefold(), object.casefold())


def _confirm(
    match: MetMemory, lookup: Lookup, triple: Triple, evidence: int, *, trust: Trust, at: datetime
) -> WriteResult:
    """Count the occasion. A quote may not stand below the level of its episode."""
    row = match.memory
    occasion = triple.occasion if evidence <= row.sensitivity else replace(triple.occasion, quote="")
    statement = triple.statement
    if triple.is_dated:  # reads alike: its words stay
        statement = replace(statement, content=row.content, payload=row.payload)
    meeting = Meeting(row, statement, trust, at, Sensitivity.PUBLIC, match, lookup.may_be_dismissed or triple.is_dated)
    return reinforce(meeting, [occasion])


def _is_outdated(other_memories: Sequence[Memory], occasion: Occasion) -> bool:
    later_evidence = Evidence.objects.filter(memory__in=other_memories, at__gt=occasion.at)
    return later_evidence.exclude(kind__in=(Evidence.Kind.CONTRADICTS, Evidence.Kind.SUPPRESSED)).exists()


def _not_to_be_revised(
    other_memories: Sequence[Memory], triple: Triple, trust: Trust, *, unsure: bool
) -> Memory | None:
    """The first memory with another object that this statement may not replace or contest without a person.

    `unsure`: the statement waits for a person itself.
    """
    if triple.policy == "fork":
        return None
    return next((memory for memory in other_memories if unsure or not triple.may_revise(memory, trust)), None)


def _propose(memory: Memory, triple: Triple, evidence: int, *, trust: Trust, at: datetime) -> WriteResult:
    statement = triple.statement
    least_level = max(memory.sensitivity, statement.at_least(evidence))
    kind = statement.payload["evidence"][0]["source_type"]
    sources = [{"source_type": kind, "source_id": statement.source}]  # said again, it is the same proposal
    fields = replace(statement, payload={**statement.payload, "evidence": sources}).as_new_memory(least_level)
    change: dict[str, Any] = {"verb": VERB[triple.policy], "memory": fields, "rationale": triple.proposal_why[:2000]}
    proposal = Proposal.objects.propose(
        Proposal.Kind.REVISION, memory, change, by=trust.actor, why=triple.proposal_why, at=at, sensitivity=least_level
    )
    if not trust.sees(memory):
        return WriteResult(None)
    return WriteResult(memory, proposal=None if proposal.is_rejected else proposal.pk)


def _revise(other_memories: Sequence[Memory], memory: Memory, triple: Triple, *, trust: Trust, at: datetime) -> None:
    verbs = {"replace": revisions.supersede, "fork": revisions.fork, "contest": revisions.contest}
    for other in other_memories:
        verbs[triple.policy](other, memory, by=trust.actor, why=triple.why, at=at)


def observation(report: ObservationReport, *, trust: Trust, at: datetime) -> Ingested:
    """Store a statement, or confirm the one that says the same; see `store`.

    Confirmed at birth: a hint, listed as not reviewed.
    """
    return write_of(report, trust=trust, at=at).by_itself()


def write_of(report: ObservationReport, *, trust: Trust, at: datetime) -> ClaimWrite[Ingested]:
    """The same as a write that is still to be done; raises what is wrong with the report."""
    statement = _statement(report, trust=trust, at=at)
    triple = Triple(
        statement,
        Occasion.request(at=report.timestamp or at),
        why=f"{report.source} observed {statement.content}"[:2000],
        proposal_why=f"{report.source} observed another {report.predicate}",
        status=Status.CONFIRMED,
        inherits_policy=report.revision_policy is None,
    )

    def by_itself() -> Ingested:
        return _answer(store(triple, trust=trust, at=at))

    return ClaimWrite(statement, [triple.occasion], {"status": triple.status}, by_itself, _answer, triple.stems)


def _answer(result: WriteResult) -> Ingested:
    facts: dict[str, Any] = {"proposal": result.proposal, "forgotten": result.forgotten}
    return Ingested(result.memory, created=result.created, changed=result.reinforced, **facts)


def _statement(report: ObservationReport, *, trust: Trust, at: datetime) -> Statement:
    source = trust.source_to_write(report.source)
    return Statement(
        content=payloads.content_of(report.subject, report.predicate, report.object)[:LONGEST_TEXT],
        key=key_of(report.subject, report.predicate, report.object),
        scope=trust.scope_to_write(report.scope),
        source=source,
        confidence=CONFIDENCE,
        origin=Origin.OBSERVED,
        payload=_payload_of(report, at=report.timestamp or at),
        sensitivity=Sensitivity.named(report.sensitivity) if report.sensitivity else None,
        tags=report.tags,
        deletion_policy=report.deletion_policy,
    )


def _payload_of(report: ObservationReport, *, at: datetime) -> dict[str, Any]:
    return {
        "kind": Type.SEMANTIC.value,
        "subject": report.subject,
        "predicate": report.predicate,
        "object": report.object,
        "validity": {"mode": "global"},
        "evidence": [{"source_type": "observation", "source_id": report.source, "timestamp": format_instant(at)}],
        "revision_policy": report.revision_policy or "replace",
    }
