"""The page that forgets a memory: a preview of what is removed and kept, then the confirmation."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories import lifecycle
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotAllowed


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Ask for confirmation, then forget a memory; this cannot be undone."""
    trust, at = trust_of(request.user), timezone.now()
    if not trust.may(Permission.REVIEW):
        raise PermissionDenied("forgetting needs the permission review")
    memory = get_object_or_404(Memory.objects.visible_to(trust).unexpired(at).select_related("skill"), pk=memory_id)
    why = request.POST.get("why", "").strip()[:2000]
    try:
        receipt = lifecycle.forget(memory, trust=trust, at=at, why=why, dry_run=request.method != "POST")
    except (Conflict, NotAllowed) as refusal:
        return render(request, "memories/forget.html", {"memory": memory, "refusal": refusal}, status=409)
    if request.method == "POST":
        messages.success(request, _("Forgotten. Only its history still says that it was there."))
        return redirect("memories" if memory.is_claim else "episodes")
    return render(request, "memories/forget.html", {"memory": memory, "receipt": receipt})
