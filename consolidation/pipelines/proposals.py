"""Writing a learned competence: its memory, evidence, and a proposed version of its skill (`skills.publishing`)."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from consolidation.learning.competence import Competence
from consolidation.learning.lines import Line
from consolidation.models import Pattern, Sighting
from consolidation.models.worth import SkillLines
from consolidation.pipelines.changes import changelog, is_material
from memories import indexing
from memories.intake import admission, evidence
from memories.intake.admission import Admission
from memories.intake.evidence import Witness
from memories.intake.statements import Statement
from memories.models import Episode, Memory
from memories.values.choices import Origin, Outcome, Sensitivity, Status, Type
from memories.values.trust import SYSTEM, everything
from skills import publishing
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.publishing import PreparedVersion

CONFIDENCE = 80  # of a competence from runs
SOURCE = "consolidation"
MOST_RUNS = 24  # that a line names


def prepare(memory: Memory | None, competence: Competence, *, scope: str) -> PreparedVersion | None:
    """Pack a version that is worth proposing; None if it is not.

    A published skill changes only with its way of working, and a version that a person rejected is not proposed again.
    """
    if memory is None:
        return publishing.prepare(competence.fields, scope=scope, number=1)
    skill = Skill.objects.filter(pk=memory.pk).first()
    if skill is None:
        return None
    fields = competence.fields.model_copy(update={"name": skill.name, "title": skill.title})
    latest = skill.versions.filter(status__in=publishing.SINGLE_STATUSES).order_by("-number").first()
    if latest is None or not is_material(Fields.model_validate(latest.fields), fields, open_proposal=latest.is_open):
        return None
    if _is_rejected(skill, fields):
        return None
    return publishing.prepare(fields, scope=scope, number=publishing.next_number(skill))


def _is_rejected(skill: Skill, fields: Fields) -> bool:
    """Whether a person rejected a version with this way of working."""
    rejected = skill.versions.filter(status=SkillVersion.Status.REJECTED).values_list("fields", flat=True)
    return any(not is_material(Fields.model_validate(one), fields, open_proposal=False) for one in rejected)


def admit(pattern: Pattern, competence: Competence, *, at: datetime) -> Admission:
    """Construct the memory of a new competence, not saved yet; or the tombstone that blocks it."""
    statement = Statement(
        content=competence.fields.description,
        key="",
        scope=pattern.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=None,
        origin=Origin.CONSOLIDATED,
        type=Type.COMPETENCE,
        payload=_payload(pattern, competence),
        sensitivity=Sensitivity(pattern.sensitivity),
    )
    return admission.admit(statement, trust=everything(), at=at, provenance={})


def create(memory: Memory, pattern: Pattern, competence: Competence, *, at: datetime) -> Memory:
    """Save an admitted competence, findable, with its audit row and its skill."""
    memory.save(force_insert=True)
    indexing.index_memories([memory])
    memory.audit("create", by=SYSTEM, at=at, why=f"seen in {pattern.successes} successful runs").save(force_insert=True)
    Skill.objects.create(memory=memory, scope=memory.scope, name=competence.fields.name, title=competence.fields.title)
    pattern.memory = memory
    return memory


def _payload(pattern: Pattern, competence: Competence) -> dict[str, object]:
    named = pattern.memory.payload.get("skill_name") if pattern.memory else None  # a name once given stays
    return {
        "kind": Type.COMPETENCE.value,
        "skill_name": named or f"skill:{pattern.signature}",
        "pattern": pattern.kind,
        "effects": pattern.effects,
        "triggers": competence.triggers,
        "recipe": competence.recipe,
        "required_tools": competence.required_tools,
        "failure_modes": competence.failure_modes,
        "fallbacks": competence.fallbacks,
        "contrast": competence.contrast,
    }


def count(pattern: Pattern, memory: Memory, *, founding: bool, at: datetime) -> Counter[str]:
    """Count new sightings as evidence of the memory. `founding`: it was just created."""
    uncounted = list(pattern.sightings.uncounted().order_by("at", "episode_id"))
    new = evidence.count(memory, witnesses(uncounted), at=at, founding=founding)
    Sighting.objects.filter(pk__in=[sighting.pk for sighting in uncounted]).counted()
    return Counter(competences_created=1) if founding else Counter(competences_reinforced=1 if new else 0)


def keep_lines(memory: Memory, competence: Competence, *, at: datetime) -> None:
    """The runs behind each line, for the reviewer; of many the first and the last."""
    lines = {name: [_kept(line) for line in found] for name, found in competence.lines.items()}
    SkillLines.objects.update_or_create(memory=memory, defaults={"lines": lines, "at": at})


def _kept(line: Line) -> dict[str, object]:
    ids, half = [str(one) for one in line.runs], MOST_RUNS // 2
    return {"text": line.text, "runs": ids if len(ids) <= MOST_RUNS else ids[:half] + ids[-half:], "of": len(ids)}


def witnesses(sightings: Sequence[Sighting]) -> list[Witness]:
    said = dict(Episode.objects.filter(pk__in=[s.episode_id for s in sightings]).values_list("pk", "memory__content"))
    return [Witness(s.episode_id, Outcome(s.outcome), s.at, said.get(s.episode_id, "")) for s in sightings]


def propose(
    memory: Memory, competence: Competence, prepared: PreparedVersion, *, run_id: UUID, at: datetime
) -> Counter[str]:
    skill = Skill.objects.get(pk=memory.pk)
    latest = skill.versions.order_by("-number").first()
    publishing.propose(
        skill,
        prepared,
        made_by=SkillVersion.MadeBy.CONSOLIDATION,
        by=SYSTEM,
        at=at,
        changelog=changelog(Fields.model_validate(latest.fields) if latest else None, prepared.fields),
        run_id=run_id,
    )
    if memory.status == Status.CANDIDATE:  # not decided yet: what people read is what the proposal says
        pattern, memory.content = memory.pattern, prepared.fields.description
        Memory.objects.filter(pk=memory.pk).update(content=memory.content, payload=_payload(pattern, competence))
        indexing.reindex(memory)
    return Counter(versions_proposed=1)
