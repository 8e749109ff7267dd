"""History, evidence and relations of a memory; stubs of what lies just above; limits of calls; patience.

The audit trail only grows: the database itself refuses to change or remove a row.
"""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from memories.models import AuditEntry, Evidence, Memory, Relation
from memories.models.audit import LONGEST_TEXT
from memos_site.platform.correlation import request_id
from tests.make import ANNA, AT, caller, make_memory, make_run

pytestmark = pytest.mark.django_db
BASE = "/api/v1/memories"


def results(path: str, **agent: Any) -> list[dict[str, Any]]:
    answer = caller(**agent).get(path)
    assert answer.status_code == 200, answer.json()
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_the_history_tells_what_was_done_by_whom_in_order() -> None:
    memory = make_memory()
    memory.promote(by=ANNA, at=AT)
    memory.dismiss(by=ANNA, why="stale", at=AT)
    told = [(entry["action"], entry["actor"], entry["rationale"]) for entry in results(f"{BASE}/{memory.pk}/history")]
    assert told == [("promote", "anna", ""), ("dismiss", "anna", "stale")]


def test_the_history_tells_levels_by_their_names() -> None:
    memory = make_memory()
    changed = caller(permissions=["review"]).patch(f"{BASE}/{memory.pk}", {"sensitivity": "medium"}, format="json")
    assert changed.status_code == 200
    for path in (f"{BASE}/{memory.pk}/history", f"/api/v1/audit?subject={memory.pk}"):
        [entry] = results(path)
        assert (entry["before"]["sensitivity"], entry["after"]["sensitivity"]) == ("low", "medium")


def test_the_history_outlives_its_memory_and_is_nothing_where_nothing_was() -> None:
    memory = make_memory()
    memory.promote(by=ANNA, at=AT)
    Memory.objects.filter(pk=memory.pk).delete()
    assert len(results(f"{BASE}/{memory.pk}/history")) == 1
    assert caller(clearance=0).get(f"{BASE}/{memory.pk}/history").status_code == 404


def test_evidence_of_an_episode_above_the_caller_is_not_told() -> None:
    memory = make_memory()
    for sensitivity in ("low", "high"):
        episode = make_run(sensitivity=sensitivity).pk
        Evidence.objects.create(memory=memory, occasion=f"episode:{episode}", episode_id=episode, kind="created", at=AT)
    assert len(results(f"{BASE}/{memory.pk}/evidence")) == 1
    assert [relation["predicate"] for relation in results(f"{BASE}/{memory.pk}/relations")] == ["derived_from"]
    assert len(results(f"{BASE}/{memory.pk}/evidence", clearance=3)) == 2


def test_a_relation_is_told_to_who_sees_both_ends() -> None:
    old, new, hidden = make_memory(), make_memory(), make_memory(sensitivity=3)
    Relation.objects.create(source=new, predicate="supersedes", target=old)
    Relation.objects.create(source=hidden, predicate="contradicts", target=old)
    assert [row["predicate"] for row in results(f"{BASE}/{old.pk}/relations")] == ["supersedes"]
    assert len(results(f"{BASE}/{old.pk}/relations", clearance=3)) == 2


def test_a_memory_may_come_with_its_trails() -> None:
    memory = make_memory()
    memory.promote(by=ANNA, at=AT)
    shown = caller().get(f"{BASE}/{memory.pk}?include=history,evidence,relations").json()
    assert (len(shown["history"]), shown["evidence"], shown["relations"]) == (1, [], [])
    assert caller().get(f"{BASE}/{memory.pk}?include=secrets").status_code == 400


STUB = {"id", "type", "sensitivity", "confidence", "salience", "scope", "tags", "created_at", "updated_at"}


def test_stubs_show_only_what_lies_exactly_one_level_above_in_scope() -> None:
    for scope in ("project:alpha", "project:beta"):
        for sensitivity in (1, 2, 3):
            make_memory(f"{scope} {sensitivity}", scope=scope, sensitivity=sensitivity, status="confirmed", tags=["t"])
    agent: dict[str, Any] = {"clearance": 1, "scopes": ["project:alpha"]}
    shown = results(f"{BASE}?include_redacted=true", **agent)
    assert [row.get("redacted", False) for row in shown] == [False, True]
    assert shown[1]["sensitivity"] == "medium"
    assert (shown[1]["scope"], shown[1]["tags"], shown[1]["confidence"]) == ("project:alpha", ["t"], 20)
    assert 0 < shown[1]["salience"] <= 1
    assert set(shown[1]) == STUB | {"redacted"}
    assert [len(results(f"{BASE}?include_redacted=true&tag={tag}", **agent)) for tag in ("t", "other")] == [2, 0]
    assert len(results(BASE, **agent)) == 1


