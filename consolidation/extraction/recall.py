"""What is known about a kind of work: memories and skills of the conversation's scope, for the model to read; and
which of these skills an extracted one improves. And the statements that it may say again, in the same words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from consolidation.extraction import grounding
from consolidation.extraction.skill_answers import DraftSkill
from consolidation.extraction.transcripts import Transcript
from consolidation.llm.tokens import estimate
from memories import embedding, search
from memories.intake.reports import payloads
from memories.models import Episode, Memory
from memories.search import SearchRequest
from memories.values import text
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
DISSIMILAR = 0.35  # below it two skills are not about the same, whatever the model says
MOST_TRIGGERS = 0.5  # share of trigger terms that two skills of one kind have in common


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
class RecallResult:
    """What was found, best first."""

    memories: tuple[Memory, ...] = ()
    skills: tuple[KnownSkill, ...] = ()

    @property
    def shown(self) -> str:
        """As a text for the model: each skill with its id, each memory in a line."""
        skills = [skill.shown for skill in self.skills]
        memories = [f"- {' '.join(memory.content.split())[:LONGEST_SHOWN]}" for memory in self.memories]
        return "\n\n".join([*skills, *(["\n".join(memories)] if memories else [])])


def recall(query: str, *, scope: str, sensitivity: int, at: datetime) -> RecallResult:
    """Memories and skills that are relevant to a query, within a scope and the shared one, up to a sensitivity.

    Not inside a transaction: an endpoint may embed the query.
    """
    trust = reader(scope, sensitivity)

    def relevant(limit: int, types: Sequence[Type], statuses: Sequence[Status]) -> list[Memory]:
        request = SearchRequest(query=query, types=list(types), statuses=list(statuses), limit=limit)
        results = search.find(request, trust=trust, at=at, votes=False).results  # the same subject is looked for
        return [result.memory for result in results if (result.relevance or 0.0) >= LEAST_RELEVANCE]

    memories = relevant(MOST_MEMORIES, [Type.SEMANTIC], BELIEVED)
    skills = relevant(MOST_SKILLS, [Type.COMPETENCE], [*BELIEVED, Status.CANDIDATE])
    return RecallResult(tuple(memories), tuple(known_skills(skills)))


def reader(scope: str, sensitivity: int) -> Trust:
    """Who reads what may be shown beside a conversation of this scope and level."""
    return Trust(BY, Sensitivity(sensitivity), frozenset({scope}), permissions=frozenset({Permission.READ}))


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
    return Skill.objects.find(name, scope=scope)


def improved(draft: DraftSkill, candidates: Sequence[KnownSkill], *, sensitivity: int) -> KnownSkill | None:
    """The skill of which the draft is the next version; None: it is a new skill.

    The one that the model names, if it was shown to the model and is similar; one of the same name; one that is nearly
    the same with at least half of the trigger terms. Never one of another sensitivity: no skill becomes more secret,
    and nothing secret goes into a less secret one.
    """
    same_level = [skill for skill in candidates if skill.memory.sensitivity == sensitivity]
    similarities = {skill.memory.pk: similarity(skill.fields, draft.fields) for skill in same_level}
    for skill in same_level:
        is_named = draft.update and str(skill.memory.pk) == draft.old_memory_id
        if skill.fields.name == draft.fields.name or (is_named and similarities[skill.memory.pk] >= DISSIMILAR):
            return skill
    threshold = embedding.built_in().near_duplicate_threshold
    near = [
        skill for skill in same_level if similarities[skill.memory.pk] >= threshold and _are_asked_alike(skill, draft)
    ]
    return max(near, key=lambda skill: similarities[skill.memory.pk], default=None)


def similarity(first: Fields, second: Fields) -> float:
    """Of name, description and trigger of two skills in meaning, by the built-in model, -1 to 1."""
    model = embedding.built_in()
    vectors = model.embed([" ".join([fields.title, fields.description, *fields.trigger]) for fields in (first, second)])
    return embedding.centred_similarity(*vectors, mean=model.mean)


def _are_asked_alike(skill: KnownSkill, draft: DraftSkill) -> bool:
    """Whether half of the trigger terms of the one that has fewer are those of the other."""
    terms, draft_terms = _terms(skill.fields), _terms(draft.fields)
    fewest = min(len(terms), len(draft_terms))
    return bool(fewest) and len(terms & draft_terms) >= MOST_TRIGGERS * fewest


def _terms(fields: Fields) -> set[str]:
    return {text.normal(term).casefold().strip() for term in fields.trigger}


MARK = "[known]"  # no line of a transcript begins so
FIELDS = ("subject", "predicate", "object")
MOST_COMPARED = 500  # of the scope, those that were changed or said last
MOST_SHOWN, LONGEST_LINE = 12, 300  # lines, characters of one
LEAST_SHARE = 0.5  # of its words that stand in the conversation
SHARE = 16  # of the context that they may fill: one part


def known_facts(episode: Episode, transcript: Transcript, *, at: datetime) -> str:
    """Statements of subject, predicate and object of its scope, a line each, which a model that reads a conversation is
    to word the same way; those first of which it holds most words, "" where it speaks of none.

    None of another scope, above the level of the conversation, withheld or flagged: what is sent to a model obeys the
    trust of the conversation, and no order in a claim reaches the next reading.
    """
    trust = reader(episode.scope, episode.memory.sensitivity)
    rows = Memory.objects.offered_to(trust).live().unexpired(at).filter(scope=episode.scope, type=Type.SEMANTIC)
    rows_with_triples = rows.filter(flags=[], payload__has_keys=FIELDS).order_by("-updated_at")[:MOST_COMPARED]
    shares = {line: share for row in rows_with_triples if (line := _line(row)) and (share := _share(row, transcript))}
    best = sorted(shares, key=lambda line: -shares[line])
    while estimate(*(best := best[:MOST_SHOWN])) * SHARE > settings.LLM_CONTEXT_TOKENS:
        best.pop()
    return "\n".join(best)


def _line(row: Memory) -> str:
    """The statement as the model is to repeat it; "" of one that is no such text, or whose words people changed."""
    words = {name: row.payload[name] for name in FIELDS}
    if not all(isinstance(value, str) and value for value in words.values()):
        return ""
    line = f"{MARK} {json.dumps(words, ensure_ascii=False)}"
    return line if row.content == payloads.content_of(**words) and len(line) <= LONGEST_LINE else ""


def _share(row: Memory, transcript: Transcript) -> float:
    """How many of its words the conversation holds; 0: too few, or it does not name the subject."""
    share = grounding.share_of_words(row.content, transcript)
    return share if share >= LEAST_SHARE and grounding.is_known(row.payload["subject"], transcript) else 0.0
