"""API documentation page (/api/docs/): Swagger UI from local files, within the site's content security policy."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def docs(request: HttpRequest) -> HttpResponse:
    """Render the API documentation."""
    return render(request, "api/docs.html")
