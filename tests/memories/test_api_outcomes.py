"""How an episode ended, as agents report it."""

from datetime import UTC, datetime

import pytest

from memories.models import AuditEntry, Episode
from tests.make import caller
from tests.memories.test_api_reports import report

pytestmark = pytest.mark.django_db


def test_an_outcome_closes_its_episode_and_a_later_one_replaces_it() -> None:
    client = caller()
    episode = report(client, "events")["id"]
    set_first = report(client, "outcomes", target_record_id=episode, latency_ms=12, note="quick")
    source = set_first["provenance"]["sources"][-1]
    assert (source["kind"], source["ref"], source["note"]) == ("outcome", f"outcome:{episode}:success", "quick")
    replaced = report(client, "outcomes", target_record_id=episode, outcome_status="failure")
    assert (set_first["http"], replaced["http"]) == (200, 200)
    assert Episode.objects.get(pk=episode).outcome == "failure"
    trail = AuditEntry.objects.about("memory", Episode.objects.get(pk=episode).pk)
    assert [entry.action for entry in trail] == ["create", "outcome", "outcome"]


def test_an_outcome_tells_when_it_was_said_but_nothing_of_the_future() -> None:
    client = caller()
    episode = report(client, "events")["id"]
    told = report(client, "outcomes", target_record_id=episode, timestamp="2026-01-02T03:04:05Z")
    assert told["provenance"]["sources"][-1]["timestamp"] == "2026-01-02T03:04:05Z"
    report(client, "outcomes", target_record_id=episode, outcome_status="failure", timestamp="2999-01-02T03:04:05Z")
    row = Episode.objects.get()
    assert row.outcome_at and row.closed_at and row.closed_at < row.outcome_at < datetime.now(UTC)


def test_a_more_secret_outcome_raises_its_episode_also_where_it_says_the_same_again() -> None:
    client = caller(clearance=3)
    episode = report(client, "events")["id"]
    levels = [
        report(client, "outcomes", target_record_id=episode, sensitivity=level)["sensitivity"]
        for level in ("public", "medium", "high")
    ]
    assert levels == ["low", "medium", "high"]
    assert AuditEntry.objects.filter(subject_id=episode, action="revise").count() == 2
    above = report(client, "outcomes", target_record_id=episode, sensitivity="hyper", outcome_status="failure")
    assert (above["memory"], Episode.objects.get().outcome) == (None, "failure")


def test_nobody_raises_an_episode_of_another_agent_by_its_outcome() -> None:
    client = caller()
    episode = report(client, "events")["id"]
    report(client, "outcomes", target_record_id=episode)
    assert report(caller(), "outcomes", target_record_id=episode, sensitivity="high")["http"] == 403
    assert Episode.objects.get().memory.sensitivity == 1


def test_only_who_opened_an_episode_may_say_how_it_ended() -> None:
    episode = report(caller(), "events")["id"]
    assert report(caller(), "outcomes", target_record_id=episode)["http"] == 403
    assert report(caller(permissions=["report", "review"]), "outcomes", target_record_id=episode)["http"] == 200


def test_an_outcome_belongs_to_an_episode_that_is_there() -> None:
    client = caller()
    observed = report(client, "observations")["id"]
    refused = report(client, "outcomes", target_record_id=observed)
    assert (refused["http"], refused["detail"]) == (400, f"target record {observed} is not episodic")
    assert report(client, "outcomes")["http"] == 404
