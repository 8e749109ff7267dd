"""The address: which door a URL leads to."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("memos_site.api.urls")),
]
