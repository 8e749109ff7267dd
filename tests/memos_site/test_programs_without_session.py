"""Programs that show a token pass sessions, messages and forms by; nobody gains anything by showing one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from memories.models import Agent
from tests.make import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client) -> Client:
    client.force_login(make_person("anna"))
    return client


def test_a_token_costs_no_look_at_the_session(signed_in: Client) -> None:
    _agent, token = Agent.objects.issue("P01")
    with CaptureQueriesContext(connection) as queries:
        answer = signed_in.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert answer.json()["name"] == "P01"
    assert [query["sql"] for query in queries if "django_session" in query["sql"] or "auth_user" in query["sql"]] == []


@pytest.mark.parametrize(
    "headers", [{"Authorization": "Bearer wrong"}, {"X-API-Key": "wrong"}, {"Authorization": "Basic YTpi"}]
)
def test_whoever_is_signed_in_is_not_taken_for_the_owner_of_a_wrong_token(
    signed_in: Client, headers: dict[str, Any]
) -> None:
    assert signed_in.get("/api/v1/me").status_code == 200
    assert signed_in.get("/api/v1/me", headers=headers).status_code == 401


@pytest.mark.parametrize("name", ["inbox", "api-docs"])
def test_pages_know_who_is_signed_in_whatever_header_a_proxy_adds(signed_in: Client, name: str) -> None:
    assert signed_in.get(reverse(name), headers={"Authorization": "Basic YTpi"}).status_code == 200


@pytest.mark.parametrize("name", ["inbox", "api-docs"])
def test_no_page_opens_to_a_header(client: Client, name: str) -> None:
    assert client.get(reverse(name), headers={"Authorization": "Bearer wrong"}).status_code in (302, 401, 403)


def test_answers_to_programs_keep_their_headers(client: Client) -> None:
    answer = client.get("/api/v1/me", headers={"Authorization": "Bearer wrong"})
    for name in ("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "X-Request-Id"):
        assert answer.headers[name]


class Refusing:
    """Middleware that lets nobody pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=418)


@override_settings(MIDDLEWARE=[*settings.MIDDLEWARE, f"{__name__}.Refusing"])
def test_a_token_passes_by_what_pages_need() -> None:
    _agent, token = Agent.objects.issue("P01")
    assert Client().get("/api/v1/me").status_code == 418
    assert Client().get("/api/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 200


def test_a_program_is_served_under_an_allowed_name_only(client: Client) -> None:
    answer = client.get("/api/v1/me", headers={"Authorization": "Bearer wrong", "Host": "elsewhere.example"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")


def test_a_program_reads_english_and_the_length_of_its_answer() -> None:
    _agent, token = Agent.objects.issue("P01")
    headers = {"Authorization": f"Bearer {token}"}
    with translation.override("zh-hans"):
        answer = Client().post("/api/v1/events", "a", content_type="text/plain", headers=headers)
    assert (answer.status_code, answer.content.isascii()) == (415, True)
    assert int(answer.headers["Content-Length"]) == len(answer.content)
