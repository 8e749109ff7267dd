"""The inbox: what waits for a person, and the forms by which it is decided. Each answer is a page or its fragment."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.choices import Type
from memories.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.models import AuditEntry, Memory
from memories.models.memory import MemoryQuerySet
from memories.people import trust_of
from memories.trust import Trust
from memories.views.pages import page_of
from memos_site import desk
from skills.models import SkillVersion

ROWS = 6  # keeps the page below 100 KB; the rest follows as one scrolls

KINDS = {
    Type.SEMANTIC: gettext_lazy("Facts and preferences"),
    Type.WORKING: gettext_lazy("Working states"),
    Type.COMPETENCE: gettext_lazy("Skills"),
    Type.PLAN_GRAPH: gettext_lazy("Plans"),
}


def posted(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view of a form. Who comes to its address by a link (after signing in anew, say) is led to the inbox."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            return view(request, *args, **kwargs)
        messages.warning(request, _("Nothing was decided: please press the button again."))
        return redirect("inbox")

    return guarded


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    trust, kind = trust_of(request.user), request.GET.get("kind", "")
    page = page_of(request, _rows(trust, kind=kind), desk.ORDER, limit=ROWS)
    context = {"page": page, "kind": kind, "kinds": _kinds(trust)}
    return render(request, "inbox/page.html", context)


@posted
def decide(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """`decision` is the verb, for a dismissal with its reason: promote, restore, "dismiss wrong"."""
    trust = trust_of(request.user)
    verb, _space, why = request.POST.get("decision", "").partition(" ")
    note = request.POST.get("note", "").strip()
    try:
        why = ": ".join(filter(None, (why, note)))
        seen = request.POST.get("seen", "")
        decision = desk.decide(trust, memory_id, verb, at=timezone.now(), why=why, seen=seen)
    except Conflict as conflict:
        said = _("Too late: %(why)s") % {"why": conflict}
        return _answer(request, said, lost=True, decided=_decided(trust, memory_id))
    except (NotFound, NotAllowed, Invalid) as refusal:
        return _refuse(refusal)
    decided = _decided(trust, memory_id)
    return _answer(request, _said(verb, why, decided), batch=decision.batch, decided=decided)


@posted
def undo(request: HttpRequest, batch: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    try:
        done = desk.undo(trust, batch, at=timezone.now())
    except Conflict as conflict:
        return _answer(request, _("Not undone: %(why)s") % {"why": conflict}, lost=True)
    except (NotFound, NotAllowed, Invalid) as refusal:
        return _refuse(refusal)
    return _answer(request, _("Undone"), restored=list(_rows(trust).filter(pk__in=done.undone)))


def _answer(
    request: HttpRequest, said: str, *, batch: UUID | None = None, lost: bool = False, **shown: Any
) -> HttpResponse:
    """To htmx the rows that changed and the toast; to a plain form the page it came from, with a message."""
    if request.headers.get("HX-Request") == "true":
        kinds = _kinds(trust_of(request.user))
        context = {"said": said, "batch": batch, "lost": lost, "kinds": kinds, **shown}
        return render(request, "inbox/_answer.html", context, status=409 if lost else 200)
    level = messages.WARNING if lost else messages.SUCCESS
    messages.add_message(request, level, said, extra_tags=str(batch or ""))
    came_from = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()})
    return redirect(came_from if ours else "inbox")


def _refuse(refusal: NotFound | NotAllowed | Invalid) -> HttpResponse:
    if isinstance(refusal, NotFound):
        raise Http404(str(refusal))
    if isinstance(refusal, NotAllowed):
        raise PermissionDenied(str(refusal))
    return HttpResponse(str(refusal), status=400, content_type="text/plain; charset=utf-8")


def _said(verb: str, why: str, decided: Memory | None) -> str:
    if verb == "dismiss":
        return _("Dismissed as %(reason)s") % {"reason": why}
    if verb == "restore":
        return _("Restored")
    return _("Published") if hasattr(decided, "skill") else _("Promoted")


def _rows(trust: Trust, *, kind: str = "") -> MemoryQuerySet:
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    return desk.waiting(trust, at=timezone.now(), kind=kind).prefetch_related(versions)


def _decided(trust: Trust, memory_id: UUID) -> Memory | None:
    """The memory as it now stands, with the last thing that was done to it as `last`."""
    memory = Memory.objects.visible_to(trust).select_related("skill").filter(pk=memory_id).first()
    if memory:
        memory.last = AuditEntry.objects.visible_to(trust).about("memory", memory_id).last()  # type: ignore[attr-defined]
    return memory


def _kinds(trust: Trust) -> list[dict[str, Any]]:
    """How many decisions wait, by type."""
    waiting = desk.waiting(trust, at=timezone.now()).order_by().values("pk")
    counted = dict(Memory.objects.filter(pk__in=waiting).order_by().values_list("type").annotate(n=Count("pk")))
    return [{"value": kind.value, "label": label, "n": counted.get(kind, 0)} for kind, label in KINDS.items()]
