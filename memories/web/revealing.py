"""The answer that shows the credentials of one row in clear, once: to a form, never to an address, and kept nowhere."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from memories.lifecycle.revealing import reveal as reveal_memory
from memories.models import Memory
from memories.people import trust_of
from memories.values.exceptions import NotAllowed


@never_cache
@require_POST
def reveal(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Show what is masked of a memory or an episode. The audit trail says who asked, and when."""
    trust, at = trust_of(request.user), timezone.now()
    memory = get_object_or_404(Memory.objects.visible_to(trust).unexpired(at).select_related("episode"), pk=memory_id)
    try:
        texts = reveal_memory(memory, trust=trust, at=at)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    shown: Any = render(request, "memories/revealed.html", {"memory": memory, "texts": texts})
    shown.shows_secrets = True
    return shown  # type: ignore[no-any-return]
