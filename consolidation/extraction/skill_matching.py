"""Whether an extracted skill improves one that is there, or is a new one."""

from collections.abc import Sequence

from consolidation.extraction.recall import KnownSkill
from consolidation.extraction.skill_answers import DraftSkill
from memories import embedding
from memories.values import text
from skills.manifest import Fields

DISSIMILAR = 0.35  # below it two skills are not about the same, whatever the model says
MOST_TRIGGERS = 0.5  # share of trigger terms that two skills of one kind have in common


def improved(draft: DraftSkill, known: Sequence[KnownSkill], *, sensitivity: int) -> KnownSkill | None:
    """The skill of which the draft is the next version; None: it is a new skill.

    The one that the model names, if it was shown to the model and is similar; one of the same name; one that is nearly
    the same with at least half of the trigger terms. Never one of another sensitivity: no skill becomes more secret,
    and nothing secret goes into a less secret one.
    """
    own = [skill for skill in known if skill.memory.sensitivity == sensitivity]
    similarities = {skill.memory.pk: similarity(skill.fields, draft.fields) for skill in own}
    for skill in own:
        named = draft.update and str(skill.memory.pk) == draft.old_memory_id
        if skill.fields.name == draft.fields.name or (named and similarities[skill.memory.pk] >= DISSIMILAR):
            return skill
    threshold = embedding.built_in().near_duplicate_threshold
    near = [skill for skill in own if similarities[skill.memory.pk] >= threshold and _are_asked_alike(skill, draft)]
    return max(near, key=lambda skill: similarities[skill.memory.pk], default=None)


def similarity(one: Fields, other: Fields) -> float:
    """Of name, description and trigger of two skills in meaning, by the built-in model, -1 to 1."""
    model = embedding.built_in()
    vectors = model.embed([" ".join([fields.title, fields.description, *fields.trigger]) for fields in (one, other)])
    return embedding.centred_similarity(*vectors, mean=model.mean)


def _are_asked_alike(skill: KnownSkill, draft: DraftSkill) -> bool:
    """Whether half of the trigger terms of the one that has fewer are those of the other."""
    terms, others = _terms(skill.fields), _terms(draft.fields)
    fewest = min(len(terms), len(others))
    return bool(fewest) and len(terms & others) >= MOST_TRIGGERS * fewest


def _terms(fields: Fields) -> set[str]:
    return {text.normal(term).casefold().strip() for term in fields.trigger}
