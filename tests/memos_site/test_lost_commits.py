"""A connection that is lost at COMMIT: what is stored is stored once, and the caller hears what became of it."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connections, transaction

from memories.models import Episode, Event, Memory
from memos_site.platform.postgres import verified_commits
from tests.make import bearing, caller, make_agent, run
from tests.memos_site.cutting import AFTER, BEFORE, LATE, cut

pytestmark = pytest.mark.django_db(transaction=True)
EVENT = {"source": "ci", "event_kind": "deploy", "ref": "build-7"}
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("events", EVENT),
    ("events", {**EVENT, "thread_id": "t1"}),
    ("observations", {"source": "ci", "subject": "user", "predicate": "likes", "object": "tea"}),
    ("working-states", {"source": "ci", "thread_id": "t1", "state": "done"}),
    ("conversations", run()),
    ("batch", {"items": [{"kind": "event", **EVENT}, {"kind": "conversation", **run()}]}),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.api.base.PAUSE", 0.01)
    monkeypatch.setattr(verified_commits, "PAUSE", 0.05)


@pytest.mark.parametrize("how", [BEFORE, AFTER, LATE])
@pytest.mark.parametrize(("path", "body"), WRITES)
def test_a_write_whose_commit_is_cut_is_stored_once(path: str, body: dict[str, Any], how: str) -> None:
    client = caller()
    client.get("/api/v1/me")
    with cut(how) as waiting:
        answer = client.post(f"/api/v1/{path}", body, format="json")
        assert not waiting
    assert answer.status_code in (200, 201)
    assert Memory.objects.count() == (2 if path == "batch" else 1)


def test_an_event_that_joins_is_counted_once() -> None:
    client = bearing(make_agent()[1])
    client.get("/api/v1/me")
    with cut(AFTER, BEFORE, BEFORE, AFTER):
        for _ in range(3):
            client.post("/api/v1/events", {**EVENT, "thread_id": "t1"}, format="json")
    assert Episode.objects.get().event_count == Event.objects.count() == 3


def test_what_happens_after_a_commit_happens_when_the_commit_did() -> None:
    happened: list[str] = []
    for how in (AFTER, BEFORE):
        with cut(how), suppress(OperationalError), transaction.atomic():
            transaction.on_commit(partial(happened.append, how))
            make_agent()
    assert happened == [AFTER]


def test_when_nobody_can_tell_it_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    client = caller()
    client.get("/api/v1/me")
    monkeypatch.setattr(verified_commits, "MAX_TRIES", 0)
    with cut(AFTER):
        answer = client.post("/api/v1/events", EVENT, format="json")
    assert (answer.status_code, Memory.objects.count()) == (503, 1)
    assert "again with the same Idempotency-Key" in answer.json()["detail"]


def test_a_crash_that_lost_the_commit_may_have_given_its_id_to_another_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = caller()
    client.get("/api/v1/me")
    monkeypatch.setattr(verified_commits, "CLOCK_SECONDS", 1e9)  # so that the start of this server counts as a crash
    # which it is none: the commit may be under way still
    monkeypatch.delitem(verified_commits.AFTER_A_CRASH, "in progress")
    with cut(AFTER):
        answer = client.post("/api/v1/events", EVENT, format="json")
    assert (answer.status_code, Memory.objects.count()) == (503, 1)
    with cut(BEFORE):
        answer = client.post("/api/v1/events", {**EVENT, "ref": "build-8"}, format="json")
    assert (answer.status_code, Memory.objects.count()) == (201, 2)


def test_what_has_an_id_that_is_yet_to_come_was_lost_in_a_crash() -> None:
    with cut(AFTER), pytest.raises(OperationalError, match="rolled back"), transaction.atomic():
        make_agent()
        connections["default"].learn_transaction_id(str(2**40 + 3))  # type: ignore[attr-defined]
