"""/api/docs/: the schema for people, in Swagger UI from our own files. It needs no policy other than the site's."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
