"""Whatever goes wrong under /api/ is a problem in JSON (RFC 9457) with a code and the request's id; never a page."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from rest_framework.test import APIClient

from memories.api import json_bodies
from memories.intake import episodes
from memories.models import Event, Memory
from tests.make import Json, ask, caller, make_agent, make_memory, run

pytestmark = pytest.mark.django_db
TITLES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed"}


def problem(answer: Any, status: int, code: str) -> Json:
    """Checks that the answer is a whole problem, and gives its body."""
    body: Json = answer.json()
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert (body["status"], body["code"], body["type"]) == (status, code, "about:blank")
    assert body["title"] == TITLES.get(status, body["title"])
    assert body["request_id"] == answer["X-Request-Id"] != ""
    assert body["detail"]
    return body


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing",
        "/api/v1/",
        "/api/v1/memories/",
        "/api/v1/memories/not-a-uuid",
        "/api/v1/memories/not-a-uuid/promote",
        "/api/v1/episodes/1/events",
        "/api/v1/skills/a/b/c",
        "/api/v2/memories",
        "/api/",
        "/api",
        "/api/v1",
    ],
)
def test_an_unknown_address_is_a_problem_for_every_method(path: str) -> None:
    client = caller()
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        assert problem(ask(client, method, path), 404, "not_found")["instance"] == path
    answer = ask(client, "HEAD", path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/v1/memories", "GET"),
        ("PUT", "/api/v1/me", "GET"),
        ("GET", "/api/v1/conversations", "POST"),
        ("GET", "/api/v1/memories/00000000-0000-7000-8000-000000000000/promote", "POST"),
        ("TRACE", "/api/v1/skills", "GET"),
        ("BREW", "/api/v1/skills", "GET"),
    ],
)
def test_a_wrong_method_is_405_and_names_the_right_ones(method: str, path: str, allowed: str) -> None:
    answer = ask(caller(), method, path)
    problem(answer, 405, "method_not_allowed")
    assert allowed in answer["Allow"]


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("colour=red", "/colour", "unknown_parameter"),
        ("a%2Fb=1", "/a~1b", "unknown_parameter"),
        ("format=html", "/format", "unknown_parameter"),
        ("limit=0", "/limit", "out_of_range"),
        ("limit=201", "/limit", "out_of_range"),
        ("limit=", "/limit", "out_of_range"),
        ("limit=-1", "/limit", "out_of_range"),
        ("limit=%D9%A3", "/limit", "out_of_range"),
        ("limit=" + "9" * 5_000, "/limit", "out_of_range"),
        ("min_confidence=101", "/min_confidence", "out_of_range"),
        ("type=banana", "/type", "unknown_value"),
        ("status=confirmed,banana", "/status", "unknown_value"),
        ("ordering=content", "/ordering", "unknown_value"),
        ("cursor=x", "/cursor", "invalid"),
        ("cursor=%F0%9F%98%80", "/cursor", "invalid"),
        ("source=%00", "/source", "unstorable_text"),
        ("cursor=%00", "/cursor", "unstorable_text"),
    ],
)
def test_a_wrong_parameter_is_named(query: str, pointer: str, code: str) -> None:
    body = problem(caller().get(f"/api/v1/memories?{query}"), 400, "invalid")
    [error] = body["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)
    assert body["instance"] == "/api/v1/memories"


def test_an_address_without_parameters_says_so() -> None:
    [error] = problem(caller().get("/api/v1/me?format=json"), 400, "invalid")["errors"]
    assert (error["pointer"], error["detail"]) == ("/format", "this address takes no parameters")


@pytest.mark.parametrize(
    "path",
    [
        "me",
        "memories/{id}",
        "episodes/{id}/events",
        "skills",
        "skills/x",
        "skills/x/versions",
        "skills/x/versions/1",
        "inbox",
    ],
)
def test_every_door_refuses_parameters_that_it_does_not_know(path: str) -> None:
    client = caller(permissions=["read", "review"])
    problem(client.get(f"/api/v1/{path.format(id=uuid4())}?colour=red"), 400, "invalid")


def test_a_nul_in_an_address_finds_nothing() -> None:
    problem(caller().get("/api/v1/skills/a%00b"), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "required"),
        (b"{", "not_json"),
        (b"\xff", "not_utf8"),
        (b"null", "not_an_object"),
        (b"[]", "not_an_object"),
        (b'{"messages": [NaN]}', "not_a_number"),
        (b'{"messages": [1e999]}', "not_a_number"),
        (b'{"messages": ["\\u0000"]}', "unstorable_text"),
        (b'{"messages": {"\\ud800": "\\udfff"}}', "unstorable_text"),
        (b"[" * 50_000, "too_deep"),
        (b'{"a":' * 90_000, "too_deep"),
    ],
)
def test_a_broken_body_says_what_is_wrong(body: bytes, code: str) -> None:
    answer = ask(caller(), "POST", "/api/v1/conversations", body)
    assert problem(answer, 400, "invalid")["errors"][0]["code"] == code


@pytest.mark.parametrize(
    "body", [b"[]", b"0", b"null", b'"text"', b'{"reason": 5}', b'{"because": "x"}', b'{"to": "x"}']
)
def test_a_decision_takes_an_object_of_known_fields(body: bytes) -> None:
    client, memory = caller(permissions=["review"]), make_memory()
    for verb in ("promote", "dismiss", "restore"):
        answer = ask(client, "POST", f"/api/v1/memories/{memory.pk}/{verb}", body)
        problem(answer, 400, "invalid")


@pytest.mark.parametrize("path", ["context", "search", "guidance", "verdict", "outcomes"])
def test_a_body_with_an_unknown_field_is_told_which_there_are(path: str) -> None:
    answer = caller().post(f"/api/v1/{path}", {"colour": "red"}, format="json")
    (unknown,) = [e for e in problem(answer, 400, "invalid")["errors"] if e["code"] == "extra_forbidden"]
    assert unknown["pointer"] == "/colour"
    fields = unknown["detail"].removeprefix("is not a field of this endpoint, which has: ").split(", ")
    assert ("source" if path == "outcomes" else "scopes") in fields


def test_a_reason_has_its_limit() -> None:
    path = f"/api/v1/memories/{make_memory().pk}/dismiss"
    problem(caller(permissions=["review"]).post(path, {"reason": "x" * 2_001}, format="json"), 400, "invalid")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_a_body_of_another_kind_is_415(kind: str) -> None:
    problem(ask(caller(), "POST", "/api/v1/conversations", b"a=1", kind), 415, "unsupported_media_type")


def test_an_answer_of_another_kind_is_406() -> None:
    problem(caller().get("/api/v1/me", headers={"Accept": "text/html"}), 406, "not_acceptable")


def test_a_body_that_is_too_large_is_413(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_bodies, "LARGEST_BODY", 1_000)
    answer = caller().post("/api/v1/conversations", run(title="x" * 1_000), format="json")
    problem(answer, 413, "too_large")


def test_a_host_that_is_not_ours_is_a_problem_too() -> None:
    problem(caller().get("/api/v1/me", headers={"Host": "evil.example"}), 400, "malformed")


def test_a_form_of_the_browser_that_cannot_be_read_is_a_problem(admin_user: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(admin_user)
    client.cookies["csrftoken"] = "a" * 32
    answer = ask(client, "POST", "/api/v1/conversations", b"broken", "multipart/form-data; boundary=")
    problem(answer, 415, "unsupported_media_type")


def raising(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Any:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise error

    monkeypatch.setattr(episodes, "conversation", fail)
    return caller().post("/api/v1/conversations", run(), format="json")


def test_a_fault_of_ours_is_a_500_that_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    body = problem(raising(monkeypatch, RuntimeError("secret")), 500, "internal_error")
    assert "secret" not in str(body)


def test_a_database_that_is_away_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    body = problem(raising(monkeypatch, OperationalError("no route to host")), 503, "unavailable")
    assert body["memory_status"] == "unavailable"
    assert "route" not in str(body)


def test_a_refused_write_leaves_nothing_behind() -> None:
    _, token = make_agent(permissions=["read"])
    client = APIClient()
    problem(
        client.post("/api/v1/conversations", run(), format="json", headers={"X-API-Key": token}), 403, "not_allowed"
    )


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/v1/memories", "application/problem+json"), ("/login/", "text/plain")]
)
def test_a_body_of_unknown_length_is_never_taken_as_empty(path: str, kind: str) -> None:
    """As another WSGI server than ours hands it on."""
    answer = caller(permissions=["review"]).post(path, HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (411, kind)


def test_a_promotion_whose_body_has_no_length_promotes_nothing() -> None:
    memory = make_memory(key="terms")
    address = f"/api/v1/memories/{memory.pk}/promote"
    answer = caller(permissions=["review"]).post(address, HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")
    problem(answer, 411, "length_required")
    memory.refresh_from_db()
    assert memory.status == "candidate"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("tool-outputs", {"source": "ci", "tool_name": "rg", "ok": 0}, "ok"),
        ("tool-outputs", {"source": "ci", "tool_name": "rg", "ok": "1"}, "ok"),
        ("memories", {"key": "k", "category": "fact", "content": "Acme pays", "source": "ci", "direct": 1}, "direct"),
        ("search", {"query": "Acme", "limit": True}, "limit"),
        ("search", {"query": "Acme", "min_confidence": False}, "min_confidence"),
        ("context", {"task": "Acme", "quotes": False}, "quotes"),
        ("tools/memory_query", {"text": "Acme", "limit": True}, "limit"),
        ("tools/memory_delete", {"key": "k", "dry_run": 1}, "dry_run"),
        ("tools/skill_get", {"name": "book-flight", "version": True}, "version"),
    ],
)
def test_a_number_is_no_yes_and_a_yes_no_number(path: str, body: dict[str, Any], field: str) -> None:
    refused = caller().post(f"/api/v1/{path}", body, format="json")
    assert (refused.status_code, [wrong["pointer"] for wrong in refused.json()["errors"]]) == (400, [f"/{field}"])
    assert not Memory.objects.exists()


def test_a_yes_or_no_may_be_its_word() -> None:
    body = {"source": "ci", "tool_name": "rg", "ok": "false"}
    assert caller().post("/api/v1/tool-outputs", body, format="json").status_code == 201
    assert Event.objects.get().ok is False
