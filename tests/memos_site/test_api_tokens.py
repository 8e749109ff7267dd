"""Who may call the API: an agent by its token, a person by the session; every refusal looks the same."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Agent
from memories.values.choices import Permission
from tests.make import ask, bearing, bytes_of, caller, make_agent, make_memory, make_person, make_skill, run

pytestmark = pytest.mark.django_db
ME = "/api/v1/me"


def test_a_token_opens_in_either_header() -> None:
    _, token = make_agent("crm", scopes=["b", "a"])
    expected = {
        "name": "crm",
        "clearance": "medium",
        "scopes": ["a", "b"],
        "permissions": ["ingest", "read", "report", "skills"],
        "expires_at": None,
    }
    for header in (
        {"Authorization": f"Bearer {token}"},
        {"Authorization": f"bearer  {token} "},
        {"X-API-Key": token},
        {"X-API-Key": token, "Authorization": "Basic eDp5"},
    ):
        assert APIClient().get(ME, headers=header).json() == expected


def test_wrong_malformed_expired_and_revoked_tokens_are_one_answer() -> None:
    now = timezone.now()
    expired, revoked = make_agent(expires_at=now - timedelta(seconds=1))[1], make_agent()
    Agent.objects.filter(pk=revoked[0].pk).update(revoked_at=now)
    right = make_agent()[1]
    tokens = (expired, revoked[1], right[:-1], f"{right}x", "nonsense", "", "memos_", "memos_\xff_\xff", "a b c")
    answers = [bearing(token).get(ME) for token in tokens]
    answers += [APIClient().get(ME, headers={"X-API-Key": token}) for token in tokens]
    said = {tuple({**answer.json(), "request_id": ""}.items()) for answer in answers}
    assert len(said) == 1
    assert (answers[0].status_code, answers[0].json()["code"]) == (401, "unauthenticated")
    assert {answer["WWW-Authenticate"] for answer in answers} == {'Bearer realm="memos"'}


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic eDp5"}, {"Authorization": "Token abc"}])
def test_without_a_token_nothing_opens(headers: dict[str, str]) -> None:
    for path in (ME, "/api/v1/memories", "/api/v1/skills", "/api/v1/inbox"):
        assert APIClient().get(path, headers=headers).status_code == 401


def test_a_person_calls_with_the_session_and_writes_with_its_csrf_token() -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(make_person("anna"))
    assert client.get(ME).json()["name"] == "anna"
    refused = client.post("/api/v1/conversations", run(), format="json")
    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    token = client.cookies["csrftoken"].value if "csrftoken" in client.cookies else "a" * 32
    client.cookies["csrftoken"] = token
    assert client.post("/api/v1/conversations", run(), format="json", headers={"X-CSRFToken": token}).status_code == 201


def test_a_person_without_a_group_may_do_nothing() -> None:
    person = make_person()
    person.groups.clear()
    client = APIClient()
    client.force_login(person)
    assert [client.get(path).status_code for path in (ME, "/api/v1/memories", "/api/v1/inbox")] == [200, 403, 403]


NEEDS = [
    ("GET", "/api/v1/memories", {Permission.READ}),
    ("GET", "/api/v1/memories/{memory}", {Permission.READ}),
    ("GET", "/api/v1/episodes/{memory}/events", {Permission.READ}),
    ("GET", "/api/v1/skills", {Permission.READ, Permission.SKILLS}),
    ("GET", "/api/v1/skills/book-flight", {Permission.READ, Permission.SKILLS}),
    ("GET", "/api/v1/skills/book-flight/versions", {Permission.READ, Permission.SKILLS}),
    ("GET", "/api/v1/skills/book-flight/versions/1", {Permission.READ, Permission.SKILLS}),
    ("GET", "/api/v1/skills/book-flight/versions/1/content", {Permission.READ, Permission.SKILLS}),
    ("POST", "/api/v1/conversations", {Permission.INGEST}),
    ("GET", "/api/v1/inbox", {Permission.REVIEW}),
    ("POST", "/api/v1/memories/{memory}/promote", {Permission.REVIEW}),
    ("POST", "/api/v1/memories/{memory}/dismiss", {Permission.REVIEW}),
    ("POST", "/api/v1/memories/{memory}/restore", {Permission.REVIEW}),
    ("POST", "/api/v1/audit/{memory}/undo", {Permission.REVIEW}),
]


@pytest.mark.parametrize(("method", "path", "needed"), NEEDS)
def test_each_door_opens_with_its_permission_and_no_other(method: str, path: str, needed: set[Permission]) -> None:
    make_skill()
    path = path.format(memory=make_memory().pk)
    methods = [method, "HEAD"] if method == "GET" else [method]
    for permission in Permission:
        client = caller(permissions=[permission])
        for asked in methods:
            answer = ask(client, asked, path, b"{}")
            bytes_of(answer)
            assert (answer.status_code == 403) is (permission not in needed), (asked, permission)
