"""The address: which door a URL leads to."""

from django.urls import URLPattern, URLResolver, include, path

from memos_site.views import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("api/v1/", include("memos_site.api.urls")),
]
