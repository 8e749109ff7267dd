"""URLs in answers: absolute, by the host of the current request; paths when there is no request."""

from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

current: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def absolute(path: str) -> str:
    request = current.get()
    return request.build_absolute_uri(path) if request else path


def memory_page(id: Any) -> str:
    return absolute(reverse("memory", args=[id]))


def site_page(name: str, *args: Any, **query: str) -> str:
    """URL of a page by SITE_URL, for messages that leave by a job: no request says under which host they are read."""
    path = reverse(name, args=args)
    return f"{settings.SITE_URL}{path}?{urlencode(query)}" if query else f"{settings.SITE_URL}{path}"


def memory_as_of(id: Any, instant: str) -> str:
    """URL of a memory in the API as it stood at an instant."""
    return absolute(f"{reverse('api-memory', args=[id])}?{urlencode({'as_of': instant})}")


def skill_package(name: str, version: int, *, scope: str) -> str:
    """URL of the zip of one version. Always with its scope: another scope may have a skill of that name."""
    path = reverse("api-skill-content", kwargs={"name": name, "number": str(version)})
    return absolute(f"{path}?{urlencode({'scope': scope})}")
