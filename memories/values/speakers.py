"""Who stands behind a claim: a person who decided it, several agents, or one agent alone, as others are told. Pure.

The speakers of a row are identities of agents (tokens), IMPORT for what a file or a person's import brought, and PERSON
for a claim that a person stored. A source is no speaker: a token may name any.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import Case, CharField, Q, Value, When
from django.db.models.lookups import Exact

from memories.values.choices import BELIEVED, ActorKind, Origin, Review, Type

IMPORT, PERSON, UNKNOWN = "import", "person", ""
MOST_SPEAKERS = 20  # of one claim that are kept, and therefore counted
_OF_PEOPLE, _OF_AGENTS = f"{ActorKind.PERSON}:", f"{ActorKind.AGENT}:"
_IMPORTER = f"{ActorKind.SYSTEM}:import"  # the commands
_SKILLS = (Type.COMPETENCE, Type.PLAN_GRAPH)


class Claim(Protocol):
    """The columns of a memory that tell who stands behind it. `speakers` is empty where that is its maker alone."""

    type: str
    status: str
    hold: str
    origin: str
    speakers: list[str]
    created_by_id: str


def speaker(identity: str) -> str:
    """The speaker behind what this actor reported or imported; UNKNOWN for a rule, and where nobody can tell."""
    if identity.startswith(_OF_AGENTS):
        return identity
    return IMPORT if identity == _IMPORTER or identity.startswith(_OF_PEOPLE) else UNKNOWN


def maker_of(row: Claim) -> str:
    """The speaker that made a claim. What a person imported that person has not said."""
    if row.created_by_id.startswith(_OF_PEOPLE) and row.origin != Origin.IMPORTED:
        return PERSON
    return speaker(row.created_by_id)


def speakers_of(row: Claim) -> list[str]:
    """The known speakers of a claim."""
    return [name for name in row.speakers or [maker_of(row)] if name != UNKNOWN]


def column_of(row: Claim, names: Iterable[str]) -> list[str]:
    """The value of `speakers` for these: empty where it is the maker of the claim alone."""
    speaker_names = [name for name in dict.fromkeys(names) if name != UNKNOWN][:MOST_SPEAKERS]
    return [] if speaker_names == [maker_of(row)] else speaker_names or [UNKNOWN]


def united(row: Claim, more: Iterable[str]) -> list[str]:
    """The value of `speakers` when these have said the claim as well."""
    speaker_names = speakers_of(row)
    all_names = list(dict.fromkeys([*speaker_names, *more]))
    return row.speakers if all_names == speaker_names else column_of(row, all_names)


def review_of(row: Claim) -> Review | None:
    """Who stands behind a memory. None: experience, or a skill or plan that waits for a person.

    A hold is a person's decision, or that of a token with the permission to review, and is gone when it is undone. A
    skill is believed only because somebody published it.
    """
    if row.type in _SKILLS:
        is_published = row.status in BELIEVED and row.origin != Origin.IMPORTED
        return Review.PERSON if row.hold or is_published else None
    if row.type != Type.SEMANTIC:
        return None
    speakers = speakers_of(row)
    if row.hold or PERSON in speakers:
        return Review.PERSON
    return Review.AGENTS if len(speakers) > 1 else Review.ONE_AGENT


def agents_of(row: Claim) -> int | None:
    """How many have said a claim, people left out; one who is not known counts as one. None: it is no claim."""
    if row.type != Type.SEMANTIC:
        return None
    speakers = speakers_of(row)
    return len([name for name in speakers if name != PERSON]) if speakers else 1


def is_unreviewed(row: Claim, *, reader: str) -> bool:
    """Whether one agent alone has said a claim, another one than who reads it, and no person has decided it."""
    return review_of(row) == Review.ONE_AGENT and speakers_of(row) != [reader]


def review_expression() -> Case:
    """`review_of` in the database, for memories."""
    claim, is_decided = Q(type=Type.SEMANTIC), ~Q(hold="")
    is_published = Q(type__in=_SKILLS) & (is_decided | (Q(status__in=BELIEVED) & ~Q(origin=Origin.IMPORTED)))
    return Case(
        When(claim & (is_decided | _said_by_a_person()), then=Value(Review.PERSON)),
        When(claim & Q(speakers__len__gt=1), then=Value(Review.AGENTS)),
        When(claim, then=Value(Review.ONE_AGENT)),
        When(is_published, then=Value(Review.PERSON)),
        output_field=CharField(),
    )


def _said_by_a_person(path: str = "") -> Q:
    by_its_maker = Q(**{f"{path}speakers": [], f"{path}created_by_id__startswith": _OF_PEOPLE})
    return Q(**{f"{path}speakers__contains": [PERSON]}) | (by_its_maker & ~Q(**{f"{path}origin": Origin.IMPORTED}))


@dataclass(frozen=True)
class OfReview:
    """A condition on memories: those of which `review_of` says this."""

    review: str
    column: str = "review"

    def q(self, path: str) -> Q:
        if path:
            raise ValueError("who stands behind a memory is told by columns of the memory itself")
        return Q(Exact(review_expression(), Value(self.review)))

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        by_its_maker = f"starts_with({row}.created_by_id, '{_OF_PEOPLE}') AND {row}.origin <> '{Origin.IMPORTED}'"
        decided_sql = (
            f"({row}.hold <> '' OR '{PERSON}' = ANY({row}.speakers)"
            f" OR (cardinality({row}.speakers) = 0 AND {by_its_maker}))"
        )
        if self.review != Review.PERSON:
            agents = f"cardinality({row}.speakers) > 1"
            agents = agents if self.review == Review.AGENTS else f"NOT {agents}"
            return f"({row}.type = '{Type.SEMANTIC}' AND NOT {decided_sql} AND {agents})"
        published_sql = f"{row}.status = ANY(%(believed)s) AND {row}.origin <> '{Origin.IMPORTED}'"
        skills = f"{row}.type = ANY(%(skills)s) AND ({row}.hold <> '' OR ({published_sql}))"
        return f"(({row}.type = '{Type.SEMANTIC}' AND {decided_sql}) OR ({skills}))"

    def values(self) -> dict[str, Any]:
        return {"believed": [status.value for status in BELIEVED], "skills": [type.value for type in _SKILLS]}


@dataclass(frozen=True)
class ReviewedFor:
    """A condition on memories: all but claims that one other agent than the reader alone has said."""

    reader: str
    column: str = "speakers"

    def q(self, path: str) -> Q:
        is_decided = ~Q(**{f"{path}type": Type.SEMANTIC}) | ~Q(**{f"{path}hold": ""})
        by_reader = Q(**{f"{path}speakers": [self.reader]})
        by_reader |= Q(**{f"{path}speakers": [], f"{path}created_by_id": self.reader})
        return is_decided | Q(**{f"{path}speakers__len__gt": 1}) | _said_by_a_person(path) | by_reader

    def sql(self, row: str, forms: Mapping[str, str]) -> str:
        by_a_person = f"starts_with({row}.created_by_id, '{_OF_PEOPLE}') AND {row}.origin <> '{Origin.IMPORTED}'"
        by_its_maker = f"cardinality({row}.speakers) = 0 AND ({row}.created_by_id = %(reader)s OR {by_a_person})"
        return (
            f"({row}.type <> '{Type.SEMANTIC}' OR {row}.hold <> '' OR cardinality({row}.speakers) > 1"
            f" OR {row}.speakers IN (ARRAY['{PERSON}']::varchar[], ARRAY[%(reader)s]::varchar[]) OR ({by_its_maker}))"
        )

    def values(self) -> dict[str, Any]:
        return {"reader": self.reader}
