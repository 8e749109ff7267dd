"""Writing a learned competence: its memory, evidence, and a proposed version of its skill (`skills.publishing`), where
new runs change it enough for one, with the changelog that says how."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from consolidation.learning.runs.lines import Line
from consolidation.learning.writing.competence import Competence
from consolidation.models import Pattern, Sighting
from consolidation.models.worth import SkillLines
from memories.intake import admission, evidence
from memories.intake.admission import Admission
from memories.intake.evidence import Witness
from memories.intake.inserting import insert_memories
from memories.intake.statements import Statement
from memories.models import Episode, Memory, Passage
from memories.values.choices import Origin, Outcome, Sensitivity, Status, Type
from memories.values.trust import SYSTEM, everything
from skills import publishing
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging.skill_md_writer import differs_beyond_track_record
from skills.publishing import PreparedVersion

NUMBER = re.compile(r"\d+")
CONFIDENCE = 80  # of a competence from runs
SOURCE = "consolidation"
MOST_RUNS = 24  # that a line names


def is_material(before: Fields, after: Fields, *, open_proposal: bool) -> bool:
    """Whether a new version is worth proposing.

    A proposal that nobody has decided follows whatever SKILL.md says beyond its track record; a published version only
    another way of working: steps, what each needs, failures met and what was done after them. Numbers alone never.
    """
    return differs_beyond_track_record(before, after) if open_proposal else _way(before) != _way(after)


def changelog(before: Fields | None, after: Fields) -> str:
    """One line that says how a version differs from the one before."""
    if before is None:
        return "First version, from recorded runs"
    changes = [
        *_named("steps added", _tools(after) - _tools(before)),
        *_named("steps gone", _tools(before) - _tools(after)),
        *(["order or need of steps"] if _steps(before) != _steps(after) and _tools(before) == _tools(after) else []),
        *(["failure modes"] if _masked(before.failure_modes) != _masked(after.failure_modes) else []),
        *(["fallbacks"] if _masked(before.fallbacks) != _masked(after.fallbacks) else []),
    ]
    return "; ".join(changes) or "Wording and numbers, after more runs"


def _named(heading: str, tools: set[str]) -> list[str]:
    return [f"{heading}: {', '.join(sorted(tools))}"] if tools else []


def _tools(fields: Fields) -> set[str]:
    return {step.tool for step in fields.recipe}


def _steps(fields: Fields) -> list[tuple[str, bool, tuple[str, ...]]]:
    return [(step.tool, step.optional, tuple(step.args_schema.get("required", ()))) for step in fields.recipe]


def _masked(lines: list[str]) -> set[str]:
    return {NUMBER.sub("#", line) for line in lines}


def _way(fields: Fields) -> tuple[object, ...]:
    return _steps(fields), _masked(fields.failure_modes), _masked(fields.fallbacks)


def prepare(memory: Memory | None, competence: Competence, *, scope: str) -> PreparedVersion | None:
    """Pack a version that is worth proposing; None if it is not.

    A published skill changes only with its way of working, and a version that a person rejected is not proposed again.
    """
    if memory is None:
        return publishing.prepare(competence.fields, scope=scope, number=1)
    skill = Skill.objects.filter(pk=memory.pk).first()
    if skill is None:
        return None
    latest = skill.versions.filter(status__in=publishing.SINGLE_STATUSES).order_by("-number").first()
    fields = competence.fields.model_copy(update={"name": skill.name, "title": skill.title})
    fields = _with_lines_of_model(fields, latest)
    if latest is None or not is_material(Fields.model_validate(latest.fields), fields, open_proposal=latest.is_open):
        return None
    if _is_rejected(skill, fields):
        return None
    return publishing.prepare(fields, scope=scope, number=publishing.next_number(skill))


def _with_lines_of_model(fields: Fields, latest: SkillVersion | None) -> Fields:
    """The fields with those lines of the latest version that a language model wrote: runs do not say them again."""
    if latest is None:
        return fields
    rows = SkillLines.objects.of_model(latest.skill_id)
    texts_by_field = {
        name: [row["text"] for row in lines if row["text"] in latest.fields[name]] for name, lines in rows.items()
    }
    return fields.model_copy(update={name: [*getattr(fields, name), *texts] for name, texts in texts_by_field.items()})


def _is_rejected(skill: Skill, fields: Fields) -> bool:
    """Whether a person rejected a version with this way of working."""
    rejected_fields = skill.versions.filter(status=SkillVersion.Status.REJECTED).values_list("fields", flat=True)
    return any(
        not is_material(Fields.model_validate(change), fields, open_proposal=False) for change in rejected_fields
    )


def admit(pattern: Pattern, competence: Competence, *, at: datetime) -> Admission:
    """Construct the memory of a new competence, not saved yet; or the tombstone that blocks it."""
    return admission.admit(_statement(pattern, competence), trust=everything(), at=at, provenance={})


def _statement(pattern: Pattern, competence: Competence) -> Statement:
    return Statement(
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
        names=pattern.former,
    )


def create(memory: Memory, pattern: Pattern, competence: Competence, *, at: datetime) -> Memory:
    """Save an admitted competence, findable, with its audit row and its skill."""
    insert_memories([memory], by=SYSTEM, at=at, why=f"seen in {pattern.successes} successful runs")
    take(memory, pattern, competence)
    return memory


def without_skill(pattern: Pattern) -> Memory | None:
    """The competence of this pattern that an import brought or an agent stored, without a skill; locked."""
    candidates = Memory.objects.live().filter(
        type=Type.COMPETENCE, origin__in=(Origin.IMPORTED, Origin.STORED), pattern=None
    )
    rows = candidates.filter(scope=pattern.scope)
    of_name = rows.filter(payload__skill_name=name_of(pattern), skill=None, sensitivity__gte=pattern.sensitivity)
    return of_name.select_for_update(of=("self",)).order_by("pk").first()


def take(memory: Memory, pattern: Pattern, competence: Competence) -> None:
    """Make it the competence of the pattern, with a skill."""
    Skill.objects.create(memory=memory, scope=memory.scope, name=competence.fields.name, title=competence.fields.title)
    pattern.memory = memory


def name_of(pattern: Pattern) -> str:
    return f"skill:{pattern.signature}"


def _payload(pattern: Pattern, competence: Competence) -> dict[str, object]:
    former_name = pattern.memory.payload.get("skill_name") if pattern.memory else None  # a name once given stays
    return {
        "kind": Type.COMPETENCE.value,
        "skill_name": former_name or name_of(pattern),
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
    new_sightings = list(pattern.sightings.uncounted().order_by("at", "episode_id"))
    new = evidence.count(memory, witnesses(new_sightings), at=at, founding=founding)
    Sighting.objects.filter(pk__any=[sighting.pk for sighting in new_sightings]).counted()
    return Counter(competences_created=1) if founding else Counter(competences_reinforced=1 if new else 0)


def keep_contrast(memory: Memory, competence: Competence) -> None:
    """Update `contrast`, what runs say of right and wrong calls, also beside a version that people published: only
    checks read it, and nobody decides it."""
    if memory.payload.get("contrast") != competence.contrast:
        memory.payload = {**memory.payload, "contrast": competence.contrast}
        Memory.objects.filter(pk=memory.pk).update(payload=memory.payload)


def keep_lines(memory: Memory, competence: Competence, *, at: datetime) -> None:
    """Store the runs behind each line for the reviewer: at most MOST_RUNS, the first and the last ones."""
    lines = {name: [_kept(line) for line in lines_of_model] for name, lines_of_model in competence.lines.items()}
    SkillLines.objects.keep(memory, lines, at=at)


def _kept(line: Line) -> dict[str, object]:
    ids, half = [str(run) for run in line.runs], MOST_RUNS // 2
    return {"text": line.text, "runs": ids if len(ids) <= MOST_RUNS else ids[:half] + ids[-half:], "of": len(ids)}


def witnesses(sightings: Sequence[Sighting]) -> list[Witness]:
    openings = dict(
        Episode.objects.filter(pk__any=[s.episode_id for s in sightings]).values_list("pk", "memory__content")
    )
    outcomes = [(sighting, Outcome(sighting.outcome) if sighting.outcome else None) for sighting in sightings]
    return [Witness(one.episode_id, outcome, one.at, openings.get(one.episode_id, "")) for one, outcome in outcomes]


def propose(
    memory: Memory, competence: Competence, prepared: PreparedVersion, *, created: bool, run_id: UUID, at: datetime
) -> Counter[str]:
    """Propose the version. A memory that waits for a decision gets its words, unless they were dismissed: then there is
    no version either. `created`: it was just created with them."""
    if memory.status == Status.CANDIDATE and not created and not _reword(memory, competence, at=at):
        return Counter(suppressed=1)
    skill = memory.skill
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
    return Counter(versions_proposed=1)


def _reword(memory: Memory, competence: Competence, *, at: datetime) -> bool:
    """Give a candidate the words of the proposal, through the gate as at first. False: they were dismissed."""
    statement = _statement(memory.pattern, competence)
    dismissal, columns = admission.admit_new_words(memory, statement, trust=everything())
    if dismissal.blocking is not None:
        admission.suppress(dismissal.blocking, statement, trust=everything(), at=at)
        return False
    for name, value in columns.items():
        setattr(memory, name, value)
    Memory.objects.filter(pk=memory.pk).update(**columns, updated_at=at)
    Passage.objects.rewrite(memory)
    return True
