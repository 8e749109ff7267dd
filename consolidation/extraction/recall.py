"""What is known about a kind of work: memories and skills of the conversation's scope, for the model to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories import search
from memories.models import Memory
from memories.search import SearchRequest
from memories.values.choices import ActorKind, Permission, Sensitivity, Status, Type
from memories.values.trust import Actor, Trust
from skills.manifest import Fields
from skills.models import Skill, SkillVersion

BY = Actor(ActorKind.SYSTEM, "Memos", "extraction")
MOST_MEMORIES, MOST_SKILLS = 5, 3
LEAST_RELEVANCE = 0.3  # as for the selection among competences
LONGEST_SHOWN = 600  # characters of a memory
BELIEVED = [Status.CONFIRMED, Status.APPLIED]
OPEN = (SkillVersion.Status.PROPOSED, SkillVersion.Status.PUBLISHED)


@dataclass(frozen=True)
class KnownSkill:
    """A live skill with the fields of its newest version that is proposed or published."""

    memory: Memory
    fields: Fields

    @property
    def shown(self) -> str:
        fields = self.fields
        lines = [
            f"id: {self.memory.pk}",
            f"name: {fields.name}",
            f"description: {fields.description}",
            f"trigger: {', '.join(fields.trigger)}",
            f"procedure:\n{fields.procedure}",
            *(f"experience: {line}" for line in fields.experience),
            *(f"preference: {line}" for line in fields.preference),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Recalled:
    """What was found, best first."""

    memories: tuple[Memory, ...] = ()
    skills: tuple[KnownSkill, ...] = ()

    @property
    def shown(self) -> str:
        """As a text for the model: each skill with its id, each memory in a line."""
        skills = [skill.shown for skill in self.skills]
        memories = [f"- {' '.join(memory.content.split())[:LONGEST_SHOWN]}" for memory in self.memories]
        return "\n\n".join([*skills, *(["\n".join(memories)] if memories else [])])


def recall(query: str, *, scope: str, sensitivity: int, at: datetime) -> Recalled:
    """Memories and skills that are relevant to a query, within a scope and the shared one, up to a sensitivity.

    Not inside a transaction: an endpoint may embed the query.
    """
    trust = Trust(BY, Sensitivity(sensitivity), frozenset({scope}), permissions=frozenset({Permission.READ}))

    def relevant(limit: int, types: Sequence[Type], statuses: Sequence[Status]) -> list[Memory]:
        request = SearchRequest(query=query, types=list(types), statuses=list(statuses), limit=limit)
        results = search.find(request, trust=trust, at=at, votes=False).results  # the same subject is looked for
        return [result.memory for result in results if (result.relevance or 0.0) >= LEAST_RELEVANCE]

    memories = relevant(MOST_MEMORIES, [Type.SEMANTIC], BELIEVED)
    skills = relevant(MOST_SKILLS, [Type.COMPETENCE], [*BELIEVED, Status.CANDIDATE])
    return Recalled(tuple(memories), tuple(known_skills(skills)))


def known_skills(memories: Sequence[Memory]) -> list[KnownSkill]:
    """Those of the memories that are packaged skills, in the same order."""
    versions = SkillVersion.objects.filter(skill__in=[memory.pk for memory in memories], status__in=OPEN)
    newest = {version.skill_id: version for version in versions.order_by("number")}
    return [
        KnownSkill(memory, Fields.model_validate(newest[memory.pk].fields))
        for memory in memories
        if memory.pk in newest
    ]


def skill_named(name: str, *, scope: str) -> Skill | None:
    """The skill of that name in a scope, its present or a former one, whatever has become of it."""
    return Skill.objects.called(name, scope=scope)
