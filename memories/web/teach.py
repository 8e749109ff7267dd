"""The page that teaches a claim: one text field, the detected fields for correction, and questions about duplicates."""

import re
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from memories.intake import claims
from memories.intake.claims import Near, NearDuplicate, Stored
from memories.intake.reports.claims import LONGEST_TEACHING, SHORTEST_TEACHING, read_teaching
from memories.people import trust_of
from memories.values.choices import Category, Permission
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.field_types import SCOPE
from memories.values.trust import Trust

FIELDS = ("content", "category", "key", "scope", "company_id")
DETECTED = {"category": "detected", "key": "proposed"}  # an unchanged proposal follows the text


@require_http_methods(["GET", "HEAD", "POST"])
def teach(request: HttpRequest) -> HttpResponse:
    trust = _teacher(request)
    if request.method != "POST":
        return _page(request, form={"scope": request.GET.get("scope", "")})
    form = _form(request)
    if "resolve" in request.POST and request.POST.get("looked", form["scope"]) != form["scope"]:
        return _page(request, form=form, similar_claims=_similar(form, trust), must_resolve=True, status=409)
    resolve, _space, memory_id = request.POST.get("resolve", "").partition(" ")
    meant = {name: value for name, value in (("resolve", resolve), ("memory_id", memory_id)) if value}
    try:
        stored = claims.teach(read_teaching({**_claim_of(form), **meant}), trust=trust, at=timezone.now())
    except NearDuplicate as duplicate:
        return _page(request, form=form, similar_claims=duplicate.candidates, must_resolve=True, status=409)
    except Invalid as invalid:
        errors = {error.path: error.detail for error in invalid.errors}
        return _page(request, form=form, errors=errors, status=400)
    except Conflict as conflict:
        return _page(request, form=form, errors={"content": str(conflict)}, status=409)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except NotFound as missing:
        raise Http404(str(missing)) from None
    return _taught(request, stored, trust)


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Show the detected fields and similar claims of the text so far. Writes nothing."""
    trust, form = _teacher(request), _form(request)
    if request.headers.get("HX-Request") == "true":
        return render(request, "memories/_teach_understood.html", _context(form, _similar(form, trust)))
    return _page(request, form=form, similar_claims=_similar(form, trust))


def _teacher(request: HttpRequest) -> Trust:
    trust = trust_of(request.user)
    if not trust.may(Permission.REVIEW):
        raise PermissionDenied("teaching needs the permission review")
    return trust


def _form(request: HttpRequest) -> dict[str, str]:
    """The fields that the person filled in; unchanged proposals of the page count as blank."""
    form = {name: request.POST.get(name, "").strip() for name in FIELDS}
    untouched = {name for name, was in DETECTED.items() if form[name] == request.POST.get(was, "")}
    return {name: "" if name in untouched else value for name, value in form.items()}


def _claim_of(form: dict[str, str]) -> dict[str, str]:
    """The form as a request body of the API: people write into every scope, and blank means the shared one."""
    return {name: value for name, value in form.items() if value or name in ("content", "scope")}


def _similar(form: dict[str, str], trust: Trust) -> list[Near]:
    content = form["content"]
    if not SHORTEST_TEACHING <= len(content) <= LONGEST_TEACHING or not re.fullmatch(SCOPE, form["scope"]):
        return []
    return claims.nearest(content, scope=form["scope"], trust=trust)


def _page(request: HttpRequest, *, form: dict[str, str], status: int = 200, **shown: Any) -> HttpResponse:
    context = _context(form, shown.pop("similar_claims", []))
    return render(request, "memories/teach.html", {**context, **shown}, status=status)


def _context(form: dict[str, str], similar_claims: list[Near]) -> dict[str, Any]:
    content = form.get("content", "")
    long_enough = len(content) >= SHORTEST_TEACHING
    detected = claims.category_of(content) if long_enough else ""
    proposed = claims.key_of(content) if long_enough else ""
    return {
        "form": form,
        "detected": detected,
        "proposed": proposed,
        "category": form.get("category") or detected,
        "key": form.get("key") or proposed,
        "categories": Category.choices,
        "similar_claims": similar_claims,
        "max_length": LONGEST_TEACHING,
        "min_length": SHORTEST_TEACHING,
    }


def _taught(request: HttpRequest, stored: Stored, trust: Trust) -> HttpResponse:
    row = stored.memory
    if row is None or not trust.sees(scope=row.scope, sensitivity=row.sensitivity):
        messages.info(request, _("Taken. It lies above what you may see, so it is not shown here."))
        return redirect("teach")
    said = stored.notice or (_("Learned.") if stored.created else _("Learned: it holds, with these words."))
    notice, _newline, where = said.partition("\n")
    if where:  # of an adaptation: show its page
        said = "\n".join([notice, _("Review, revert or forget it here, or among the adaptations.")])
    messages.success(request, said)
    return redirect("memory", memory_id=row.pk)
