"""POST conversations: 201 new, 200 repeated, 409 other messages; the token says where to and as whom."""

from typing import Any

import pytest

from memories.models import AuditEntry, Episode, Memory
from tests.make import bearing, caller, make_agent, run, user

pytestmark = pytest.mark.django_db
PATH = "/api/v1/conversations"


def test_a_new_conversation_is_answered_with_its_episode() -> None:
    answer = caller(name="crm").post(PATH, run(outcome="success", tags=["x"], title="Rome"), format="json")
    assert (answer.status_code, answer.json()["run"]) == (201, None)
    episode = answer.json()["episode"]
    memory = Memory.objects.get()
    assert episode["id"] == str(memory.pk)
    assert (episode["type"], episode["status"], episode["sensitivity"]) == ("episodic", "confirmed", "low")
    assert (episode["content"], episode["source"], episode["tags"]) == ("Rome", "crm", ["x"])
    assert episode["provenance"]["created_by"] == "crm"
    assert episode["payload"]["outcome"] == "success"
    assert AuditEntry.objects.exclude(subject_kind="agent").get().request_id == answer["X-Request-Id"]


def test_the_same_conversation_again_is_200_and_the_same_episode() -> None:
    client = caller()
    first = client.post(PATH, run(id="r1"), format="json").json()
    again = client.post(PATH, run(id="r1"), format="json")
    assert (again.status_code, again.json()["episode"]["id"]) == (200, first["episode"]["id"])
    assert Memory.objects.count() == 1


def test_another_outcome_replaces_the_first_and_is_audited() -> None:
    client = caller()
    client.post(PATH, run(id="r1", outcome="success"), format="json")
    Episode.objects.update(digested_at="2026-01-01T00:00:00Z")
    again = client.post(PATH, run(id="r1", outcome="failure"), format="json")
    payload = again.json()["episode"]["payload"]
    episode = Episode.objects.get()
    assert (again.status_code, payload["outcome"], episode.digested_at) == (200, "failure", None)
    assert episode.outcome_at is not None
    assert payload["outcome_at"] == episode.outcome_at.isoformat().replace("+00:00", "Z")
    assert list(AuditEntry.objects.exclude(subject_kind="agent").order_by("id").values_list("action", flat=True)) == [
        "create",
        "outcome",
    ]


def test_the_same_id_with_other_messages_is_409() -> None:
    client = caller()
    client.post(PATH, run(id="r1"), format="json")
    refused = client.post(PATH, run(id="r1", messages=[user("else")]), format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


def test_every_wrong_field_is_named_with_its_pointer() -> None:
    refused = caller().post(PATH, {"outcome": "banana", "messages": [user("a"), {"content": "b"}]}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"] == [
        {
            "pointer": "/outcome",
            "code": "unknown_value",
            "detail": "must be one of success, failure, partial",
        },
        {"pointer": "/messages/1/role", "code": "required", "detail": "is required"},
    ]
    assert refused.json()["detail"] == "outcome: must be one of success, failure, partial"


def written(status: int, *, scopes: list[str] | None = None, sources: list[str] | None = None, **fields: object) -> Any:
    answer = caller(scopes=scopes or [], sources=sources or []).post(PATH, run(**fields), format="json")
    assert answer.status_code == status
    assert Memory.objects.exists() is (status == 201)
    return answer


def test_a_token_with_one_scope_writes_into_it_only() -> None:
    assert written(201, scopes=["a"]).json()["episode"]["scope"] == "a"


@pytest.mark.parametrize("scope", ["b", "", "global"])
def test_a_token_with_a_scope_writes_into_no_other(scope: str) -> None:
    assert written(403, scopes=["a"], scope=scope).json()["code"] == "not_allowed"


def test_a_token_with_several_scopes_must_say_which() -> None:
    refused = written(400, scopes=["a", "b"]).json()
    assert refused["errors"] == [{"pointer": "/scope", "code": "required", "detail": "is required, one of a, b"}]


def test_a_token_with_sources_speaks_for_these_only() -> None:
    assert written(201, sources=["P01"]).json()["episode"]["source"] == "P01"


def test_a_token_with_sources_speaks_for_no_other() -> None:
    written(403, sources=["P01"], source="P02")


def test_what_is_above_ones_clearance_can_be_written_but_not_read_back() -> None:
    client = bearing(make_agent(clearance=1)[1])
    created = client.post(PATH, run(id="r1", sensitivity="high"), format="json")
    assert created.status_code == 201
    assert client.get(f"/api/v1/memories/{created.json()['episode']['id']}").status_code == 404
    again = client.post(PATH, run(id="r1", sensitivity="high", outcome="failure"), format="json")
    assert (again.status_code, again.json()) == (202, {"episode": None, "run": None, "notice": "accepted"})
    assert Episode.objects.get().outcome is None
