"""Recording how a use of a skill ended, as the agent reports it; each use counts once."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Memory
from memories.values.choices import LIVE, ActorKind, Outcome, Permission, Type
from memories.values.exceptions import FieldError, Invalid, NotAllowed, one_of
from memories.values.trust import SHARED_SCOPES, Trust
from skills.models import Skill, SkillUse, SkillVersion

NOTE_FOR_ALL = "needs episode_id: without a run everybody reads a note of a shared skill, and you are limited to some"


@dataclass(frozen=True)
class Use:
    """A report of one use. `version`: its number, None for the published one; `key`: the caller's Idempotency-Key."""

    outcome: Outcome
    latency_ms: float | None = None
    note: str = ""
    version: int | None = None
    episode_id: UUID | None = None
    key: str = ""


def report(skill: Skill, use: Use, *, trust: Trust, at: datetime) -> tuple[SkillUse, bool]:
    """Record a use of a skill; returns its row, and whether it is new.

    The same episode or the same key again is the same use; a different outcome for an episode moves the counters by the
    difference. A shared skill is reported of by everybody to whom it is offered. NotFound: no such episode; Invalid: no
    such version, or a note that other scopes would read; NotAllowed: the skill is in none of the caller's scopes, or
    the episode is another agent's; Conflict: the skill is no longer live.
    """
    if skill.scope not in SHARED_SCOPES:
        trust.scope_to_write(skill.scope)
    elif use.note and use.episode_id is None and trust.scopes is not None:
        raise Invalid(FieldError("/note", "episode_required", NOTE_FOR_ALL))
    version, episode = _version(skill, use.version), _episode(use.episode_id, trust)
    with transaction.atomic():
        memory = skill.memory
        memory.lock_for("use", LIVE)  # a concurrent report of the same use waits
        row = _existing_use(skill, use, trust)
        if row and (use.episode_id is None or row.idempotency_key == use.key != ""):
            return row, False
        values = {"outcome": use.outcome, "latency_ms": use.latency_ms, "note": use.note, "version": version}
        caller = {"agent": trust.actor.name[:200], "agent_identity": trust.actor.identity}
        is_new = row is None
        if row is None:
            identity = {"skill": skill, "episode_id": use.episode_id, "idempotency_key": use.key, "at": at}
            row = SkillUse.objects.create(**values, **caller, **identity)
        else:
            if use.version is None:
                del values["version"]  # it was used with the one that was told, whatever is published since
            _replace(row, {**values, **caller})
        evidence.count(memory, [_witness(row, episode, memory, trust, at=at)], at=at)
    return row, is_new


def _existing_use(skill: Skill, use: Use, trust: Trust) -> SkillUse | None:
    uses = SkillUse.objects.filter(skill=skill).select_related("version")
    own_uses = uses.filter(agent_identity=trust.actor.identity, idempotency_key=use.key) if use.key else uses.none()
    return own_uses.first() or (uses.filter(episode=use.episode_id).first() if use.episode_id else None)


def _replace(row: SkillUse, values: dict[str, object]) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=[*values])


def _version(skill: Skill, number: int | None) -> SkillVersion | None:
    """The version of this number, None for the published one. Invalid: it was never published."""
    if number is None:
        return skill.published
    downloadable = (SkillVersion.Status.PUBLISHED, SkillVersion.Status.RETIRED)
    version = SkillVersion.objects.filter(skill=skill, number=number, status__in=downloadable).first()
    if version is not None:
        return version
    raise Invalid(FieldError("/version", "unknown_value", f"no version {number} of {skill.name} was published"))


def _episode(episode_id: UUID | None, trust: Trust) -> Memory | None:
    if episode_id is None:
        return None
    episode = one_of(Memory.objects.visible_to(trust).filter(pk=episode_id, type=Type.EPISODIC), "no such episode")
    of_another = (
        episode.created_by_id.startswith(f"{ActorKind.AGENT}:") and episode.created_by_id != trust.actor.identity
    )
    if of_another and not trust.may(Permission.REVIEW):
        raise NotAllowed("only the agent that opened this episode, or a reviewer, may tell of a use in it")
    return episode


def _witness(use: SkillUse, episode: Memory | None, memory: Memory, trust: Trust, *, at: datetime) -> Witness:
    """Evidence of the use. It quotes the episode only where everybody who sees the skill may see the episode."""
    may_quote = episode and episode.scope == memory.scope and episode.sensitivity <= memory.sensitivity
    return Witness(
        use.episode_id,
        Outcome(use.outcome),
        at,
        snapshot=episode.content if episode and may_quote else "",
        latency_ms=use.latency_ms,
        by=trust.actor,
        request=use.pk,
    )
