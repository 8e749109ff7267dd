"""Subjects that a caller may know: those named by a memory that it may see; their memories, sources and episodes."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject, Length

from memories.models import Evidence, Memory, Mention, Proposal, Relation, Subject
from memories.models.built import ask
from memories.models.memory import MemoryQuerySet
from memories.models.relation import CONTESTED_BY
from memories.models.subject import SubjectQuerySet
from memories.models.value_counts import frequent_values, read_counts
from memories.search.filters import shown_to
from memories.values.choices import Permission, Status
from memories.values.exceptions import one_of
from memories.values.search_words import in_key
from memories.values.trust import Trust

BY_NAME = ("name", "id")
MOST_COUNTED, MOST_NAMED = 100, 1_000
MOST_READ, MOST_SOURCES, MOST_CONFLICTS, MOST_EPISODES = 1_000, 8, 20, 12


class _Number(Subquery):
    template = "(SELECT count(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


@dataclass(frozen=True)
class SubjectSpellings:
    """A subject with the spellings that the caller may see, itself first. `title`: of the page that stands for all."""

    subject: Subject
    spellings: list[Subject]

    @property
    def ids(self) -> list[UUID]:
        return [spelling.pk for spelling in self.spellings]


def naming_memories(trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """The live memories that make a subject known to this caller."""
    rows = Memory.objects.offered_to(trust).live().unexpired(at)
    return rows if trust.may(Permission.REVIEW) else rows.filter(shown_to(trust).q())


def subjects(trust: Trust, *, at: datetime, words: str = "", kind: str = "") -> SubjectQuerySet:
    """The subjects that this caller may know, without other spellings of one of them."""
    rows = _known_subjects(trust, at=at)
    main_spelling = naming_memories(trust, at=at).filter(mentions__subject=OuterRef("same_as"))
    rows = rows.filter(Q(same_as=None) | ~Exists(main_spelling))
    if words:
        matches = Subject.objects.filter(in_key(words, "name")).order_by(Length("name"), "name")
        rows = rows.filter(
            pk__in=matches.values("pk")[:MOST_NAMED]
        )  # no index has their order: it begins with the words
    return rows.filter(kind=kind) if kind else rows


def with_counts(rows: SubjectQuerySet, trust: Trust, *, at: datetime) -> SubjectQuerySet:
    """Annotate `memory_count`: how many memories name it by any spelling, at most MOST_COUNTED + 1."""
    own_id = OuterRef(OuterRef("pk"))
    spellings = Subject.objects.filter(Q(pk=OuterRef(own_id)) | Q(same_as=OuterRef(own_id)))
    naming = Mention.objects.filter(subject__in=spellings.values("pk")).values("memory")
    memories_with_name = naming_memories(trust, at=at).filter(pk__in=naming).order_by().values("pk")[: MOST_COUNTED + 1]
    rows_with_count: SubjectQuerySet = rows.annotate(memory_count=_Number(memories_with_name))
    return rows_with_count


def subject(id: UUID, *, trust: Trust, at: datetime) -> SubjectSpellings:
    """One subject by the id of any of its spellings. NotFound: no memory that the caller may see names it so."""
    known_subjects = _known_subjects(trust, at=at)
    row = one_of(known_subjects.filter(pk=id), "no such subject")
    spellings = list(known_subjects.together_with(row))
    first = next((spelling for spelling in spellings if spelling.same_as_id is None), row)
    return SubjectSpellings(first, [first, *(spelling for spelling in spellings if spelling.pk != first.pk)])


def may_merge(trust: Trust) -> bool:
    """A spelling is the same in every scope: only who reviews in all of them decides that."""
    return trust.may(Permission.REVIEW) and trust.scopes is None


def memories_of(spellings: SubjectSpellings, *, trust: Trust, at: datetime) -> MemoryQuerySet:
    """The memories that name it, by any spelling."""
    naming = Mention.objects.filter(subject__in=spellings.ids).values("memory")
    return naming_memories(trust, at=at).filter(pk__in=naming)


def sources_of(rows: MemoryQuerySet, *, at: datetime) -> list[tuple[str, int]]:
    """The sources of the latest MOST_READ rows with their counts, the most frequent first."""
    latest = [rows.order_by("-created_at", "-id")]
    counts = read_counts(ask(frequent_values(latest, ["source"], row_limit=MOST_READ, most=MOST_SOURCES), at))
    return counts["source"].most_common() if counts else []


def conflicts_of(rows: MemoryQuerySet, trust: Trust) -> QuerySet[Memory]:
    """Those of the latest MOST_READ that are contested, contradict another, or have an open conflict to decide."""
    objections = Relation.objects.filter(predicate=CONTESTED_BY, target=OuterRef("pk"))
    open_proposals = (
        Proposal.objects.visible_to(trust).open().filter(kind=Proposal.Kind.CONFLICT, memory=OuterRef("pk"))
    )
    latest = rows.filter(pk__in=rows.order_by("-created_at", "-id").values("pk")[:MOST_READ])
    return latest.filter(Q(status=Status.CONTESTED) | Exists(objections) | Exists(open_proposals)).order_by(
        "-created_at", "-id"
    )


def episodes_of(rows: MemoryQuerySet, trust: Trust) -> QuerySet[Memory]:
    """The episodes behind the latest MOST_READ of these memories, as far as the caller may see them, newest first."""
    latest = rows.order_by("-created_at", "-id").values("pk")[:MOST_READ]
    episode_ids = Evidence.objects.filter(memory__in=latest, episode__isnull=False).values("episode")
    episodes = Memory.objects.offered_to(trust).filter(pk__in=episode_ids).select_related("episode")
    return episodes.order_by("-created_at", "-id")[:MOST_EPISODES]


def subjects_in_memory(memory_id: UUID, *, trust: Trust, at: datetime) -> ArraySubquery:
    """The subjects that a memory names, for an annotation: [{"id", "title"}]."""
    rows = _known_subjects(trust, at=at).filter(mentions__memory=memory_id).order_by("name")
    return ArraySubquery(rows.values(told=JSONObject(id="id", title="title")))


def _known_subjects(trust: Trust, *, at: datetime) -> SubjectQuerySet:
    """A subquery of its own for each subject: as a join the database would read all memories for a few hundred."""
    naming = naming_memories(trust, at=at).filter(mentions__subject=OuterRef("pk")).order_by().values("pk")[:1]
    return Subject.objects.within(trust).alias(named_by=Subquery(naming)).filter(named_by__isnull=False)
