"""How often the scheduled jobs run, as an administrator sets it on the page of runs."""

from datetime import timedelta

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST
from django_q.models import Schedule

from memories.people import administers

MINUTES = (1, 5, 15, 30, 60, 360, 1440)  # that are offered; what an operator set beside them stays until it is changed


@require_POST
def set_interval(request: HttpRequest, schedule_id: int) -> HttpResponse:
    """Set the interval of a job; it is due no later than one new interval from now."""
    if not administers(request.user):
        raise PermissionDenied("only an administrator changes schedules")
    row = get_object_or_404(Schedule, pk=schedule_id, schedule_type=Schedule.MINUTES)
    asked = request.POST.get("minutes", "")
    if asked not in map(str, MINUTES):
        return HttpResponseBadRequest("minutes: not one of those that are offered", content_type="text/plain")
    row.minutes = int(asked)
    latest = timezone.now() + timedelta(minutes=row.minutes)
    row.next_run = min(row.next_run, latest) if row.next_run else latest
    row.save(update_fields=["minutes", "next_run"])  # type: ignore[no-untyped-call]  # django-q has no types
    messages.success(request, _("The schedule is changed."))
    return redirect("runs")
