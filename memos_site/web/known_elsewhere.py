"""Page of what a dismissal of many leaves: where else the same is known, to be dismissed there too."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.intake import equal_claims
from memories.people import trust_of


@require_safe
def known_elsewhere(request: HttpRequest, batch: UUID) -> HttpResponse:
    """Render the live equals in other scopes of what a batch dismissed, as far as the reader may see them."""
    dismissals = equal_claims.known_beside(batch, trust_of(request.user), at=timezone.now())
    is_more = len(equal_claims.dismissed_by(batch)) > equal_claims.MOST_COMPARED
    context = {"dismissals": dismissals, "is_more": is_more, "most": equal_claims.MOST_COMPARED}
    return render(request, "inbox/known-elsewhere.html", context)
