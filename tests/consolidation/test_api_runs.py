"""Runs through the API: ordered, watched, paused, tried again, and the worker that does them."""

from typing import Any

import pytest
from django_q.models import OrmQ
from pytest import MonkeyPatch
from rest_framework.test import APIClient

from consolidation import run_queue
from consolidation.execution import Reporter
from consolidation.models import LLMCall, Run, RunStep
from consolidation.models.runs import MOST_DEATHS
from consolidation.pipelines import sightings
from memories.models import AuditEntry, Episode, Lease
from memories.values.choices import Sensitivity
from tests.consolidation.experience import run as recorded
from tests.make import AT, caller, make_memory, make_run, post
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
TOOLS = ["get_order", "refund_payment"]


def get(client: APIClient, path: str, status: int = 200) -> Any:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


def work() -> int:
    return run_queue.work()


def make(**facts: Any) -> Run:
    return Run.objects.create(**{"kind": "consolidate", "trigger": Run.Trigger.API} | facts)


def test_a_run_is_ordered_done_by_the_worker_and_watched(
    judge: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    for minute in range(2):
        recorded(TOOLS, minutes=minute, scope="project:shop")
    with django_capture_on_commit_callbacks(execute=True):
        ordered = post(judge, "runs", 202, kind="consolidate")
    assert (ordered["status"], ordered["trigger"], ordered["steps"]) == ("queued", "api", [])
    assert OrmQ.objects.count() == 1  # the nudge
    assert work() == 1
    done = get(judge, f"runs/{ordered['id']}")
    assert (done["status"], done["done"], done["total"]) == ("succeeded", 2, 2)
    assert (done["counters"]["episodes_read"], done["counters"]["competences_created"]) == (2, 1)
    assert [(step["name"], step["status"]) for step in done["steps"]] == [("project:shop", "succeeded")]
    assert AuditEntry.objects.get(subject_id=ordered["id"]).action == "start"


@pytest.mark.parametrize("kind", ["consolidate", "patterns", "duplicates", "reembed"])
def test_every_kind_over_everything_can_be_ordered(judge: APIClient, kind: str) -> None:
    ordered = post(judge, "runs", 202, kind=kind)
    work()
    assert get(judge, f"runs/{ordered['id']}")["status"] == "succeeded"


def test_however_many_order_it_one_run_waits(judge: APIClient) -> None:
    assert post(judge, "runs", 202, kind="consolidate")["id"] == post(judge, "runs", 202, kind="consolidate")["id"]


def test_of_one_kind_one_runs_at_a_time(judge: APIClient) -> None:
    running = make(status=Run.Status.RUNNING, attempts=1)
    Lease.objects.acquire(f"run:{running.pk}", owner="another host", seconds=60)
    post(judge, "runs", 202, kind="consolidate")
    assert work() == 0
    Lease.objects.all().delete()  # its worker died, and it was ordered: it comes again
    assert work() == 2


def test_a_run_whose_worker_dies_each_time_fails_in_the_end(judge: APIClient) -> None:
    run = make(status=Run.Status.RUNNING, attempts=9, deaths=MOST_DEATHS - 1)
    assert work() == 0
    assert get(judge, f"runs/{run.pk}")["error"] == "its worker died three times"


def test_the_list_is_filtered_and_paged(judge: APIClient) -> None:
    runs = [make(kind="patterns", status="failed"), make(), make(status="failed")]
    assert [row["id"] for row in get(judge, "runs?kind=consolidate")["results"]] == [str(run.pk) for run in runs[:0:-1]]
    assert [row["id"] for row in get(judge, "runs?status=failed&kind=patterns")["results"]] == [str(runs[0].pk)]
    assert len(get(judge, "runs?kind=consolidate,patterns")["results"]) == 3
    assert [error["pointer"] for error in get(judge, "runs?kind=nonsense", 400)["errors"]] == ["/kind"]
    page = get(judge, "runs?limit=2")
    assert [row["id"] for row in judge.get(page["next"]).json()["results"]] == [str(runs[0].pk)]
    assert "steps" not in page["results"][0]


def test_what_the_model_was_asked_is_summed_failures_included(judge: APIClient) -> None:
    run = make(kind="extract")
    facts = {"purpose": "facts", "model": "m", "run": run, "at": AT}
    LLMCall.objects.create(ok=True, tokens_in=100, tokens_out=20, tokens_reasoning=5, **facts)
    LLMCall.objects.create(ok=False, error="truncated", tokens_in=10, **facts)
    expected = {"calls": 2, "failed_calls": 1, "tokens_in": 110, "tokens_out": 20, "tokens_reasoning": 5}
    assert get(judge, f"runs/{run.pk}")["model"] == {**expected, "cost": None}
    assert get(judge, "runs")["results"][0]["model"] == {**expected, "cost": None}


def test_a_running_run_stops_after_its_batch_when_it_is_paused_and_goes_on_when_resumed(
    judge: APIClient, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setattr(sightings, "BATCH", 1)
    monkeypatch.setattr(Reporter, "SECONDS", 0.0)
    for minute in range(3):
        recorded(TOOLS, minutes=minute)
    ordered = post(judge, "runs", 202, kind="consolidate")
    real = sightings._digest

    def paused_meanwhile(*args: Any, **more: Any) -> Any:
        monkeypatch.setattr(sightings, "_digest", real)
        post(judge, f"runs/{ordered['id']}/pause", 202, why="the import first")
        return real(*args, **more)

    monkeypatch.setattr(sightings, "_digest", paused_meanwhile)
    work()
    shown = get(judge, f"runs/{ordered['id']}")
    assert (shown["status"], Episode.objects.undigested().count()) == ("paused", 2)
    assert shown["steps"][0]["status"] == "pending"
    assert work() == 0
    post(judge, f"runs/{ordered['id']}/resume", 202)
    work()
    done = get(judge, f"runs/{ordered['id']}")
    assert (done["status"], done["done"], done["total"], done["attempts"]) == ("succeeded", 3, 3, 2)


def test_while_a_kind_is_paused_its_schedule_rests_and_ordering_it_says_why(judge: APIClient) -> None:
    from consolidation import tasks

    recorded(TOOLS)
    run = make()
    post(judge, f"runs/{run.pk}/pause", 202)
    assert tasks.consolidate() == "nothing new"
    assert post(judge, "runs", 409, kind="consolidate")["detail"] == "a consolidate run is paused: resume it"
    post(judge, f"runs/{run.pk}/resume", 202)
    assert tasks.consolidate().startswith("succeeded")


def test_a_failed_run_is_tried_again_from_the_step_that_failed(judge: APIClient) -> None:
    run = make(status="failed", error="no space", attempts=4, deaths=3, finished_at=AT)
    RunStep.objects.create(run=run, position=0, name="s0", status="succeeded", answer={"facts": []}, attempts=3)
    RunStep.objects.create(run=run, position=1, name="s1", status="failed", attempts=3)
    answer = post(judge, f"runs/{run.pk}/retry", 202, why="there is room again")
    assert (answer["status"], answer["error"], answer["attempts"]) == ("queued", "", 4)
    assert [(step["status"], step["attempts"]) for step in answer["steps"]] == [("succeeded", 3), ("pending", 0)]
    assert run.steps.get(name="s0").answer == {"facts": []}
    entry = AuditEntry.objects.get(subject_id=run.pk, action="retry")
    assert (entry.actor, entry.rationale, entry.before, entry.after) == (
        "judge",
        "there is room again",
        {"status": "failed", "error": "no space"},
        {"status": "queued"},
    )


@pytest.mark.parametrize(
    ("verb", "status"),
    [("retry", "succeeded"), ("retry", "running"), ("pause", "failed"), ("pause", "paused"), ("resume", "queued")],
)
def test_what_a_status_does_not_allow_is_a_conflict_with_the_reason(judge: APIClient, verb: str, status: str) -> None:
    run = make(status=status)
    assert post(judge, f"runs/{run.pk}/{verb}", 409)["detail"].startswith(f"this run is {status}: {verb} takes")
    assert not AuditEntry.objects.filter(subject_id=run.pk).exists()


def test_a_second_unfinished_run_about_an_episode_is_a_conflict(judge: APIClient) -> None:
    episode = make_run(outcome="success").pk
    failed = make(kind="extract", status="failed", episode_id=episode)
    make(kind="extract", episode_id=episode)
    assert "is not finished" in post(judge, f"runs/{failed.pk}/retry", 409)["detail"]


def test_what_was_set_aside_is_listed_with_its_reason_and_tried_again(judge: APIClient) -> None:
    seen = make_run(title="A poisoned run", outcome="success")
    hidden = make_run(title="A hidden run", outcome="success", sensitivity="hyper")
    for row in (seen, hidden):
        Episode.objects.filter(pk=row.pk).update(digest_attempts=3, digest_error="ValueError: no sense in it")
    [item] = get(judge, "runs/set-aside")["results"]
    assert (item["kind"], item["id"], item["reason"]) == ("episode", str(seen.pk), "ValueError: no sense in it")
    post(judge, "runs", 202, kind="consolidate", retry_set_aside=True)
    work()
    assert get(judge, "runs/set-aside")["results"] == []
    assert [row.pk for row in Episode.objects.set_aside()] == [hidden.pk]


def test_a_run_about_something_above_the_clearance_is_not_shown(judge: APIClient) -> None:
    secret = make_run(outcome="success", sensitivity="hyper")
    skill = make_memory("secret", sensitivity=Sensitivity.HYPER)
    hidden = [make(kind="extract", episode_id=secret.pk), make(kind="contrast", subject=skill.pk), make(sensitivity=4)]
    assert get(judge, "runs")["results"] == []
    for run in hidden:
        get(judge, f"runs/{run.pk}", 404)
        post(judge, f"runs/{run.pk}/pause", 404)


def test_steps_of_other_scopes_are_not_shown(judge: APIClient) -> None:
    run = make()
    for position, scope in enumerate(("project:a", "project:b")):
        RunStep.objects.create(run=run, position=position, name=scope, scope=scope)
    scoped = caller(permissions=["read", "review"], scopes=["project:a"])
    assert [step["name"] for step in get(scoped, f"runs/{run.pk}")["steps"]] == ["project:a"]
    assert len(get(judge, f"runs/{run.pk}")["steps"]) == 2


def test_who_may_not_review_starts_and_decides_nothing() -> None:
    reader, run = caller(permissions=["read"]), make()
    post(reader, "runs", 403, kind="consolidate")
    for verb in ("pause", "resume", "retry"):
        post(reader, f"runs/{run.pk}/{verb}", 403)
    assert get(reader, f"runs/{run.pk}")["status"] == "queued"


def test_a_token_of_some_scopes_decides_nothing_about_work_over_all() -> None:
    scoped, run = caller(permissions=["read", "review"], scopes=["project:a"]), make()
    post(scoped, "runs", 403, kind="consolidate")
    post(scoped, f"runs/{run.pk}/pause", 403)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "dance"},
        {"kind": "extract"},
        {"kind": "consolidate", "episode_id": "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11"},
        {"kind": "contrast", "subject": "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11", "retry_set_aside": True},
    ],
)
def test_an_order_that_makes_no_sense_is_refused(judge: APIClient, body: dict[str, Any]) -> None:
    post(judge, "runs", 400, **body)


