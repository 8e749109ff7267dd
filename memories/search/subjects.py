"""Subjects as a caller may know them: those that a memory names which it may see now, with what is known of each."""

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
class Known:
    """A subject with the spellings that the caller may see, itself first. `title`: of the page that stands for all."""

    subject: Subject
    spellings: list[Subject]

    @property
    def ids(self) -> list[UUID]:
        return [spelling.pk for spelling in self.spellings]


def named_memories(trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """The live memories that make a subject known to this caller."""
    rows = Memory.objects.offered_to(trust).live().unexpired(at)
    return rows if trust.may(Permission.REVIEW) else rows.filter(shown_to(trust).q())


def subjects(trust: Trust, *, at: datetime, words: str = "", kind: str = "") -> SubjectQuerySet:
    """The subjects that this caller knows, without those spellings of another one that it knows too."""
    rows = _known(trust, at=at)
    seen = named_memories(trust, at=at).filter(mentions__subject=OuterRef("same_as"))
    rows = rows.filter(Q(same_as=None) | ~Exists(seen))
    if words:
        named = Subject.objects.filter(in_key(words, "name")).order_by(Length("name"), "name")
        rows = rows.filter(pk__in=named.values("pk")[:MOST_NAMED])  # no index has their order: it begins with the words
    return rows.filter(kind=kind) if kind else rows


def with_counts(rows: SubjectQuerySet, trust: Trust, *, at: datetime) -> SubjectQuerySet:
    """Annotate `memory_count`: how many memories name it by any spelling, at most MOST_COUNTED + 1."""
    own = OuterRef(OuterRef("pk"))
    spelled = Subject.objects.filter(Q(pk=OuterRef(own)) | Q(same_as=OuterRef(own)))
    naming = Mention.objects.filter(subject__in=spelled.values("pk")).values("memory")
    counted = named_memories(trust, at=at).filter(pk__in=naming).order_by().values("pk")[: MOST_COUNTED + 1]
    annotated: SubjectQuerySet = rows.annotate(memory_count=_Number(counted))
    return annotated


def subject(id: UUID, *, trust: Trust, at: datetime) -> Known:
    """One subject by the id of any of its spellings. NotFound: no memory that the caller may see names it so."""
    known = _known(trust, at=at)
    row = one_of(known.filter(pk=id), "no such subject")
    spellings = list(known.together_with(row))
    first = next((other for other in spellings if other.same_as_id is None), row)
    return Known(first, [first, *(other for other in spellings if other.pk != first.pk)])


def may_merge(trust: Trust) -> bool:
    """A spelling is the same in every scope: only who reviews in all of them decides that."""
    return trust.may(Permission.REVIEW) and trust.scopes is None


def memories_of(known: Known, *, trust: Trust, at: datetime) -> MemoryQuerySet:
    """The memories that name it, by any spelling."""
    naming = Mention.objects.filter(subject__in=known.ids).values("memory")
    return named_memories(trust, at=at).filter(pk__in=naming)


def sources_of(rows: MemoryQuerySet, *, at: datetime) -> list[tuple[str, int]]:
    """Who said it, the most first: source and number among the latest MOST_READ."""
    latest = [rows.order_by("-created_at", "-id")]
    counted = read_counts(ask(frequent_values(latest, ["source"], read=MOST_READ, most=MOST_SOURCES), at))
    return counted["source"].most_common() if counted else []


def conflicts_of(rows: MemoryQuerySet, trust: Trust) -> QuerySet[Memory]:
    """Those of the latest MOST_READ that are contested, speak against another, or about which a person must choose."""
    against = Relation.objects.filter(predicate=CONTESTED_BY, target=OuterRef("pk"))
    asked = Proposal.objects.visible_to(trust).open().filter(kind=Proposal.Kind.CONFLICT, memory=OuterRef("pk"))
    latest = rows.filter(pk__in=rows.order_by("-created_at", "-id").values("pk")[:MOST_READ])
    return latest.filter(Q(status=Status.CONTESTED) | Exists(against) | Exists(asked)).order_by("-created_at", "-id")


def episodes_of(rows: MemoryQuerySet, trust: Trust) -> QuerySet[Memory]:
    """The episodes behind the latest MOST_READ of these memories, as far as the caller may see them, newest first."""
    latest = rows.order_by("-created_at", "-id").values("pk")[:MOST_READ]
    behind = Evidence.objects.filter(memory__in=latest, episode__isnull=False).values("episode")
    shown = Memory.objects.offered_to(trust).filter(pk__in=behind).select_related("episode")
    return shown.order_by("-created_at", "-id")[:MOST_EPISODES]


def subjects_in_memory(memory_id: UUID, *, trust: Trust, at: datetime) -> ArraySubquery:
    """The subjects that a memory names, for an annotation: [{"id", "title"}]."""
    rows = _known(trust, at=at).filter(mentions__memory=memory_id).order_by("name")
    return ArraySubquery(rows.values(told=JSONObject(id="id", title="title")))


def _known(trust: Trust, *, at: datetime) -> SubjectQuerySet:
    """A subquery of its own for each subject: as a join the database would read all memories for a few hundred."""
    naming = named_memories(trust, at=at).filter(mentions__subject=OuterRef("pk")).order_by().values("pk")[:1]
    return Subject.objects.within(trust).alias(named_by=Subquery(naming)).filter(named_by__isnull=False)