def test_no_stub_tells_the_status_of_what_lies_above() -> None:
    for status in ("confirmed", "candidate", "dismissed"):
        make_memory(status, sensitivity=2, status=status)
    for asked in ("", "&status=superseded", "&status=candidate,confirmed"):
        assert len(results(f"{BASE}?include_redacted=true{asked}", clearance=1)) == 1


def test_stubs_follow_the_last_page_only() -> None:
    for n in range(3):
        make_memory(f"low {n}", status="confirmed")
    make_memory("medium", sensitivity=2, status="confirmed")
    client = caller(clearance=1)
    first = client.get(f"{BASE}?include_redacted=true&limit=2").json()
    second = client.get(first["next"]).json()
    assert [len(first["results"]), len(second["results"])] == [2, 2]
    assert second["results"][1]["redacted"] is True


def test_a_token_that_calls_too_often_is_told_when_to_come_again(settings: Any) -> None:
    settings.RATE_LIMIT_PER_MINUTE = 2
    client = caller()
    answers = [client.get("/api/v1/me") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[2]["Retry-After"]) <= 61
    assert answers[2].json()["code"] == "throttled"
    assert caller().get("/api/v1/me").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_for_a_moment_is_asked_again() -> None:
    client, memory = caller(), make_memory(status="confirmed")
    real, failures = Memory.objects.told_to, [OperationalError("gone"), OperationalError("gone")]

    def sometimes(*args: Any, **kwargs: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*args, **kwargs)

    with patch.object(Memory.objects, "told_to", sometimes), patch("memories.api.base.PAUSE", 0):
        assert client.get(f"{BASE}/{memory.pk}").status_code == 200
        failures += [OperationalError("gone")] * 4
        refused = client.get(f"{BASE}/{memory.pk}")
    assert (refused.status_code, refused.json()["memory_status"]) == (503, "unavailable")
    assert not AuditEntry.objects.exclude(subject_kind="agent").exists()


def test_an_episode_is_experience_and_nothing_about_it_is_decided() -> None:
    episode = make_run()
    client = caller(permissions=["review"])
    assert client.post(f"{BASE}/{episode.pk}/promote", {}, format="json").status_code == 409


def make_entry(**facts: Any) -> AuditEntry:
    entry = make_memory().audit("edit", by=ANNA, at=AT, **facts)
    entry.save(force_insert=True)
    return entry


@pytest.mark.parametrize(
    "change",
    [
        {"actor": "ben"},
        {"rationale": "because"},
        {"after": {"status": "applied"}},
        {"sensitivity": 0},
        {"sensitivity": 4, "actor": "ben"},
    ],
)
def test_no_row_can_be_changed(change: dict[str, Any]) -> None:
    entry = make_entry()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).update(**change)
    assert AuditEntry.objects.get().actor == "anna"


def test_no_row_can_be_removed() -> None:
    entry = make_entry()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        entry.delete()
    assert AuditEntry.objects.exists()


def test_its_sensitivity_may_rise_with_its_subjects() -> None:
    make_entry()
    AuditEntry.objects.update(sensitivity=4)
    assert AuditEntry.objects.get().sensitivity == 4


def test_only_who_erases_may_change_it_and_only_in_that_transaction() -> None:
    make_entry()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL memos.erasing = 'on'")
        AuditEntry.objects.update(label="")
        cursor.execute("SET LOCAL memos.erasing = ''")
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry.objects.update(label="x")


def test_it_outlives_what_it_speaks_of() -> None:
    entry = make_entry()
    Memory.objects.all().delete()
    assert AuditEntry.objects.about("memory", entry.subject_id).get() == entry


def test_long_texts_leave_their_length_and_hash() -> None:
    entry = make_entry(before={"content": "x" * (LONGEST_TEXT + 1)}, after={"content": "x" * LONGEST_TEXT})
    assert entry.before["content"]["length"] == LONGEST_TEXT + 1
    assert entry.after["content"] == "x" * LONGEST_TEXT


def test_it_names_the_request_that_did_it() -> None:
    token = request_id.set("request-1")
    assert make_entry().request_id == "request-1"
    request_id.reset(token)
