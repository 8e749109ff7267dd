"""How many decisions began to wait since a person last looked at the inbox, for the title and icon of each page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.people import trust_of
from memories.values.field_errors import format_instant, parse_instant
from memos_site import review
from memos_site.web.inbox_rows import MAX_COUNTED


@never_cache
@require_safe
def unread(request: HttpRequest) -> HttpResponse:
    """Answer a number with its sentence, nothing of what waits. 0 without a time to count from; `at`: now."""
    now, since = timezone.now(), parse_instant(request.GET.get("since"))
    n = review.new_count(trust_of(request.user), since=since, at=now, most=MAX_COUNTED) if since else 0
    shown = f"{MAX_COUNTED}+" if n > MAX_COUNTED else str(n)
    text = ngettext("%(n)s new decision waits for you.", "%(n)s new decisions wait for you.", n) % {"n": shown}
    return JsonResponse({"n": n, "shown": shown, "text": text, "at": format_instant(now)})