def test_one_conversation_is_read_on_request_and_a_backlog_has_its_price(judge: APIClient, settings: Any) -> None:
    settings.EXTRACT_MIN_MESSAGES = 1
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "m"
    first, second = (make_run(outcome="success").pk for _ in range(2))
    Episode.objects.update(digested_at=AT)
    ordered = post(judge, "runs", 202, kind="extract", episode_id=str(first))
    assert (ordered["kind"], ordered["episode_id"], ordered["status"]) == ("extract", str(first), "queued")
    waiting = get(judge, "runs/backlog")
    assert waiting["episodes"] == 1
    assert waiting["tokens"] > 0
    assert post(judge, "runs/backlog", 202, limit=5) == {"queued": 1}
    assert Run.objects.filter(kind="extract", episode=second).exists()
    post(caller(permissions=["read"]), "runs/backlog", 403)


def test_without_a_model_nothing_is_queued_for_it(judge: APIClient) -> None:
    assert post(judge, "runs/backlog", 409)["detail"] == "no language model configured"
    post(judge, "runs", 404, kind="extract", episode_id="0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11")


def test_a_token_of_some_scopes_decides_nothing_about_what_it_may_only_read() -> None:
    shared = make(kind="extract", subject=None, episode=make_run().episode)
    scoped = caller(permissions=["read", "review"], scopes=["project:a"])
    assert get(scoped, f"runs/{shared.pk}")["status"] == "queued"
    for verb in ("pause", "resume", "retry"):
        post(scoped, f"runs/{shared.pk}/{verb}", 403)
    own = make(kind="extract", episode=make_run(scope="project:a").episode, scope="project:a")
    assert post(scoped, f"runs/{own.pk}/pause", 202)["status"] == "paused"


@pytest.mark.parametrize("kind", ["import", "bulk"])
def test_what_is_about_one_file_or_order_is_not_started_without_it(kind: str) -> None:
    page = signed_in().post("/runs/start/", {"kind": kind}, follow=True).content.decode()
    assert f"there is no {kind} run" in page
    assert not Run.objects.exists()
