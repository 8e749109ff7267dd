"""Supersede a memory by another, fork it, merge several, contest or retract it; store the new memory of a revision,
with the rows of other tables that it takes along."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, QuerySet, Sum
from uuid_utils.compat import uuid7

from memories.intake.inserting import insert_memories
from memories.intake.revisions.sources import CONTESTABLE, hold_for
from memories.intake.revisions.undoing import related
from memories.intake.statements import Occasion, evidence_of
from memories.models import AuditEntry, Evidence, Memory, Passage, Performance, Relation
from memories.models.audit import AuditFacts
from memories.models.performance import COLUMN
from memories.models.relation import CONTESTED_BY, DERIVED_FROM, SUPERSEDES
from memories.models.trusted import new_id
from memories.values.choices import BELIEVED, LIVE, Hold, Status, Type
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import everything

MERGED_INTO = "merged_into"


class PlaceConflict(Conflict):
    """The key (of a working state: the thread) that a new memory wants is that of another live one."""

    def __init__(self, holder: Memory | None) -> None:
        place = f"the key {holder.key!r}" if holder and holder.key else "its place"
        super().__init__(f"another live memory holds {place}" + (f": {holder.pk}" if holder else ""))
        self.holder = holder


def supersede(old: Memory, new: Memory, **decision: Unpack[AuditFacts]) -> None:
    """Put `new` in the place of `old`, also under its key; it is stored when that is closed, unless it is there.

    Conflict when the old one is not live any more; PlaceConflict when the new one's place is another's.
    """
    with transaction.atomic():
        decision["batch"] = close(old, new, "supersede", {"superseded_by": str(new.pk)}, **decision).batch_id
        if new._state.adding:
            begin(new, "create", **decision)
        else:
            new.audit("supersede", **decision, **_creation(new)).save(force_insert=True)
        Relation.objects.get_or_create(source=new, predicate=SUPERSEDES, target=old)
        Passage.objects.carry_requests([old], to=new)


def choose(keep: UUID, ids: Collection[UUID], *, scope: str, **decision: Unpack[AuditFacts]) -> None:
    """Close the others of several memories that contradict each other; the one to `keep` stays where it is, and is held
    if it is believed: a person has decided that it is the one that holds.

    Conflict: one of them is gone, or not live any more.
    """
    with transaction.atomic():
        try:
            rows = hold_for(list(ids), "", None, scope=scope, verb="supersede").rows
        except (NotFound, NotAllowed) as refusal:
            raise Conflict(f"the proposed change no longer applies: {refusal}") from None
        winner = next(row for row in rows if row.pk == keep)
        losers = [row for row in rows if row.pk != keep]
        for loser in losers:
            close(loser, winner, "supersede", {"superseded_by": str(keep)}, **decision)
            Relation.objects.get_or_create(source=winner, predicate=SUPERSEDES, target=loser)
        Passage.objects.carry_requests(losers, to=winner)
        if winner.status in BELIEVED and winner.hold == Hold.NONE:
            winner.revise("hold", {"hold": Hold.FLOOR}, **decision)


def close(old: Memory, new: Memory, verb: str, names: dict[str, Any], **decision: Unpack[AuditFacts]) -> AuditEntry:
    """Close `old` as superseded. `names`: what its payload says of the memory in its place."""
    old.lock_for(verb, LIVE)
    revision = {**old.payload.get("revision", {}), **names, "status": "superseded"}
    change = {"status": Status.SUPERSEDED, "payload": {**old.payload, "revision": revision}}
    details = related(new, SUPERSEDES, old) if verb == "supersede" else related(old, MERGED_INTO, new)
    return old.revise(verb, change, details=details, **decision)


def fork(old: Memory, new: Memory, **decision: Unpack[AuditFacts]) -> None:
    """Keep both live; the new one, which is stored now unless it is there already, is related to where it comes from,
    and the trail of the old one tells of it."""
    decision["batch"], details = decision.get("batch") or uuid7(), related(new, DERIVED_FROM, old)
    with transaction.atomic():
        if new._state.adding:
            begin(new, "fork", details=details, **decision)
        old.tell("fork", details, sensitivity=new.sensitivity, **decision)
        Relation.objects.get_or_create(source=new, predicate=DERIVED_FROM, target=old)


def retract(memory: Memory, **decision: Unpack[AuditFacts]) -> None:
    """Retract a memory that does not hold any more: it stays, with its history, hidden from default reads."""
    with transaction.atomic():
        memory.lock_for("retract", LIVE)
        memory.revise("retract", {"status": Status.RETRACTED}, **decision)


def contest_by(memory: Memory, against: Memory | str, **decision: Unpack[AuditFacts]) -> None:
    """Contest a memory by another one, which stays as it is, or by words, which become evidence against it; by '' it is
    only contested. It waits for a person, and its adaptation ends."""
    with transaction.atomic():
        memory.lock_for("contest", CONTESTABLE)
        details = None
        if isinstance(against, Memory):
            Relation.objects.get_or_create(source=memory, predicate=CONTESTED_BY, target=against)
            details = related(memory, CONTESTED_BY, against)
        elif against:
            facts: dict[str, Any] = {"kind": Evidence.Kind.CONTRADICTS, "delta": 0, "trust": everything(decision["by"])}
            occasion = Occasion.request(at=decision["at"])
            Evidence.objects.bulk_create(evidence_of(memory, [occasion], against, **facts))
        memory.revise("contest", {"status": Status.CONTESTED}, details=details, **decision)


def contest(old: Memory, new: Memory, **decision: Unpack[AuditFacts]) -> None:
    """Contest two statements that cannot both hold: neither does until a person has decided."""
    decision["batch"] = decision.get("batch") or uuid7()
    with transaction.atomic():
        for memory, other in ((old, new), (new, old)):
            memory.lock_for("contest", LIVE)
            if memory.status != Status.CONTESTED:
                details = related(memory, CONTESTED_BY, other)
                memory.revise("contest", {"status": Status.CONTESTED}, details=details, **decision)
            Relation.objects.get_or_create(source=memory, predicate=CONTESTED_BY, target=other)


def begin(new: Memory, action: str, *, details: dict[str, Any] | None = None, **decision: Unpack[AuditFacts]) -> None:
    """Store the new memory of a revision. Its audit row has an inverse: undone, the new one is retracted.

    PlaceConflict: its key or thread is another live memory's.
    """
    if not insert_memories([new], action=action, unless_taken=True, **decision, **_creation(new, details)):
        raise PlaceConflict(_holder(new))
    if new.status == Status.APPLIED:
        new.adaptations.open(new, again=False, by=decision["by"], at=decision["at"])


def _creation(new: Memory, details: dict[str, Any] | None = None) -> dict[str, Any]:
    """`before` and `after` of the audit row of a creation: undoing it retracts the new memory."""
    return {"before": {"status": Status.RETRACTED}, "after": {"status": new.status, **(details or {})}}


def _holder(new: Memory) -> Memory | None:
    rows = Memory.objects.live().filter(scope=new.scope)
    if new.key and (holder := rows.filter(key=new.key).first()):
        return holder
    return rows.filter(type=Type.WORKING, thread_id=new.thread_id).first() if new.type == Type.WORKING else None


FACTS = [field.attname for field in Evidence._meta.concrete_fields if field.name not in ("id", "memory", "created_at")]
SUMMED = ("successes", "failures", "partials", "latency_total_ms", "latency_count")


def merge(sources: Sequence[Memory], new: Memory, **decision: Unpack[AuditFacts]) -> None:
    """Store `new` in the place of all of `sources`, with their evidence, request passages and track record.

    Conflict when one of them is not live any more; PlaceConflict when the new one's key is another's.
    """
    decision["batch"] = decision.get("batch") or uuid7()
    revision = {"superseded_by": str(new.pk), MERGED_INTO: str(new.pk)}
    with transaction.atomic():
        for source in sorted(sources, key=lambda source: source.pk):
            close(source, new, "merge", revision, **decision)
        begin(new, "create", **decision)
        Relation.objects.bulk_create(Relation(source=source, predicate=MERGED_INTO, target=new) for source in sources)
        Passage.objects.carry_requests(sources, to=new)
        repeated_outcomes = _unite_evidence(sources, new)
        _unite_performance(sources, new, repeated_outcomes)


def _unite_evidence(sources: Sequence[Memory], new: Memory) -> Counter[str]:
    """Copy the evidence, each occasion once by its latest row. Answers outcome -> times counted too often."""
    rows = Evidence.objects.filter(memory__in=sources)
    latest = rows.order_by("occasion", "-at", "-pk").distinct("occasion").values(*FACTS)
    outcomes_once: Counter[str] = Counter()
    copies = []
    for facts in latest.iterator(chunk_size=2000):
        copies.append(Evidence(id=new_id(), memory=new, **facts))
        outcomes_once.update([facts["outcome"]] if facts["outcome"] else [])
    Evidence.objects.bulk_create(copies, batch_size=1000)
    return _outcomes(rows) - outcomes_once


def _outcomes(rows: QuerySet[Evidence]) -> Counter[str]:
    return Counter(outcome for outcome in rows.values_list("outcome", flat=True) if outcome)


def _unite_performance(sources: Sequence[Memory], new: Memory, repeated_outcomes: Counter[str]) -> None:
    """The sum of what each has, an episode that witnessed several of them counted once."""
    rows = Performance.objects.filter(memory__in=sources)
    if not rows.exists():
        return
    totals: dict[str, Any] = rows.aggregate(**{name: Sum(F(name)) for name in SUMMED}, last=Max("last_used_at"))
    last = totals.pop("last")
    for outcome, times in repeated_outcomes.items():
        totals[COLUMN[outcome]] = max(0, totals[COLUMN[outcome]] - times)  # type: ignore[index]  # an Outcome is its word
    Performance.objects.create(memory=new, last_used_at=last, **totals)
