"""The page that teaches a claim: one text field, the detected fields for correction, and questions about duplicates."""

import re
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from memories.claims import Likeness
from memories.intake import claims
from memories.intake.claims import Near, NearDuplicate, WriteResult
from memories.intake.reports.claims import LONGEST_TEACHING, SHORTEST_TEACHING, read_teaching
from memories.models import Memory
from memories.people import permitted
from memories.search import SearchRequest, find
from memories.values.choices import BELIEVED, UNDECIDED, Category, Permission, Type
from memories.values.exceptions import Conflict, Invalid, NotFound
from memories.values.field_types import SCOPE
from memories.values.trust import Trust

FIELDS = ("content", "category", "key", "scope", "company_id")
DETECTED = {"category": "detected", "key": "proposed"}  # an unchanged proposal follows the text
HERE_TOO = "here"  # the answer to a duplicate that lives in another scope only
MOST_NEAR, MOST_SEARCHED = 5, 20


@require_http_methods(["GET", "HEAD", "POST"])
def teach(request: HttpRequest) -> HttpResponse:
    trust = _teacher(request)
    if request.method != "POST":
        return _page(request, form={"scope": request.GET.get("scope", "")})
    form = _form(request)
    near = _open_questions(request, form, trust)
    if near is not None:
        return _page(request, form=form, similar_claims=near, must_resolve=True, status=409)
    try:
        result = claims.teach(read_teaching(_request_body(request, form, trust)), trust=trust, at=timezone.now())
    except NearDuplicate as duplicate:
        near = [*duplicate.candidates, *_elsewhere(form, trust)][:MOST_NEAR]
        return _page(request, form=form, similar_claims=near, must_resolve=True, status=409)
    except Invalid as invalid:
        errors = {error.path: error.detail for error in invalid.errors}
        return _page(request, form=form, errors=errors, status=400)
    except Conflict as conflict:
        return _page(request, form=form, errors={"content": str(conflict)}, status=409)
    except NotFound as missing:
        raise Http404(str(missing)) from None
    return _redirect(request, result, trust)


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Show the detected fields and similar claims of the text so far. Writes nothing."""
    trust, form = _teacher(request), _form(request)
    if request.headers.get("HX-Request") == "true":
        return render(request, "memories/_teach_understood.html", _context(form, _similar(form, trust)))
    return _page(request, form=form, similar_claims=_similar(form, trust))


def _open_questions(request: HttpRequest, form: dict[str, str], trust: Trust) -> list[Near] | None:
    """The similar claims to ask the person about; None: no question is open.

    If the scope of the form changed since the answer, it is asked again.
    """
    if "resolve" in request.POST:
        return None if request.POST.get("looked", form["scope"]) == form["scope"] else _similar(form, trust)
    elsewhere = [] if _within(form, trust) else _elsewhere(form, trust)
    return elsewhere[:MOST_NEAR] or None


def _request_body(request: HttpRequest, form: dict[str, str], trust: Trust) -> dict[str, str]:
    """The form as a request body of the API, with the answer about duplicates; `update` names its row and its scope."""
    resolve, _space, memory_id = request.POST.get("resolve", "").partition(" ")
    resolve = "" if resolve == HERE_TOO else resolve
    answer = {name: value for name, value in (("resolve", resolve), ("memory_id", memory_id)) if value}
    return {**_claim_of(form, trust), **_scope_of(memory_id, trust), **answer}


def _teacher(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.REVIEW, "teaching needs the permission review")


def _form(request: HttpRequest) -> dict[str, str]:
    """The fields that the person filled in; unchanged proposals of the page count as blank."""
    form = {name: request.POST.get(name, "").strip() for name in FIELDS}
    unchanged_names = {
        name for name, hidden_name in DETECTED.items() if form[name] == request.POST.get(hidden_name, "")
    }
    return {name: "" if name in unchanged_names else value for name, value in form.items()}


def _claim_of(form: dict[str, str], trust: Trust) -> dict[str, str]:
    """The form as a request body of the API. A blank scope is sent only for a person who writes into every scope."""
    required_names = {"content", "scope"} if trust.scopes is None else {"content"}
    return {name: value for name, value in form.items() if value or name in required_names}


def _scope_of(memory_id: str, trust: Trust) -> dict[str, str]:
    """The scope of the memory that a person updates, which may be another one than that of the form."""
    rows = Memory.objects.visible_to(trust).filter(pk__in=[memory_id] if _is_id(memory_id) else [])
    scope = rows.values_list("scope", flat=True).first()
    return {} if scope is None else {"scope": scope}


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _similar(form: dict[str, str], trust: Trust) -> list[Near]:
    """Claims near to the text: of its scope first, then of every other scope that the person may write into."""
    return [*_within(form, trust), *_elsewhere(form, trust)][:MOST_NEAR]


def _within(form: dict[str, str], trust: Trust) -> list[Near]:
    return claims.nearest(form["content"], scope=form["scope"], trust=trust) if _is_complete(form) else []


def _elsewhere(form: dict[str, str], trust: Trust) -> list[Near]:
    """Claims near to the text that live in other scopes, among those that a search for it answers."""
    if not _is_complete(form):
        return []
    live = [status.value for status in (*BELIEVED, *UNDECIDED)]
    words = {"query": form["content"][:LONGEST_TEACHING], "types": [Type.SEMANTIC.value], "statuses": live}
    request = SearchRequest.model_validate({**words, "limit": MOST_SEARCHED})
    rows = [result.memory for result in find(request, trust=trust, at=timezone.now()).results]
    neighbours = [claims.compare_with(row, form["content"]) for row in rows if row.scope != form["scope"]]
    return [neighbour for neighbour in neighbours if neighbour.likeness != Likeness.OTHER]


def _is_complete(form: dict[str, str]) -> bool:
    """Whether the text is long enough to be compared, and the scope one that can be."""
    fits = SHORTEST_TEACHING <= len(form["content"]) <= LONGEST_TEACHING
    return fits and re.fullmatch(SCOPE, form["scope"]) is not None


def _page(request: HttpRequest, *, form: dict[str, str], status: int = 200, **more: Any) -> HttpResponse:
    context = _context(form, more.pop("similar_claims", []))
    return render(request, "memories/teach.html", {**context, **more}, status=status)


def _context(form: dict[str, str], similar_claims: list[Near]) -> dict[str, Any]:
    content = form.get("content", "")
    long_enough = len(content) >= SHORTEST_TEACHING
    detected_category = claims.category_of(content) if long_enough else ""
    proposed_key = claims.key_of(content) if long_enough else ""
    return {
        "form": form,
        "detected": detected_category,
        "proposed": proposed_key,
        "category": form.get("category") or detected_category,
        "key": form.get("key") or proposed_key,
        "categories": Category.choices,
        "similar_claims": similar_claims,
        "is_elsewhere": all(near.memory and near.memory.scope != form.get("scope", "") for near in similar_claims),
        "max_length": LONGEST_TEACHING,
        "min_length": SHORTEST_TEACHING,
    }


def _redirect(request: HttpRequest, result: WriteResult, trust: Trust) -> HttpResponse:
    row = result.memory
    if row is None or not trust.sees(row):
        messages.info(request, _("Accepted. It is above your clearance, so it is not shown here."))
        return redirect("teach")
    message = result.notice or (_("Learned.") if result.created else _("Learned: it is confirmed with this text."))
    notice, _newline, where = message.partition("\n")
    if where:  # of an adaptation: show its page
        message = "\n".join([notice, _("Review, revert or forget it here, or among the adaptations.")])
    messages.success(request, message)
    return redirect("memory", memory_id=row.pk)
