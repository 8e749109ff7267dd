"""Pages of subjects: who or what memories are about, all that is known of one, and the merge of two spellings."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_safe

from memories.models import AuditEntry, Subject
from memories.models.audit import SUBJECT
from memories.models.subject import subject_id as id_of
from memories.people import trust_of
from memories.search import subjects as subject_queries
from memories.search.subjects import SubjectSpellings
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.text import plain_name
from memories.values.trust import Trust
from memories.web.facets import filters_of
from memories.web.paging import NEWEST, page_of
from memos_site.web.responses import Steps, answer, posted, refuse, too_late

ROWS, MOST_LIKE = 50, 6
KINDS = {
    "company": gettext_lazy("Company"),
    "person": gettext_lazy("Person"),
    "repository": gettext_lazy("Repository"),
    "host": gettext_lazy("Host"),
    "other": pgettext_lazy("kind of subject", "Other"),
}


@require_safe
def subjects(request: HttpRequest) -> HttpResponse:
    """The subjects by name, found by words and kind."""
    trust, at = trust_of(request.user), timezone.now()
    filters = filters_of(request.GET, ("q", "kind"))
    kind = filters["kind"] if filters["kind"] in KINDS else ""
    rows = subject_queries.subjects(trust, at=at, words=filters["q"], kind=kind)
    page = page_of(request, subject_queries.with_counts(rows, trust, at=at), subject_queries.BY_NAME, limit=ROWS)
    context = {
        "page": page,
        "filters": filters,
        "kinds": KINDS.items(),
        "most": subject_queries.MOST_COUNTED,
    }
    return render(request, "subjects/subjects.html", context)


@require_safe
def subject(request: HttpRequest, subject_id: UUID) -> HttpResponse:
    """All that is known of one subject, newest first; another spelling of it leads here."""
    trust, at = trust_of(request.user), timezone.now()
    spellings = _subject(subject_id, trust)
    if spellings.subject.pk != subject_id:
        return redirect("subject", subject_id=spellings.subject.pk)
    rows = subject_queries.memories_of(spellings, trust=trust, at=at)
    context = {
        "subject": spellings.subject,
        "kind": KINDS[spellings.subject.kind],
        "spellings": spellings.spellings[1:],
        "page": page_of(request, rows.select_related("skill"), NEWEST, limit=ROWS),
        "conflicts": subject_queries.conflicts_of(rows, trust).select_related("skill")[
            : subject_queries.MOST_CONFLICTS
        ],
        "said_by": subject_queries.sources_of(rows, at=at),
        "episodes": subject_queries.episodes_of(rows, trust),
        "merges": _merges(spellings),
        "may_merge": subject_queries.may_merge(trust) and spellings.subject.same_as_id is None,
        "like": _similar_subjects(spellings, trust) if subject_queries.may_merge(trust) else [],
    }
    return render(request, "subjects/subject.html", context)


@posted
def merge(request: HttpRequest, subject_id: UUID) -> HttpResponse:
    """Say that another name is a spelling of this subject (`name`, as it is written, or `id`, and its `version`)."""
    trust, now = trust_of(request.user), timezone.now()
    if not subject_queries.may_merge(trust):
        return refuse(NotAllowed("merging spellings needs the permission review in every scope"))
    into = _subject(subject_id, trust)
    name = request.POST.get("name", "")[:256]
    other_id = _id(request) or id_of(plain_name(name))
    if other_id == subject_id:
        messages.warning(request, _("A subject cannot be merged with itself: name another one."))
        return redirect("subject", subject_id=into.subject.pk)
    try:
        other = subject_queries.subject(other_id, trust=trust, at=now)
        version = request.POST.get("version", "")
        expected_version = int(version) if version.isdecimal() and len(version) < 9 else other.subject.version
        entry = other.subject.merge(into.subject, by=trust.actor, at=now, version=expected_version)
    except NotFound:
        messages.warning(request, _("No memory names “%(name)s”.") % {"name": name})
        return redirect("subject", subject_id=into.subject.pk)
    except Conflict as conflict:
        return answer(request, too_late(conflict), conflict=True)
    text = _("“%(other)s” is now another spelling of “%(into)s”.")
    steps = Steps(undo=entry.batch_id)
    return answer(request, text % {"other": other.subject.title, "into": into.subject.title}, steps=steps)


def _subject(id: UUID, trust: Trust) -> SubjectSpellings:
    try:
        return subject_queries.subject(id, trust=trust, at=timezone.now())
    except NotFound as missing:
        raise Http404(str(missing)) from None


def _id(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError:
        return None


def _merges(spellings: SubjectSpellings) -> dict[UUID, UUID]:
    """Id of a spelling -> the batch that merged it, for its undo."""
    entries = AuditEntry.objects.filter(
        subject_kind=SUBJECT, subject_id__in=spellings.ids, after__same_as__isnull=False
    )
    latest: dict[UUID, UUID] = {}
    for entry in entries.order_by("at", "id"):
        if entry.after["same_as"]:
            latest[entry.subject_id] = entry.batch_id
    return latest


def _similar_subjects(spellings: SubjectSpellings, trust: Trust) -> list[Subject]:
    """Other subjects whose name has the first word of this one: perhaps other spellings."""
    first = spellings.subject.name.partition(" ")[0].rstrip(".,")
    rows: Any = subject_queries.subjects(trust, at=timezone.now(), words=first).exclude(pk__in=spellings.ids)
    return list(rows.order_by("name")[:MOST_LIKE])
