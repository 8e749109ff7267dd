"""Forms that settle a contest or merge two claims."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories.intake.claims import Near, compare_with
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.people import permitted, trust_of
from memories.values.choices import LIVE, Permission, Type
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from memories.web.grounds import nearest_to
from memories.web.paging import next_page
from memos_site import review
from memos_site.web import inbox_rows
from memos_site.web.memory_links import MAX_NAME, short_name
from memos_site.web.responses import REFUSALS, answer, posted, refuse, too_late, what_is_wrong
from memos_site.web.sentences import sentence


@posted
def settle(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Let one of the memories that contradict each other hold: `keep`, among `memory_id` and those `against` it."""
    trust, now = trust_of(request.user), timezone.now()
    try:
        keep, *against = [
            memory_id_of(text) for text in (request.POST.get("keep", ""), *request.POST.getlist("against"))
        ]
        batch = review.settle(trust, memory_id, keep, against, at=now, token=request.POST.get("seen", ""))
    except Conflict as conflict:
        row = inbox_rows.decided_memory(trust, memory_id)
        return answer(request, too_late(conflict), conflict=True, decided_memory=row)
    except REFUSALS as refusal:
        return refuse(refusal)
    rows = inbox_rows.decided_memories(trust, [keep, memory_id, *against])
    text = holds(next((row for row in rows if row.pk == keep), None))
    main = next((row for row in rows if row.pk == memory_id), None)
    return answer(
        request,
        text,
        batch=batch,
        decided_memory=main,
        decided_memories=[row for row in rows if row.pk != memory_id],
    )


def holds(winner: Memory | None) -> str:
    """The message after a choice. `winner` None: the caller does not see the memory that holds."""
    return _("Decided that this one holds: “%(name)s”") % {"name": short_name(winner, MAX_NAME) if winner else ""}


@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Show two claims beside each other and in which words they become one (GET `with`), and merge them (POST)."""
    trust = permitted(request.user, Permission.REVIEW, "merging needs the permission review")
    if request.method != "POST":
        return _preview(request, trust, memory_id)
    try:
        other = memory_id_of(request.POST.get("with", ""))
        memory, batch = review.merge(trust, memory_id, other, _words(request), at=timezone.now())
    except Conflict as conflict:
        return _preview(request, trust, memory_id, error=sentence(str(conflict)), status=409)
    except Invalid as invalid:
        return _preview(request, trust, memory_id, error=what_is_wrong(invalid), status=400)
    except (NotFound, NotAllowed) as refusal:
        return refuse(refusal)
    text = _("Merged: “%(name)s”") % {"name": short_name(memory, MAX_NAME)}
    return answer(request, text, batch=batch)


def _words(request: HttpRequest) -> str:
    """The chosen wording: that of one of the two, or the person's own."""
    choice = request.POST.get("words", "own")
    text: str = request.POST.get("content" if choice == "own" else f"content-{choice}", "")
    return text.replace("\r\n", "\n")


def _preview(
    request: HttpRequest, trust: Trust, memory_id: UUID, *, error: str = "", status: int = 200
) -> HttpResponse:
    rows = Memory.objects.visible_to(trust).unexpired(timezone.now()).filter(type=Type.SEMANTIC)
    memory = get_object_or_404(rows, pk=memory_id)
    matches = nearest_to(memory, trust)
    with_id = (request.POST or request.GET).get("with", "")
    chosen = _chosen(rows, memory, with_id) if with_id else next(iter(matches), None)
    context = {
        "memory": memory,
        "chosen": chosen,
        "others": [other for other in matches if chosen and other.memory != chosen.memory],
        "error": error,
        "typed_text": request.POST.get("content", ""),
        "next": next_page(request),
    }
    return render(request, "inbox/merge.html", context, status=status)


def _chosen(rows: MemoryQuerySet, memory: Memory, with_id: str) -> Near:
    try:
        near = rows.filter(scope=memory.scope, status__in=LIVE, pk=memory_id_of(with_id)).exclude(pk=memory.pk)
    except Invalid:
        raise Http404("no such memory") from None
    if (other := near.first()) is None:
        raise Http404("no such memory")
    return compare_with(other, memory.content)


def memory_id_of(text: str) -> UUID:
    """The id of a memory in a form. Invalid: it is none."""
    try:
        return UUID(text)
    except ValueError:
        raise Invalid(FieldError("", "uuid_parsing", "must be the id of a memory")) from None
