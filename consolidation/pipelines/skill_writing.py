"""Writing of an extracted skill: through the gate, as a proposed version that waits for a person."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from consolidation.extraction import needs
from consolidation.extraction.recall import KnownSkill, skill_named
from consolidation.extraction.steps import Needless
from consolidation.models import Run
from memories.intake import admission
from memories.intake.evidence import record_suppressed
from memories.intake.inserting import insert_memories
from memories.intake.statements import Statement
from memories.models import Episode, Evidence, Memory, claim_locks
from memories.models.evidence import LONGEST_SNAPSHOT, episode_occasion
from memories.values.choices import LIVE, ActorKind, Origin, Sensitivity, Status, Type
from memories.values.trust import Actor, everything
from skills import publishing
from skills.manifest import Fields
from skills.merging import merge
from skills.models import Skill, SkillName, SkillVersion
from skills.names import SLUG_LENGTH
from skills.packaging.skill_md_writer import differs_beyond_track_record
from skills.publishing import PreparedVersion
from skills.scanning import WRITTEN_BY_MODEL

BY = Actor(ActorKind.SYSTEM, "Memos", "extraction")
SOURCE = "extraction"
CONFIDENCE = 40

LONGEST_CHANGELOG = 500


@dataclass(frozen=True)
class SkillDraft:
    """What a task of a conversation taught. `files`: paths that the model wrote; `notes`: what was left out;
    `needless`: why nobody is asked about it."""

    fields: Fields
    reason: str
    files: Sequence[str] = ()
    notes: Sequence[str] = ()
    needless: Needless | None = None


Former = Callable[[], KnownSkill | None]


def write(draft: SkillDraft, former_of: Former, *, episode: Episode, run: Run, at: datetime) -> Counter[str]:
    """Propose a new skill, or the next version of the one that `former_of` answers, which is asked again before a new
    one is stored: a conversation that is read at the same time may have taught it. What agents download stays as it is.

    Counters: skills_created, versions_proposed, suppressed, known (nothing new in it). Not inside a transaction: the
    storage of packages is a foreign system.
    """
    former = former_of()
    if former is None:
        if (counters := _write_new(draft, former_of, episode=episode, run=run, at=at)) is not None:
            return counters
        former = former_of()
    if former is None:
        raise RuntimeError("the skill that another conversation taught meanwhile is gone again")
    return _write_version(draft, former.memory, former.fields, episode=episode, run=run, at=at)


def _write_new(
    draft: SkillDraft, former_of: Former, *, episode: Episode, run: Run, at: datetime
) -> Counter[str] | None:
    """Write a skill of a name that is free; None: there is one like it by now."""
    same = skill_named(draft.fields.name, scope=episode.scope)
    if same is not None and same.memory.status not in LIVE:
        record_suppressed(same.memory, {at: ""}, source=SOURCE)
        return Counter(suppressed=1)
    if same is not None:  # of another sensitivity, or it is no version of it
        draft = replace(draft, fields=draft.fields.model_copy(update={"name": _free_name(draft.fields.name, episode)}))
    return _write_skill(draft, former_of, episode=episode, run=run, at=at)


def _write_skill(
    draft: SkillDraft, former_of: Former, *, episode: Episode, run: Run, at: datetime
) -> Counter[str] | None:
    fields = draft.fields
    version = _marked(publishing.prepare(fields, scope=episode.scope, number=1), draft.files)
    statement = _statement(fields, episode)
    with transaction.atomic():
        claim_locks.to_store(episode.scope)
        claim_locks.alone(f"skills {episode.scope}")
        if former_of() is not None:
            return None
        admission_result = admission.admit(statement, trust=everything(BY), at=at)
        if admission_result.memory is None:
            admission.suppress(admission_result.dismissal.blocking, statement, trust=everything(BY), at=at)
            return Counter(suppressed=1)
        memory = admission_result.memory
        insert_memories([memory], by=BY, at=at, why=draft.reason[:LONGEST_CHANGELOG])
        skill = Skill.objects.create(memory=memory, scope=memory.scope, name=fields.name, title=fields.title)
        _propose(skill, version, draft, run=run, at=at)
        _testify(memory, episode, draft, Evidence.Kind.CREATED, at=at)
        needs.keep(memory, draft.needless, at=at)
    return Counter(skills_created=1, not_needed=int(draft.needless is not None))


def _write_version(
    draft: SkillDraft, memory: Memory, former: Fields, *, episode: Episode, run: Run, at: datetime
) -> Counter[str]:
    """Propose the next version, in the place of one that waits, if it says anything new; the episode speaks for it."""
    skill = Skill.objects.get(pk=memory.pk)
    merge_result = merge(former, draft.fields)
    version = None
    if differs_beyond_track_record(former, merge_result.fields):
        number = publishing.next_number(skill)
        version = _marked(publishing.prepare(merge_result.fields, scope=memory.scope, number=number), draft.files)
    with transaction.atomic():
        memory.refresh_from_db(from_queryset=Memory.objects.select_for_update())
        if memory.status not in LIVE:
            record_suppressed(memory, {at: ""}, source=SOURCE)
            return Counter(suppressed=1)
        _testify(memory, episode, draft, Evidence.Kind.REINFORCED, at=at)
        if version is None:
            return Counter(known=1)
        _propose(skill, version, replace(draft, notes=[*merge_result.losses, *draft.notes]), run=run, at=at)
        if memory.status == Status.CANDIDATE:  # not decided yet: what people read is what the proposal says
            memory.revise("revise", {"content": merge_result.fields.description}, by=BY, why="", at=at)
            if draft.needless is None:  # now it says something that agents need
                needs.keep(memory, None, at=at)
    return Counter(versions_proposed=1)


def _propose(skill: Skill, version: PreparedVersion, draft: SkillDraft, *, run: Run, at: datetime) -> None:
    changelog = "; ".join(filter(None, [*draft.notes, draft.reason]))[:LONGEST_CHANGELOG]  # a page shows its beginning
    made_by = SkillVersion.MadeBy.EXTRACTION
    publishing.propose(skill, version, made_by=made_by, by=BY, at=at, changelog=changelog, run_id=run.pk)


def _marked(version: PreparedVersion, files: Sequence[str]) -> PreparedVersion:
    """The version with a finding for each file that a model wrote from one conversation: read it before publishing."""
    marks: list[dict[str, object]] = [
        {"rule": WRITTEN_BY_MODEL, "severity": "medium", "file": file, "line": 1, "excerpt": ""} for file in files
    ]
    return replace(version, findings=[*version.findings, *marks])


def _statement(fields: Fields, episode: Episode) -> Statement:
    return Statement(
        content=fields.description,
        key="",
        scope=episode.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=None,
        origin=Origin.EXTRACTED,
        type=Type.COMPETENCE,
        payload={
            "kind": Type.COMPETENCE.value,
            "skill_name": fields.name,
            "triggers": [{"signal": term, "conditions": {}} for term in fields.trigger],
            "recipe": [],
            "required_tools": sorted({line.partition(":")[0].strip("` ") for line in fields.tool or []}),
            "failure_modes": [],
            "fallbacks": [],
        },
        sensitivity=Sensitivity(episode.memory.sensitivity),
    )


def _testify(memory: Memory, episode: Episode, draft: SkillDraft, kind: str, *, at: datetime) -> None:
    """The conversation speaks for the skill, once."""
    row = Evidence(
        memory=memory,
        occasion=episode_occasion(episode.pk),
        episode_id=episode.pk,
        kind=kind,
        at=at,
        made_by=BY.name,
        made_by_id=BY.identity,
        snapshot=draft.reason[:LONGEST_SNAPSHOT],
    )
    Evidence.objects.bulk_create([row], ignore_conflicts=True)
    Memory.objects.filter(pk=episode.pk).update(evidence_of_live=True)


def _free_name(name: str, episode: Episode) -> str:
    names = SkillName.objects.filter(scope=episode.scope, name__startswith=name[: SLUG_LENGTH - 4])
    used_names = set(names.values_list("name", flat=True))
    candidates = (f"{name[: SLUG_LENGTH - 4].rstrip('-')}-{number}" for number in range(2, len(used_names) + 3))
    return next(candidate for candidate in candidates if candidate not in used_names)
