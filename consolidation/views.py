"""Runs as people read them: how far each is, what it did, what went wrong."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from consolidation.models import Run
from memories.people import trust_of
from memories.views.pages import page_of


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    page = page_of(request, Run.objects.visible_to(trust_of(request.user)))
    return render(request, "consolidation/runs.html", {"page": page})
