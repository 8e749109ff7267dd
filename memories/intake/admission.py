"""The gate: every write of a claim, a finding of a rule, a skill or a revision passes here.

`admit` decides, in this order: whether people dismissed or forgot the claim, what asks for a second look (flags), and
how sensitive the row is. Only here is a Memory constructed and are tombstones compared with words; a test holds that,
so that no write path can forget to ask.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from memories import scanning
from memories.intake.evidence import record_suppressed
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, Stored
from memories.lifecycle.ladder import waits_for_person
from memories.models import Memory, Tombstone, bulk_rows
from memories.models.claim_lookup import ClaimQuestion, Lookup
from memories.values.choices import BELIEVED, DeletionPolicy, Hold, Origin, Sensitivity, Status
from memories.values.record_keys import episode_key
from memories.values.trust import Actor, Trust

DISMISSED = "it was dismissed before: nothing was stored"
RESEMBLES = "resembles one you dismissed"
FORGOTTEN = "it was forgotten before: nothing was stored"
EpisodeName = tuple[str, str, str]  # scope, source, the caller's id


@dataclass(frozen=True)
class Dismissal:
    """The tombstones that some words meet. `blocking`: of this very claim; `resembled`: the newest of a similar one."""

    blocking: Tombstone | None = None
    resembled: Tombstone | None = None

    @property
    def notice(self) -> str | None:
        """The sentence for a caller whose words are stored all the same."""
        return RESEMBLES if self.resembled else None


NO_DISMISSAL = Dismissal()


@dataclass(frozen=True)
class Admission:
    """The decision about a new row: `memory`, which is not saved yet, or the tombstone that blocks it."""

    memory: Memory | None
    dismissal: Dismissal = NO_DISMISSAL


def admit(
    statement: Statement,
    *,
    trust: Trust,
    at: datetime,
    evidence: int = Sensitivity.PUBLIC,
    decided: bool = False,
    **columns: Any,
) -> Admission:
    """Construct the memory of a new statement, unless it was dismissed.

    `evidence`: the highest sensitivity of what speaks for it. `decided`: the caller has asked what was dismissed, by
    another identity than words, or under its locks (`lock_and_look`), or a person has answered. `columns`: values of
    the row that do not follow from the statement; a status that no person gave is lowered where the row waits for one.
    """
    dismissal = NO_DISMISSAL if decided else dismissal_of_statement(statement, trust=trust)
    if dismissal.blocking is not None:
        return Admission(None, dismissal)
    derived: dict[str, Any] = {
        **statement.columns(at=at),
        "status": Status.CANDIDATE,
        "sensitivity": _claim_sensitivity(statement, evidence),
        "resembles": dismissal.resembled.pk if dismissal.resembled else None,
    }
    memory = _memory(derived | columns, by=trust.actor, at=at)
    if memory.status in BELIEVED and memory.hold == Hold.NONE and memory.is_claim and waits_for_person(memory):
        memory.status = Status.CANDIDATE
    return Admission(memory, dismissal)


def lock_and_look(
    statement: Statement, occasions: Iterable[Occasion], *, stems: Sequence[str] = (), trust: Trust
) -> Lookup:
    """Take the locks of a store, and ask under them what it meets: live memories of its key (of `stems`, which keys
    begin with), and whether there are tombstones to compare with. One statement, before any row is locked.
    """
    names = {occasion.name for occasion in occasions}
    return question_of(statement, names, stems=stems, trust=trust).lock_and_ask()


def question_of(
    statement: Statement, occasions: Iterable[str] = (), *, stems: Sequence[str] = (), trust: Trust
) -> ClaimQuestion:
    caller, place = trust.actor.identity, {"scope": statement.scope, "key": statement.key}
    return ClaimQuestion(statement.claim, caller=caller, occasions=occasions, stems=stems, **place)


def admit_new_words(
    memory: Memory, statement: Statement, *, trust: Trust, decided: bool = False
) -> tuple[Dismissal, dict[str, Any]]:
    """The columns that a waiting memory gets with the words of this statement; none if they were dismissed.

    Its level never falls: what it said before stands in its history. `decided`: as in `admit`.
    """
    dismissal = NO_DISMISSAL if decided else dismissal_of_statement(statement, trust=trust)
    if dismissal.blocking is not None:
        return dismissal, {}
    return dismissal, {
        "content": statement.content,
        "payload": statement.payload,
        "flags": statement.flags,
        "sensitivity": max(memory.sensitivity, statement.at_least(Sensitivity.PUBLIC)),
        "resembles": dismissal.resembled.pk if dismissal.resembled else None,
    }


def admit_experience(
    content: str, *, by: Actor, at: datetime, policy: str | None = None, secret: bool = False, **columns: Any
) -> Memory:
    """Construct the memory of an episode or a working state; asks the database nothing, so it costs little for many.

    Experience is no claim: born confirmed, never in the inbox, governed by salience only. `policy`: of its deletion;
    `secret`: one of its events holds a credential.
    """
    derived = {
        "content": content,
        "origin": Origin.OBSERVED,
        "status": Status.CONFIRMED,
        "flags": [scanning.SECRET] if secret else [],
        "deletion_policy": policy or DeletionPolicy.AUTO_PRUNE,
    }
    return _memory(derived | columns, by=by, at=at)


def _memory(columns: dict[str, Any], *, by: Actor, at: datetime) -> Memory:
    made: dict[str, Any] = {"created_by": by.name[:200], "created_by_id": by.identity, "created_at": at}
    return bulk_rows.new(Memory, {"updated_at": at, "salience_at": at, **made, **columns})


def dismissal_of_statement(statement: Statement, *, trust: Trust) -> Dismissal:
    place: dict[str, Any] = {"scope": statement.scope, "key": statement.key or None}
    return dismissal_of(statement.content, **place, origin=statement.origin, trust=trust)


def dismissal_of(
    content: str,
    *,
    scope: str,
    key: str | None,
    origin: str = Origin.STORED,
    trust: Trust | None = None,
    claims_only: bool = False,
) -> Dismissal:
    """The tombstones of this scope and of the shared ones that block these words or resemble them.

    The sentences of rules (`origin`) differ in one word: under another key only the very same claim blocks them.
    `trust`: of a caller, who is told of no resemblance that it may not see. `claims_only`: not of skills and plans.
    """
    tombstones = Tombstone.objects.exclude(category=None) if claims_only else Tombstone.objects.all()
    exact = origin in Origin.of_rules()
    blocking, resembled = tombstones.met_by(content, scope=scope, key=key, exact=exact)
    if resembled and trust and not trust.sees(scope=resembled.scope, sensitivity=resembled.sensitivity):
        resembled = None
    return Dismissal(blocking, resembled)


def dismissed_key(scope: str, *keys: str | None) -> Tombstone | None:
    """The newest tombstone of one of these keys. A rule's key identifies what it found, in whatever words."""
    return Tombstone.objects.blocking(scope).filter(key__in=keys).order_by("-at").first()


