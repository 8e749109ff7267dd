"""Runs of background work are shown for so many days; what they cost is kept, and what would be done again for it."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation import retention, schedules, tasks
from consolidation.extraction import queue
from consolidation.models import ImportFile, LLMCall, Run, RunStep, WebhookDelivery
from memories.lifecycle import batches
from tests.consolidation.webhook_server import hook
from tests.everywhere import tables_with
from tests.make import AT, make_memory, make_person, make_run

pytestmark = pytest.mark.django_db
DAYS = 90
LATER = AT + timedelta(days=DAYS, seconds=1)


def make(status: str = "succeeded", **facts: Any) -> Run:
    facts = {"kind": "consolidate", "trigger": Run.Trigger.SCHEDULE, "finished_at": AT} | facts
    run = Run.objects.create(status=status, **facts)
    run.steps.create(position=0, name="project:shop", status="succeeded", finished_at=run.finished_at)
    return run


@pytest.mark.parametrize("status", ["succeeded", "skipped", "failed"])
def test_a_run_of_the_schedule_that_ended_ninety_days_ago_is_removed_with_its_steps(status: str) -> None:
    make(status)
    assert retention.prune_runs(at=AT + timedelta(days=DAYS)) == {}
    assert retention.prune_runs(at=LATER) == {"runs": 1}
    assert not (Run.objects.exists() or RunStep.objects.exists())


def test_what_a_run_cost_stays_in_the_ledger() -> None:
    call = LLMCall.objects.create(purpose="contrast", model="m", ok=True, run=make(kind="contrast"), at=AT)
    retention.prune_runs(at=LATER)
    call.refresh_from_db()
    assert (call.run, call.purpose) == (None, "contrast")


@pytest.mark.parametrize("status", ["queued", "running", "paused"])
def test_an_unfinished_run_stays(status: str) -> None:
    make(status, finished_at=None, created_at=AT)
    assert retention.prune_runs(at=LATER) == {}


def test_a_failed_run_that_a_person_may_retry_stays_with_its_steps() -> None:
    make("failed", kind="contrast", subject=make_memory("x").pk, trigger=Run.Trigger.PAGE)
    make("failed", trigger=Run.Trigger.API)
    assert retention.prune_runs(at=LATER) == {}
    assert RunStep.objects.count() == 2


def test_a_conversation_that_was_read_is_not_read_again_once_its_run_is_old(settings: Any) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://localhost:1", "m"
    episode = make_run(outcome="success")
    settings.EXTRACT_MIN_MESSAGES = 0
    assert queue.readable().filter(pk=episode.pk).exists()
    make(kind=queue.KIND, episode_id=episode.pk, subject=episode.pk)
    assert retention.prune_runs(at=LATER) == {"steps": 1}
    assert not queue.readable().filter(pk=episode.pk).exists()


def test_an_import_goes_with_its_file() -> None:
    person = User.objects.create(username="mia")
    ImportFile.objects.create(
        person=person, name="m.json", format="memos", content=b"", size=0, run=make(kind="import")
    )
    assert retention.prune_runs(at=LATER) == {"steps": 1}
    assert ImportFile.objects.get().run is not None


def test_thousands_go_in_batches_and_the_job_stops_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    for _ in range(5):
        make()
    with CaptureQueriesContext(connection) as queries:
        assert retention.prune_runs(at=LATER) == {"runs": 5}
    assert sum('FROM "consolidation_run" WHERE' in q["sql"] and "LIMIT 2" in q["sql"] for q in queries) == 4
    make()
    assert retention.prune_runs(at=LATER, until=0.0) == {}


def test_the_schedule_does_it_every_day() -> None:
    assert schedules.JOBS["consolidation.tasks.prune_runs"].minutes == 1440
    make(finished_at=AT - timedelta(days=9_000))
    assert tasks.prune_runs() == "1 runs removed"


def test_messages_to_webhooks_go_when_they_were_kept_long_enough_and_none_that_waits() -> None:
    row = hook()
    facts: Any = {"webhook": row, "event": "run_failed", "body": "{}", "sensitivity": 1, "next_at": AT}
    for day, status in ((0, "delivered"), (0, "failed"), (0, "waiting"), (1, "delivered")):
        created = AT + timedelta(days=day)
        WebhookDelivery.objects.create(subject=uuid4(), status=status, created_at=created, **facts)
    assert retention.prune_runs(at=AT + timedelta(days=DAYS, hours=1)) == {"messages": 2}
    assert sorted(WebhookDelivery.objects.values_list("status", flat=True)) == ["delivered", "waiting"]


def test_the_words_of_an_upload_go_a_day_after_its_import_and_the_whole_of_it_where_nobody_imported_it() -> None:
    rows = {"counts": [["imported", 1]], "first": [{"shown": "Acme likes the quokka"}]}
    facts: dict[str, Any] = {"person": make_person(), "name": "f", "format": "memos", "size": 1, "summary": rows}
    run = make("succeeded", kind="import", trigger=Run.Trigger.PAGE)
    done = ImportFile.objects.create(run=run, content=b"", preview=rows, **facts)
    ImportFile.objects.create(content=b"quokka", created_at=AT, **facts)
    assert retention.prune_runs(at=AT + timedelta(hours=23)) == {}
    assert retention.prune_runs(at=AT + timedelta(hours=25)) == {"files": 1}
    assert tables_with("quokka") == set()
    done.refresh_from_db()
    assert (done.preview, done.summary) == ({}, {"counts": [["imported", 1]]})
