"""Programs that show a token: nobody gains anything by showing one, and answers to them are like all others."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from memories.models import Agent
from tests.make import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client) -> Client:
    client.force_login(make_person("anna"))
    return client


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
