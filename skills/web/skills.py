"""The list of skills, the page of one version, and the download of a package. The page of a skill is its memory's."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, F, IntegerField, OuterRef, Prefetch, Subquery, TextField
from django.db.models.functions import Cast, Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memories.models import Evidence, Memory
from memories.people import trust_of
from memories.values.choices import Status
from memories.values.exceptions import Conflict, Invalid, Lost, NotFound
from memories.web.paging import NEWEST, page_of
from skills import downloads, renaming, revising
from skills.models import Skill, SkillVersion
from skills.web.editing import editor

ORDERS = {"": ("-reported_runs", "-created_at", "-id"), "newest": NEWEST}
SORTS = [("newest", gettext_lazy("Newest first"))]


@require_safe
def skills(request: HttpRequest) -> HttpResponse:
    status, sort = request.GET.get("status", ""), request.GET.get("sort", "")
    rows = Memory.objects.visible_to(trust_of(request.user)).filter(skill__isnull=False)
    rows = rows.filter(status=status) if status else rows
    rows = rows.annotate(reported_runs=_reported_runs(), cases=_cases())
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    rows = rows.select_related("skill", "performance", "worth").prefetch_related(versions)
    page = page_of(request, rows, ORDERS.get(sort, ORDERS[""]))
    choices: dict[str, Any] = {"status": status, "statuses": Status.choices, "sort": sort, "sorts": SORTS}
    return render(request, "skills/skills.html", {"page": page, **choices})


def _reported_runs() -> Coalesce:
    counts = [Coalesce(F(f"performance__{name}"), 0) for name in ("successes", "failures", "partials")]
    return Coalesce(counts[0] + counts[1] + counts[2], 0, output_field=IntegerField())


def _cases() -> Coalesce:
    """The number of cases in a skill's evidence; runs of one thread are one case."""
    case = Coalesce("episode__thread_id", Cast("episode_id", TextField()), "occasion", output_field=TextField())
    rows = Evidence.objects.filter(memory=OuterRef("pk")).order_by().values("memory")
    return Coalesce(Subquery(rows.annotate(n=Count(case, distinct=True)).values("n")), 0)


@require_safe
def version(request: HttpRequest, memory_id: UUID, number: int) -> HttpResponse:
    """One version: what it changes from the one before it, or from the one that is asked for, and all its files."""
    trust = trust_of(request.user)
    skill = get_object_or_404(Skill.objects.visible_to(trust).select_related("memory"), pk=memory_id)
    versions = list(skill.versions.with_uses())
    shown_version = next((row for row in versions if row.number == number), None)
    if shown_version is None:
        raise Http404(f"{skill.name} has no version {number}")
    base = _base(versions, number, request.GET.get("from", ""))
    number_choices = [(str(row.number), str(row.number)) for row in versions if row.number != number]
    context = {"memory": skill.memory, "skill": skill, "version": shown_version, "base": base, "others": number_choices}
    return render(request, "skills/version.html", context)


def _base(versions: list[SkillVersion], number: int, number_text: str) -> SkillVersion | None:
    """The version to compare version `number` with: the one named by the query, else the one before it.

    `versions`: newest first.
    """
    if number_text.isdecimal():
        return next((row for row in versions if row.number == int(number_text[:9]) != number), None)
    return next((row for row in versions if row.number < number), None)


@require_safe
def package(request: HttpRequest, memory_id: UUID, number: int) -> HttpResponseBase:
    """Download the package of one version. Http404: not visible."""
    versions = SkillVersion.objects.visible_to(trust_of(request.user)).select_related("skill")
    version = get_object_or_404(versions, skill=memory_id, number=number)
    try:
        return downloads.download(version)
    except Lost as lost:
        messages.error(request, str(lost))
        return redirect("skill_version", memory_id, number)


@require_POST
def rename_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    skill = get_object_or_404(Skill.objects.visible_to(trust).prefetch_related("versions"), pk=memory_id)
    name = request.POST.get("name", "").strip()
    try:
        renaming.rename(skill, name, trust=trust, at=timezone.now())
        messages.success(request, _("Renamed. Downloads by the old name still work."))
    except (Conflict, Invalid) as refusal:
        messages.error(request, str(refusal))
        return redirect(f"{reverse('memory', args=[memory_id])}?{urlencode({'new_name': name})}")  # it is not lost
    return redirect("memory", memory_id=memory_id)


@require_POST
def merge_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    visible = Skill.objects.visible_to(trust).select_related("memory").prefetch_related("versions")
    skill = get_object_or_404(visible, pk=memory_id)
    try:
        other = visible.get_by_name(request.POST.get("other", "").strip(), scope=skill.scope)
        version = revising.merge(skill, other, trust=trust, at=timezone.now())
        messages.success(request, _("Version %(n)s waits to be published.") % {"n": version.number})
    except NotFound:
        messages.error(request, _("There is no skill of that name in this scope."))
    except (Conflict, Invalid) as refusal:
        messages.error(request, str(refusal))
    return redirect("memory", memory_id=memory_id)
