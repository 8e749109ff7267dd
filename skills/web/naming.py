"""Forms on a skill's page that decide about the skill as a whole: another name, a merge with one that overlaps."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memories.values.exceptions import Conflict, Invalid, NotFound
from skills import renaming, revising
from skills.models import Skill
from skills.web.editing import editor


@require_POST
def rename_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    skill = get_object_or_404(Skill.objects.visible_to(trust).prefetch_related("versions"), pk=memory_id)
    name = request.POST.get("name", "").strip()
    try:
        renaming.rename(skill, name, trust=trust, at=timezone.now())
        messages.success(request, _("Renamed. The old name stays: downloads by it go on."))
    except (Conflict, Invalid) as refusal:
        messages.error(request, str(refusal))
    return redirect("memory", memory_id=memory_id)


@require_POST
def merge_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    visible = Skill.objects.visible_to(trust).select_related("memory").prefetch_related("versions")
    skill = get_object_or_404(visible, pk=memory_id)
    try:
        other = visible.named(request.POST.get("other", "").strip(), scope=skill.scope)
        version = revising.merge(skill, other, trust=trust, at=timezone.now())
        messages.success(request, _("Version %(n)s waits to be published.") % {"n": version.number})
    except NotFound:
        messages.error(request, _("There is no skill of that name in this scope."))
    except (Conflict, Invalid) as refusal:
        messages.error(request, str(refusal))
    return redirect("memory", memory_id=memory_id)
