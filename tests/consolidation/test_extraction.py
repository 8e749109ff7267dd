"""Reading of conversations by a language model: which are read, and each once."""

from typing import Any

import pytest
from django.core.management import call_command
from django_q.models import OrmQ

from consolidation import extraction_run
from consolidation.consolidation_run import consolidate
from consolidation.extraction import queue
from consolidation.extraction.queue import Choice
from consolidation.models import Run
from memories.intake.episodes import set_outcome
from memories.models import Memory
from memories.values.choices import Outcome, Sensitivity
from memories.values.trust import everything
from tests import make
from tests.consolidation.extracted import NONE, TALK, process, queued, state, steps_of, talk
from tests.make import AT, user
from tests.model_endpoint import ModelEndpoint

pytestmark = pytest.mark.django_db


def test_a_digested_conversation_is_queued_once_and_read_once(endpoint: ModelEndpoint) -> None:
    episode = talk()
    consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
    run = Run.objects.get(kind="extract")
    assert (run.episode, run.status, run.sensitivity) == (episode, "queued", Sensitivity.LOW)
    endpoint.answers("facts", NONE)
    process()
    assert state(run) == ("succeeded", "") and steps_of(run) == [("facts", "succeeded", 1)]
    set_outcome(episode, Outcome.SUCCESS, trust=everything(), source="P01", at=AT)  # it is digested again
    consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
    process()
    assert Run.objects.filter(kind="extract").count() == 1 and len(endpoint.asked) == 1


def test_what_may_not_be_read_is_not_queued(endpoint: ModelEndpoint) -> None:
    talk(extract=False)
    talk(sensitivity="high")
    talk(messages=TALK[:2])
    consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
    assert not Run.objects.filter(kind="extract").exists()


def test_without_a_model_nothing_is_queued_and_a_request_says_so() -> None:
    episode = talk()
    consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
    assert not Run.objects.filter(kind="extract").exists()
    assert state(queued(episode)) == ("skipped", "no language model configured")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"extract": False}, "it was reported with extract false"),
        ({"sensitivity": "high"}, "above the sensitivity that may leave the installation"),
        ({"messages": [user("Hello"), user("there"), user("my"), user("friend")]}, "too small to teach"),
    ],
)
def test_a_request_for_what_is_not_read_ends_with_its_reason_and_costs_nothing(
    endpoint: ModelEndpoint, fields: Any, why: str
) -> None:
    run = queued(talk(**fields))
    process()
    status, error = state(run)
    assert status == "skipped" and error.startswith(why) and endpoint.asked == []


def test_a_conversation_that_became_more_secret_while_it_waited_is_not_sent(endpoint: ModelEndpoint) -> None:
    run = queued(talk())
    Memory.objects.filter(episode__runs=run).update(sensitivity=Sensitivity.HIGH)
    process()
    assert state(run) == ("skipped", "above the sensitivity that may leave the installation") and endpoint.asked == []


def test_the_backlog_is_counted_with_its_price_and_queued_when_somebody_asks(endpoint: ModelEndpoint) -> None:
    with endpoint.configured(LLM_BASE_URL=""):
        for number in range(3):
            talk(id=f"talk-{number}")
        talk(messages=TALK[:2])
        consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
    waiting = queue.backlog()
    assert waiting.episodes == 3 and 3 * 7_000 < waiting.tokens < 3 * 10_000
    assert queue.queue_backlog(Choice(limit=2), trigger=Run.Trigger.PAGE) == 2
    assert queue.backlog().episodes == 1 and Run.objects.filter(kind="extract", trigger="page").count() == 2


def test_what_was_asked_for_without_a_model_is_still_in_the_backlog(endpoint: ModelEndpoint) -> None:
    with endpoint.configured(LLM_MODEL=""):
        episode = talk()
        consolidate(trigger=Run.Trigger.SCHEDULE, wait=False, at=AT)
        queued(episode)
    assert queue.backlog().episodes == 1


@pytest.mark.django_db(transaction=True)
def test_threads_read_each_conversation_once(endpoint: ModelEndpoint) -> None:
    for number in range(6):
        queued(talk(id=f"talk-{number}"))
    endpoint.answers("facts", *[NONE] * 6)
    assert extraction_run.process_queue(threads=3, steps=extraction_run.STEPS[:1]) == 6
    assert set(Run.objects.values_list("status", "attempts")) == {("succeeded", 1)}
    assert len(endpoint.asked) == 6 and endpoint.unused == 0


def test_the_command_reads_what_is_queued(endpoint: ModelEndpoint, capsys: pytest.CaptureFixture[str]) -> None:
    queued(talk())
    endpoint.answers("facts", NONE)
    call_command("consolidate", kind="extract")
    assert "1 conversations" in capsys.readouterr().out


def test_a_reported_conversation_is_answered_with_its_run(endpoint: ModelEndpoint) -> None:
    client = make.caller()
    body = {"id": "talk-1", "messages": TALK}
    first = client.post("/api/v1/conversations", body, format="json")
    assert first.status_code == 202
    assert (first.data["run"]["kind"], first.data["run"]["status"]) == ("extract", "queued")
    assert first.data["run"]["subject"] == first.data["episode"]["id"]
    again = client.post("/api/v1/conversations", body, format="json")
    assert (again.status_code, again.data["run"]) == (200, None)
    unread = client.post("/api/v1/conversations", {**body, "id": "talk-2", "extract": False}, format="json")
    assert (unread.status_code, unread.data["run"]) == (201, None)
    assert Run.objects.count() == 1
    told = client.post("/api/v1/tools/add_conversation", {**body, "id": "talk-3"}, format="json")
    assert told.json()["run"] == str(Run.objects.exclude(pk=first.data["run"]["id"]).get().pk)


def test_a_conversation_that_is_posted_wakes_the_worker(
    endpoint: ModelEndpoint, django_capture_on_commit_callbacks: Any
) -> None:
    agent = make.caller()
    with django_capture_on_commit_callbacks(execute=True):
        answered = agent.post("/api/v1/conversations", make.run(messages=TALK), format="json")
    assert answered.status_code == 202
    jobs = [job.task["func"] for job in OrmQ.objects.all()]
    assert jobs == ["consolidation.tasks.extract"]