NAMED = """
SELECT EXISTS (SELECT FROM memories_episode AS episode JOIN unnest(%s::text[], %s::text[], %s::text[])
                   AS named (scope, source, external_id) USING (scope, source, external_id))
    OR EXISTS (SELECT FROM memories_tombstone WHERE lifted_at IS NULL AND blocks AND key = ANY(%s::text[]))
"""
KNOWN_OR_FORGOTTEN = """
    EXISTS (SELECT FROM memories_episode WHERE scope = %s AND source = %s AND external_id = %s)
    OR EXISTS (SELECT FROM memories_tombstone WHERE lifted_at IS NULL AND blocks AND scope = %s AND key = %s)
"""


def known_or_forgotten(name: EpisodeName) -> bulk_rows.Part:
    """The condition that an episode of this name is stored or forgotten, for the statement that would store it."""
    scope, source, id = name
    return bulk_rows.Part(KNOWN_OR_FORGOTTEN, [scope, source, id, scope, episode_key(source, id)])


def may_be_known(names: Collection[EpisodeName]) -> bool:
    """Whether one of these episodes is stored, or perhaps forgotten: most are neither, and cost one question."""
    if not names:
        return False
    scopes, sources, ids = (list(part) for part in zip(*names, strict=True))
    keys = [episode_key(source, id) for _, source, id in names]
    with bulk_rows.prepared() as cursor:
        cursor.execute(NAMED, [scopes, sources, ids, keys])
        return bool(cursor.fetchone()[0])


def forgotten_episodes(names: Iterable[EpisodeName], *, at: datetime) -> set[EpisodeName]:
    """Those of these episodes that a person has forgotten; each attempt to store one again is counted."""
    by_key = {(scope, episode_key(source, id)): (scope, source, id) for scope, source, id in names}
    if not by_key:
        return set()
    standing = Tombstone.objects.standing().filter(blocks=True, key__in=[key for _, key in by_key])
    tombstones = [stone for stone in standing.only("scope", "key") if (stone.scope, stone.key) in by_key]
    if tombstones:
        Tombstone.objects.filter(pk__in=[stone.pk for stone in tombstones]).hit(at=at)
    return {by_key[stone.scope, stone.key] for stone in tombstones}


def suppress(tombstone: Tombstone | None, statement: Statement, *, trust: Trust, at: datetime) -> Stored:
    """Count that a dismissed claim was stated again, with one evidence row a day and source; nothing else moves."""
    assert tombstone is not None
    Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
    memory = Memory.objects.filter(pk=tombstone.memory_id).first() if tombstone.memory_id else None
    if memory is not None:
        open_words = statement.at_least(Sensitivity.PUBLIC) <= memory.sensitivity
        record_suppressed(memory, {at: statement.content if open_words else ""}, source=statement.source)
    if not trust.sees(scope=tombstone.scope, sensitivity=tombstone.sensitivity):
        return NOTHING_TOLD
    visible = memory is not None and trust.sees(scope=memory.scope, sensitivity=memory.sensitivity)
    notice = FORGOTTEN if memory is None else DISMISSED
    return Stored(memory if visible else None, suppressed=True, forgotten=memory is None, notice=notice)


def scan_edit(memory: Memory, columns: dict[str, Any], *, by_a_person: bool) -> dict[str, Any]:
    """The flags and the sensitivity that an edit of a claim moves along with its words."""
    if "content" not in columns or not memory.is_claim:
        return {}
    payload = json.dumps(memory.payload, ensure_ascii=False)
    flags = list(
        dict.fromkeys([*scanning.flags(columns["content"], by_a_person=by_a_person), *scanning.flags(payload)])
    )
    moved: dict[str, Any] = {"flags": flags} if flags != memory.flags else {}
    if scanning.SECRET in flags and columns.get("sensitivity", memory.sensitivity) < Sensitivity.HIGH:
        moved["sensitivity"] = Sensitivity.HIGH.value
    return moved


def sensitivity_of(stated: str | None, *, secret: bool = False) -> Sensitivity:
    """The stated level of experience, else the default; at least high with a secret."""
    level = Sensitivity.named(stated or settings.DEFAULT_SENSITIVITY)
    return max(level, Sensitivity.HIGH) if secret else level


def _claim_sensitivity(statement: Statement, evidence: int) -> int:
    default = Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    stated = default if statement.sensitivity is None else statement.sensitivity
    return max(stated, statement.at_least(evidence))
