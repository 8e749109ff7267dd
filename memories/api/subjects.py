"""GET subjects: who or what memories are about. GET one: all that is known of it. POST merge: a spelling of it."""

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.memory_shape import RELATED, Memory, memory_example
from memories.api.openapi import operation
from memories.api.paging import PAGING, query
from memories.api.shapes import EXAMPLE_ID, Count, Json, Page, RequestBody, Shape
from memories.models.subject import KINDS
from memories.search import subjects as known_subjects
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotAllowed

WORDS = query(
    "q", {"type": "string"}, ("Only with these words in sequence in the name; the last one may be incomplete.")
)
KIND = query("kind", {"type": "string", "enum": list(KINDS)}, "Only of this kind.")


class ListedSubject(Shape):
    id: UUID
    title: str
    kind: str
    """company, person, repository, host or other"""
    memories: Count
    """Live memories about the subject that the caller may see; 101 means more than 100"""

    example = {"id": EXAMPLE_ID, "title": "Acme Corp", "kind": "company", "memories": 7}


class SubjectPage(Page):
    results: list[ListedSubject]


class Spelling(Shape):
    id: UUID
    title: str

    example = {"id": EXAMPLE_ID, "title": "ACME Inc."}


class SaidBy(Shape):
    source: str
    memories: Count

    example = {"source": "refund-agent", "memories": 4}


class OneSubject(Shape):
    """All that is known about a subject; `results` are its live memories, newest first."""

    id: UUID
    title: str
    kind: str
    spellings: list[Spelling]
    """Names that people merged into this subject, the present one first"""
    said_by: list[SaidBy]
    """The sources of most of the latest 1,000 memories"""
    conflicts: list[UUID]
    """Contested memories of the subject, and those among which a person must choose"""
    episodes: list[UUID]
    """The latest episodes that are evidence of these memories"""
    next: str | None
    previous: str | None
    results: list[Memory]

    example = {
        **{name: value for name, value in ListedSubject.example.items() if name != "memories"},
        "spellings": [{"id": EXAMPLE_ID, "title": "Acme Corp"}],
        "said_by": [SaidBy.example],
        "conflicts": [],
        "episodes": [EXAMPLE_ID],
        "next": None,
        "previous": None,
        "results": [memory_example()],
    }


class MergedSubject(Shape):
    """The subject with its spellings after the merge, and the batch with which it can be undone."""

    id: UUID
    title: str
    kind: str
    spellings: list[Spelling]
    batch: UUID

    example = {name: OneSubject.example[name] for name in ("id", "title", "kind", "spellings")} | {"batch": EXAMPLE_ID}


class OtherSpelling(RequestBody):
    id: UUID
    """The id of the subject that is another spelling of this one"""


class Subjects(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"q", "kind"}) | PAGING

    @operation("ListSubjects", "Subjects", SubjectPage, parameters=(WORDS, KIND))
    def get(self, request: Request) -> Response:
        """Subjects of memories

        Lists companies, people, repositories, hosts and other names, sorted by name, that appear in live memories
        which the caller may see. Spellings that people merged are one subject.
        """
        at = paging.moment(request)
        kind = paging.choice(request, "kind", list(KINDS))
        words = request.query_params.get("q", "").strip()
        rows = known_subjects.subjects(self.trust, at=timezone.now(), words=words, kind=kind[-1] if kind else "")
        rows = known_subjects.with_counts(rows, self.trust, at=timezone.now())
        return paging.answer(request, rows, known_subjects.BY_NAME, show=_listed_subject, at=at)


class OneSubjectView(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = PAGING

    @operation("GetSubject", "Subjects", OneSubject, refuses=(404,))
    def get(self, request: Request, subject_id: UUID) -> Response:
        """All memories about one subject

        Returns its live memories under any spelling, newest first, with their sources, disputes and episodes. The id
        of any spelling works; 404 if the caller may see no memory that uses that spelling.
        """
        at, now = paging.moment(request), timezone.now()
        subject = known_subjects.subject(subject_id, trust=self.trust, at=now)
        rows = known_subjects.memories_of(subject, trust=self.trust, at=now)
        answer = paging.answer(
            request,
            rows.select_related(*RELATED).with_salience(at),
            ("-created_at", "-id"),
            show=lambda row: Memory.of(row, at=at),
            at=at,
        )
        answer.data = OneSubject.from_row(
            subject.subject,
            spellings=[Spelling.from_row(spelling) for spelling in subject.spellings],
            said_by=[{"source": source, "memories": n} for source, n in known_subjects.sources_of(rows, at=now)],
            conflicts=[
                row.pk for row in known_subjects.conflicts_of(rows, self.trust)[: known_subjects.MOST_CONFLICTS]
            ],
            episodes=[row.pk for row in known_subjects.episodes_of(rows, self.trust)],
            **answer.data,
        )
        return answer


class MergeSubject(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation(
        "MergeSubject",
        "Subjects",
        MergedSubject,
        takes=OtherSpelling,
        example={"id": "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e12"},
        refuses=(404, 409),
    )
    def write(self, request: Request, subject_id: UUID) -> Response:
        """Say that another subject is a spelling of this one

        Applies to every scope, so a token that is limited to scopes may not do it. Spellings merged into the other
        subject are merged too.
        """
        if not known_subjects.may_merge(self.trust):
            raise NotAllowed("merging spellings needs the permission review in every scope")
        at, body = timezone.now(), self.body(OtherSpelling)
        if body.id == subject_id:
            raise Invalid(FieldError("/id", "invalid", "a subject cannot be merged with itself"))
        into, other = (known_subjects.subject(id, trust=self.trust, at=at).subject for id in (subject_id, body.id))
        entry = other.merge(into, by=self.trust.actor, at=at, version=other.version)
        spellings = [
            Spelling.from_row(spelling)
            for spelling in known_subjects.subject(into.pk, trust=self.trust, at=at).spellings
        ]
        return Response(MergedSubject.from_row(into, spellings=spellings, batch=entry.batch_id))


def _listed_subject(row: models.Subject) -> Json:
    return ListedSubject.from_row(row, memories=row.memory_count)  # type: ignore[attr-defined]  # an annotation
