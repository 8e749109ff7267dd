"""The list of skills and the download of a package. The page of one skill is that of its memory."""

from uuid import UUID

from django.core.files.storage import storages
from django.db.models import Prefetch
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Status
from memories.web.paging import page_of
from skills.models import SkillVersion


@require_safe
def skills(request: HttpRequest) -> HttpResponse:
    status = request.GET.get("status", "")
    rows = Memory.objects.visible_to(trust_of(request.user)).filter(skill__isnull=False)
    rows = rows.filter(status=status) if status else rows
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    page = page_of(request, rows.select_related("skill", "performance").prefetch_related(versions))
    return render(request, "skills/skills.html", {"page": page, "status": status, "statuses": Status.choices})


@require_safe
def package(request: HttpRequest, memory_id: UUID, number: int) -> FileResponse:
    """Download the package of one version. Http404: not visible, or missing from the storage."""
    versions = SkillVersion.objects.visible_to(trust_of(request.user)).select_related("skill")
    version = get_object_or_404(versions, skill=memory_id, number=number)
    try:
        file = storages["skills"].open(version.package)
    except FileNotFoundError:
        raise Http404(f"the package of {version} is missing from the storage") from None
    return FileResponse(file, as_attachment=True, filename=f"{version.skill.name}.zip")
