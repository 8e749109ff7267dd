"""The queue of conversations that the model reads: its price in money, its length, rate and end; paused and thinned."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from consolidation import execution
from consolidation.extraction import queue
from consolidation.extraction.queue import Choice
from consolidation.llm.tokens import estimate
from consolidation.models import LLMCall, Run
from consolidation.models.llm_calls import PENDING
from consolidation.prompts import prompt
from memories.models import AuditEntry, Episode
from tests.consolidation.test_api_runs import get
from tests.make import AT, caller, make_run, post
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def model(settings: Any) -> None:
    settings.EXTRACT_MIN_MESSAGES = 1
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "m"
    settings.LLM_PRICES = 2.0, 10.0


def unread(*outcomes: str) -> list[Episode]:
    """Conversations that were closed one after the other."""
    rows = [make_run(outcome=outcome) for outcome in outcomes]
    for number, row in enumerate(rows):
        Episode.objects.filter(pk=row.pk).update(digested_at=AT, closed_at=AT + timedelta(minutes=number))
    return [Episode.objects.get(pk=row.pk) for row in rows]


def read(episode: Episode, *, ago: timedelta, tokens_in: int = 1_000, tokens_out: int = 100) -> Run:
    now = timezone.now()
    times = {"started_at": now - ago - timedelta(minutes=1), "finished_at": now - ago}
    run = Run.objects.create(
        kind="extract", episode=episode, subject=episode.pk, trigger="page", status="succeeded", **times
    )
    use = {"purpose": "facts", "model": "m", "ok": True, "at": now - ago}
    LLMCall.objects.create(run=run, tokens_in=tokens_in, tokens_out=tokens_out, **use)
    return run


def test_a_backlog_is_priced_in_money_whole_and_as_it_would_be_thinned(judge: APIClient, settings: Any) -> None:
    unread("success", "failure", "success")
    whole = get(judge, "runs/backlog")
    assert (whole["episodes"], whole["successes"], whole["measured"]) == (3, 2, False)
    assert whole["cost"] == pytest.approx((2 * whole["tokens"] + 10 * whole["tokens_out"]) / 1_000_000)
    chosen = get(judge, "runs/backlog?outcome=success&limit=1")
    assert chosen["episodes"] == 1 and 0 < chosen["cost"] < whole["cost"]
    settings.LLM_PRICES = None
    assert get(judge, "runs/backlog")["cost"] is None


def test_the_estimate_counts_every_question_and_that_of_the_end_where_it_is_unknown() -> None:
    [one] = unread("success")
    known = queue.backlog()
    asked = ("facts", "and_tasks", "task_chunking", "and_together", "skill_extraction", "need")
    said = (known.tokens - sum(estimate(prompt(name, "en")) for name in asked)) / 2
    assert 0 < said < 200
    assert known.tokens_out == 3 * queue.ANSWER_TOKENS
    Episode.objects.filter(pk=one.pk).update(outcome=None)
    more = queue.backlog().tokens - known.tokens
    assert more == pytest.approx(sum(estimate(prompt(name, "en")) for name in ("and_outcome", "outcome")), abs=1)


def test_what_was_read_lately_is_the_price_of_the_others(judge: APIClient) -> None:
    *former, _left = unread(*["success"] * 6)
    for episode in former:
        read(episode, ago=timedelta(minutes=2), tokens_in=5_000, tokens_out=700)
    found = get(judge, "runs/backlog")
    assert (found["episodes"], found["measured"], found["tokens"], found["tokens_out"]) == (1, True, 5_000, 700)
    assert found["cost"] == pytest.approx(0.017)


def test_only_what_was_chosen_is_queued(judge: APIClient) -> None:
    first, second, _failed = unread("success", "success", "failure")
    assert post(judge, "runs/backlog", 202, outcome=["success"], limit=1) == {"queued": 1}
    assert Run.objects.get().episode_id == second.pk and first.pk != second.pk


def test_a_queue_says_how_long_it_is_how_fast_and_when_it_ends(judge: APIClient) -> None:
    rows = unread(*["success"] * 9)
    for episode in rows[:5]:
        read(episode, ago=timedelta(minutes=5))
    queue.queue_backlog(Choice(limit=4), trigger=Run.Trigger.PAGE)
    Run.objects.queued().update(created_at=timezone.now() - timedelta(minutes=30))
    waiting = get(judge, "runs/backlog")["queue"]
    assert (waiting["queued"], waiting["running"], waiting["paused"]) == (4, 0, 0)
    assert waiting["per_hour"] == pytest.approx(10, rel=0.01)
    found = queue.reading_queue(at=timezone.now())
    assert found.ends_at is not None
    assert timedelta(minutes=23) < found.ends_at - timezone.now() < timedelta(minutes=25)
    assert waiting["cost"] == pytest.approx(4 * (2 * 1_000 + 10 * 100) / 1_000_000)
    page = " ".join(signed_in().get("/runs/").content.decode().split())
    assert "4 conversations wait, 0 under way." in page and "10.0 are read per hour" in page
    assert "That costs about 0.0120." in page


def test_a_queue_rests_until_it_is_resumed_and_what_comes_in_meanwhile_is_read(judge: APIClient) -> None:
    unread("success", "success")
    queue.queue_backlog(Choice(), trigger=Run.Trigger.PAGE)
    assert post(judge, "runs/queue", 202, verb="pause") == {"changed": 2}
    assert Run.objects.resume_due(at=timezone.now() + timedelta(days=30)) == 0
    [new] = unread("failure")
    assert queue.queue_digested([new.pk]) == 1 and [run.episode_id for run in Run.objects.queued()] == [new.pk]
    assert get(judge, "runs/backlog")["queue"]["paused"] == 2
    assert post(judge, "runs/queue", 202, verb="resume") == {"changed": 2}
    assert Run.objects.queued().count() == 3
    assert AuditEntry.objects.filter(action="pause", subject_kind="run").count() == 2


def test_what_waits_for_the_model_to_come_back_is_not_resumed_by_a_person_s_word_for_others(judge: APIClient) -> None:
    unread("success")
    queue.queue_backlog(Choice(), trigger=Run.Trigger.PAGE)
    until = timezone.now() + timedelta(hours=1)
    Run.objects.update(status="paused", paused_until=until)
    assert post(judge, "runs/queue", 202, verb="resume") == {"changed": 0}
    assert Run.objects.get().paused_until == until


def test_what_waits_for_the_model_to_come_back_rests_when_a_person_pauses_the_queue(judge: APIClient) -> None:
    unread("success", "success")
    queue.queue_backlog(Choice(), trigger=Run.Trigger.PAGE)
    Run.objects.update(status="paused", paused_until=timezone.now() + timedelta(minutes=5), error="it is down")
    assert post(judge, "runs/queue", 202, verb="pause") == {"changed": 2}
    assert Run.objects.resume_due(at=timezone.now() + timedelta(days=1)) == 0
    assert post(judge, "runs/queue", 202, verb="pause") == {"changed": 0}
    assert post(judge, "runs/queue", 202, verb="resume") == {"changed": 2}


def test_what_is_taken_out_of_the_queue_is_unread_as_before_and_what_was_begun_stays(judge: APIClient) -> None:
    failed, begun, old, new = unread("failure", "failure", "success", "success")
    queue.queue_backlog(Choice(), trigger=Run.Trigger.PAGE)
    Run.objects.filter(episode=begun).update(attempts=1)
    assert post(judge, "runs/queue", 202, verb="thin", outcome=["success"], limit=1) == {"changed": 2}
    assert set(Run.objects.values_list("episode", flat=True)) == {begun.pk, new.pk}
    assert set(queue._unread().values_list("pk", flat=True)) == {failed.pk, old.pk}
    assert "nothing would be removed" in post(judge, "runs/queue", 409, verb="thin")["detail"]


def test_only_who_may_review_every_scope_decides_about_the_queue() -> None:
    post(caller(permissions=["read"]), "runs/queue", 403, verb="pause")
    post(caller(permissions=["read", "review"], scopes=["project:a"]), "runs/queue", 403, verb="pause")
    person = signed_in()
    assert person.post("/runs/queue/", {"verb": "burn"}).status_code == 400
    assert person.post("/runs/backlog/", {"newest": "7"}).status_code == 400


def test_a_person_pauses_and_thins_the_queue_on_the_page_of_runs() -> None:
    unread("success", "failure")
    client = signed_in()
    client.post("/runs/backlog/", {"newest": "100"})
    client.post("/runs/queue/", {"verb": "pause"})
    assert set(Run.objects.values_list("status", flat=True)) == {"paused"}
    page = client.post("/runs/queue/", {"verb": "thin", "outcome": "success"}, follow=True).content.decode()
    assert "1 conversation was removed from the queue." in page and Run.objects.count() == 1


def test_a_run_and_the_ledger_say_what_the_model_cost(settings: Any) -> None:
    [episode] = unread("success")
    run = read(episode, ago=timedelta(minutes=1), tokens_in=400_000, tokens_out=50_000)
    reader, person = caller(permissions=["read"]), signed_in()
    assert get(reader, f"runs/{run.pk}")["model"]["cost"] == pytest.approx(1.3)
    pages = [person.get(path).content.decode() for path in (f"/runs/{run.pk}/", "/runs/")]
    assert all("cost: 1.30" in page for page in pages)
    settings.LLM_PRICES = None
    assert get(reader, f"runs/{run.pk}")["model"]["cost"] is None
    assert "cost:" not in person.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.parametrize(
    ("calls", "failed", "english", "chinese"),
    [
        (1, 0, "1 call, 0 failed; 0 tokens in", "1 次调用，其中 0 次失败；"),
        (1, 1, "1 call, 1 failed; 0 tokens in", "1 次调用，其中 1 次失败；"),
        (2, 1, "2 calls, 1 of them failed; 0 tokens in", "2 次调用，其中 1 次失败；"),
        (1_001, 0, "1,001 calls, 0 of them failed; 0 tokens in", "1,001 次调用，其中 0 次失败；"),
    ],
    ids=["one", "one that failed", "two", "many"],
)
def test_a_run_tells_one_call_of_the_model_from_several(calls: int, failed: int, english: str, chinese: str) -> None:
    run = Run.objects.create(kind="extract", trigger=Run.Trigger.COMMAND, status="succeeded", started_at=AT)
    facts = {"purpose": "facts", "model": "m", "run": run, "at": AT}
    LLMCall.objects.bulk_create(
        LLMCall(ok=n >= failed, error="no answer" * (n < failed), **facts) for n in range(calls)
    )
    person = signed_in()
    for language, told in (("en", english), ("zh-hans", chinese)):
        page = person.get(f"/runs/{run.pk}/", headers={"Accept-Language": language}).content.decode()
        assert f"<dd> {told}" in " ".join(page.split())


def test_a_call_under_way_is_no_failed_one_until_its_run_has_ended() -> None:
    [episode] = unread("success")
    run, person = read(episode, ago=timedelta(minutes=1)), signed_in()
    use = {"purpose": "chunks", "model": "m", "at": timezone.now(), "error": PENDING}
    LLMCall.objects.create(run=run, ok=False, tokens_in=10, **use)
    for status, failed in (("running", 0), ("failed", 1)):
        Run.objects.update(status=status)
        assert get(caller(permissions=["read"], name=status), f"runs/{run.pk}")["model"]["failed_calls"] == failed
        page = person.get(f"/runs/{run.pk}/").content.decode()
        assert ("under way</td>" in page) == (failed == 0) and ("no answer was recorded" in page.lower()) == (
            failed == 1
        )


def test_a_call_that_ended_with_its_worker_is_not_under_way_once_another_goes_on_with_the_run() -> None:
    [episode] = unread("success")
    run = read(episode, ago=timedelta(minutes=1))
    LLMCall.objects.create(
        run=run, ok=False, purpose="facts", model="m", at=timezone.now(), error=PENDING, tokens_in=10
    )
    Run.objects.update(status="running")
    execution.recover(run.kind)
    Run.objects.update(status="running")
    assert get(caller(permissions=["read"]), f"runs/{run.pk}")["model"]["failed_calls"] == 1
    page = signed_in().get(f"/runs/{run.pk}/").content.decode()
    assert "under way</td>" not in page and "its worker ended before an answer" in page.lower()
