"""What a write of a claim takes and answers: a statement, the occasions that speak for it, what was stored."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar
from uuid import UUID

from uuid_utils.compat import uuid7

from memories import claims, scanning
from memories.claims import Claim
from memories.intake.reports.payloads import EvidenceSource, Triple, Validity, note
from memories.models import Evidence, Memory, bulk_rows
from memories.models.evidence import LONGEST_SNAPSHOT, episode_occasion, speakers_behind
from memories.values import decay, speakers
from memories.values.choices import ActorKind, Category, Origin, Sensitivity, Type
from memories.values.exceptions import FieldError, Invalid, NotFound
from memories.values.field_errors import format_instant, parse_instant
from memories.values.field_types import competence_key
from memories.values.trust import Trust

A = TypeVar("A")
ACCEPTED = "accepted"
OWN_NAMES = frozenset(chain(Triple.model_fields, Validity.model_fields, EvidenceSource.model_fields))
PROVENANCE = {Origin.OBSERVED: "observation"}  # the kind of a source where that is not the name of the origin


@dataclass(frozen=True)
class Occasion:
    """What speaks for a claim, once: two with one `name` are the same. `episode_id`: the episode it is or was in.

    `event_id`: the event of the episode in which it was said, with these words (`quote`).
    """

    name: str
    at: datetime
    episode_id: UUID | None = None
    event_id: UUID | None = None
    quote: str = ""

    @classmethod
    def episode(cls, episode_id: UUID, *, at: datetime, event_id: UUID | None = None, quote: str = "") -> "Occasion":
        return cls(episode_occasion(episode_id), at, episode_id, event_id, quote)

    @classmethod
    def thread(cls, source: str, thread_id: str, *, at: datetime) -> "Occasion":
        """The occasion of a thread: the same one all day. `at`: in UTC."""
        return cls(f"thread:{source}/{thread_id}:{at.date()}", at)

    @classmethod
    def request(cls, *, at: datetime, episode_id: UUID | None = None) -> "Occasion":
        """The occasion of one request: a new one at each call."""
        return cls(f"request:{uuid7()}", at, episode_id)


@dataclass(frozen=True)
class Statement:
    """The words, place and source of a memory to be written.

    `key` '': it has none. `sensitivity` None: not stated. `confidence`: where it starts if it is new. `names`: other
    keys by which its dismissal is known, in whatever words.
    """

    content: str
    key: str
    scope: str
    source: str
    confidence: int
    category: Category | None = Category.FACT
    origin: Origin = Origin.STORED
    type: Type = Type.SEMANTIC
    payload: dict[str, Any] = field(default_factory=dict)
    sensitivity: Sensitivity | None = None
    tags: Sequence[str] = ()
    company_id: str | None = None
    thread_id: str | None = None
    expires_at: datetime | None = None
    deletion_policy: str | None = None
    names: Sequence[str] = ()

    @property
    def known_by(self) -> list[str]:
        """Names by which a dismissal blocks it in whatever words: a skill's name in runs, a finding's key, `names`."""
        skill = competence_key(self.payload.get("skill_name")) if self.type == Type.COMPETENCE else None
        key = self.key if self.origin in Origin.of_rules() else None
        return list(dict.fromkeys(name for name in (skill, key, *self.names) if name))

    @cached_property
    def claim(self) -> Claim:
        return claims.claim_of(self.content)

    @cached_property
    def flags(self) -> list[str]:
        """The scan's flags, each of which asks for a review. What a person teaches may be an instruction; what runs
        teach may not, because it holds words of anybody who spoke in them."""
        payload = json.dumps(self.payload, ensure_ascii=False) if self.payload else ""
        # a plan repeats its words, and the search for instructions costs by the character
        prose = "\n".join(dict.fromkeys([self.content, *_texts(self.payload)]))
        return scanning.flags(self.content, payload, prose=prose, by_a_person=self.origin == Origin.TAUGHT)

    def at_least(self, evidence: int) -> int:
        """The lowest sensitivity it may have: the stated one, that of its evidence, and high if it holds a secret."""
        secret = Sensitivity.HIGH if scanning.SECRET in self.flags else Sensitivity.PUBLIC
        return max(self.sensitivity or Sensitivity.PUBLIC, evidence, secret)

    def columns(self, *, at: datetime) -> dict[str, Any]:
        """The columns of a new row that follow from the statement alone."""
        columns: dict[str, Any] = {
            "type": self.type,
            "category": self.category,
            "scope": self.scope,
            "key": self.key or None,
            "content": self.content,
            "payload": self.payload or self._note_payload(at=at),
            "source": self.source,
            "origin": self.origin,
            "thread_id": self.thread_id,
            "company_id": self.company_id,
            "tags": list(self.tags),
            "confidence": self.confidence,
            "flags": self.flags,
            "provenance": {"sources": [self._provenance(at=at)]},
        }
        if self.deletion_policy:
            columns["deletion_policy"] = self.deletion_policy
        if self.expires_at:
            columns |= {"expires_at": self.expires_at, "ttl": (self.expires_at - at).total_seconds()}
        if self.type == Type.SEMANTIC:
            columns |= {"fingerprint": claims.fingerprint(self.claim, self.scope), **decay.awake(at)}
            columns |= window_of(self.payload)
        return columns

    def as_new_memory(self, sensitivity: int) -> dict[str, Any]:
        """Its typed fields as a proposed revision holds them; see NewMemory."""
        words = {"type": self.type.value, "content": self.content, "payload": self.payload}
        place = {"source": self.source, "sensitivity": Sensitivity(sensitivity).label}
        return {**words, **place, **({"tags": list(self.tags)} if self.tags else {})}

    def _note_payload(self, *, at: datetime) -> dict[str, Any]:
        source = {"source_type": self.origin.value, "source_id": self.source, "timestamp": format_instant(at)}
        return note(evidence=[source])

    def _provenance(self, *, at: datetime) -> dict[str, Any]:
        kind = PROVENANCE.get(self.origin, self.origin.value)
        return {"kind": kind, "ref": self.key, "created_by": self.source, "timestamp": format_instant(at)}


def window_of(payload: Mapping[str, Any]) -> dict[str, datetime | None]:
    """The columns of the time in which a statement holds, by the validity in its payload."""
    validity = payload.get("validity") or {}
    return {"valid_from": parse_instant(validity.get("start")), "valid_to": parse_instant(validity.get("end"))}


@dataclass(frozen=True)
class WriteResult:
    """The answer to a write. `memory` None: the caller may not see the row that it concerns, or that is gone.

    `forgotten`: it was suppressed by a tombstone whose memory is gone. `reset`: another claim replaced the former one
    and its count starts again. `notice`: one sentence for the caller.
    """

    memory: Memory | None
    created: bool = False
    reinforced: bool = False
    suppressed: bool = False
    forgotten: bool = False
    reset: bool = False
    proposal: UUID | None = None
    ignored_fields: list[str] = field(default_factory=list)
    notice: str | None = None

    @property
    def accepted(self) -> bool:
        """The write was taken, and nothing may be shown of what came of it."""
        return self.memory is None and self.notice == ACCEPTED


NOTHING_TOLD = WriteResult(None, notice=ACCEPTED)


@dataclass(frozen=True)
class ClaimWrite(Generic[A]):
    """The write of one claim: by itself, or among others where it meets nothing.

    `founding` and `columns`: of its row if it is new (the gate may lower the status); `stems`: what the keys that it
    meets begin with, where that is not its own key; `by_itself`: write it and tell what came of it, in the caller's
    transaction; `settle`: last changes of a new row before its insert; `answer`: the caller's answer from the result.
    """

    statement: Statement
    founding: Sequence[Occasion]
    columns: Mapping[str, Any]
    by_itself: Callable[[], A]
    answer: Callable[[WriteResult], A]
    stems: Sequence[str] = ()
    settle: Callable[[Memory], object] = id


def evidence_sensitivity(occasions: Iterable[Occasion], scope: str, trust: Trust) -> int:
    """The highest sensitivity among the episodes of these occasions; public if there are none.

    NotFound: the caller does not see one of them; Invalid: one is of another scope.
    """
    ids = {occasion.episode_id for occasion in occasions if occasion.episode_id}
    if not ids:
        return Sensitivity.PUBLIC
    rows = Memory.objects.visible_to(trust).filter(pk__in=ids).exclude(episode=None)
    episodes = list(rows.values_list("pk", "scope", "sensitivity"))
    if len(episodes) < len(ids):
        raise NotFound("no such episode")
    if any(episode_scope != scope for _, episode_scope, _ in episodes):
        detail = "is of another scope: what is learned in one is not mixed into another"
        raise Invalid(FieldError("/episode_id", "other_scope", detail))
    return int(max(sensitivity for _, _, sensitivity in episodes))


def uncounted(
    memory: Memory, occasions: Sequence[Occasion], known_names: Collection[str] | None = None
) -> list[Occasion]:
    """The occasions that are not yet evidence of this memory, each once. The caller holds the lock of its row.

    `known_names`: the names of those that are, where the caller has asked.
    """
    if known_names is None:
        names = {occasion.name for occasion in occasions}
        known_names = set(
            Evidence.objects.filter(memory=memory, occasion__any=names).values_list("occasion", flat=True)
        )
    return list({occasion.name: occasion for occasion in occasions if occasion.name not in known_names}.values())


def evidence_of(
    memory: Memory, occasions: Sequence[Occasion], content: str, *, kind: str, delta: float, trust: Trust
) -> list[Evidence]:
    """One evidence row per occasion, not saved yet.

    `content`: the words as they were said, where the occasion has no quote; `delta`: what each adds to confidence.
    """
    return [
        bulk_rows.new(
            Evidence,
            {
                "memory_id": memory.pk,
                "occasion": occasion.name,
                "episode_id": occasion.episode_id,
                "event_id": occasion.event_id,
                "kind": kind,
                "delta": delta,
                "at": occasion.at,
                "made_by": trust.actor.name[:200],
                "made_by_id": trust.actor.identity,
                "snapshot": (occasion.quote or content)[:LONGEST_SNAPSHOT],
            },
        )
        for occasion in occasions
    ]


def keep_episodes(occasions: Sequence[Occasion]) -> None:
    """Keep the episodes of evidence as long as its memory lives."""
    episodes = {occasion.episode_id for occasion in occasions if occasion.episode_id}
    if episodes:
        Memory.objects.filter(pk__any=episodes, evidence_of_live=False).update(evidence_of_live=True)


def add_evidence(
    memory: Memory, occasions: Sequence[Occasion], content: str, *, kind: str, delta: float, trust: Trust
) -> None:
    """Write one evidence row per occasion; see `evidence_of`. Their episodes are kept as long as the memory lives.

    For evidence that a rule reads in runs, the agents of these runs become speakers of the memory.
    """
    rows = evidence_of(memory, occasions, content, kind=kind, delta=delta, trust=trust)
    Evidence.objects.bulk_create(rows)
    keep_episodes(occasions)
    if trust.actor.kind == ActorKind.SYSTEM and kind != Evidence.Kind.CONTRADICTS:
        memory.speakers = speakers.united(memory, speakers_behind(rows))
        Memory.objects.filter(pk=memory.pk).update(speakers=memory.speakers)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, and every name that its sender chose."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in OWN_NAMES:
                yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
