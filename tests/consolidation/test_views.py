import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from django_q.models import Schedule
from pytest_django import DjangoAssertNumQueries

from consolidation import prompts, schedules
from consolidation.models import LLMCall, Pattern, Run, RunStep
from consolidation.models.groups import RuleRetry
from consolidation.models.llm_calls import PURPOSES
from consolidation.web.runs import MOST_STEPS, MOST_UNFINISHED
from memories.embedding import built_in
from memories.models import Episode, PersonLimits
from memories.values.choices import Sensitivity
from memos_site.templatetags.runs import LISTS
from tests.make import AT, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def make_job(**facts: object) -> Run:
    return Run.objects.create(**{"kind": "consolidate", "trigger": Run.Trigger.COMMAND, "started_at": AT} | facts)


def flat(response: Any) -> str:
    """A page without line breaks."""
    return re.sub(r">\s+<", "> <", " ".join(response.content.decode().split()))


def test_the_list_shows_what_each_run_did_and_what_went_wrong() -> None:
    make_job(status=Run.Status.SUCCEEDED, counters={"episodes_read": 100, "skipped": 0})
    make_job(status=Run.Status.FAILED, error="the disk is full")
    page = signed_in().get("/runs/").content.decode()
    assert "episodes read: 100" in page
    assert "skipped: " not in page
    assert "the disk is full" in page


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    for _ in range(2):
        run = make_job(status=Run.Status.RUNNING)
        poisoned = make_run(outcome="success")
        Episode.objects.filter(pk=poisoned.pk).update(digest_attempts=3)
        LLMCall.objects.create(purpose="facts", model="m", ok=True, run=run, at=timezone.now())
        RunStep.objects.create(run=run, position=0, name="facts")
        with django_assert_num_queries(10):
            client.get("/runs/")
        with django_assert_num_queries(8):
            client.get(f"/runs/{run.pk}/")


def test_before_the_first_run_the_page_names_the_command() -> None:
    assert "manage.py consolidate" in signed_in().get("/runs/").content.decode()


def test_a_run_above_the_clearance_is_not_shown() -> None:
    make_job(sensitivity=Sensitivity.HIGH, error="a secret")
    assert "a secret" not in signed_in().get("/runs/").content.decode()


def test_what_was_set_aside_is_shown_with_its_reason() -> None:
    run = make_run(title="A poisoned run", outcome="success")
    Episode.objects.filter(pk=run.pk).update(digest_attempts=3, digest_error="ValueError: no sense in it")
    hidden = make_run(title="A hidden run", outcome="success", sensitivity="hyper")
    Episode.objects.filter(pk=hidden.pk).update(digest_attempts=3)
    seen = {"first_seen_at": AT, "last_seen_at": AT, "sensitivity": Sensitivity.LOW, "signature_sha256": b"x"}
    Pattern.objects.create(signature="go_build", error="OSError: No space left", **seen)
    failed = {"rule": "override", "attempts": 3, "error": "ValueError: an edit makes no sense"}
    RuleRetry.objects.create(episode_id=run.pk, event_id=run.pk, **failed)
    RuleRetry.objects.create(episode_id=hidden.pk, event_id=hidden.pk, **failed | {"error": "a hidden error"})
    page = signed_in().get("/runs/").content.decode()
    for word in ("A poisoned run", "no sense in it", "go_build", "No space left", "an edit makes no sense"):
        assert word in page
    assert "A hidden run" not in page
    assert "a hidden error" not in page


def test_a_reviewer_starts_pauses_resumes_and_retries_a_run() -> None:
    client = signed_in()
    assert client.post("/runs/start/", {"kind": "consolidate"}).headers["Location"] == "/runs/"
    run = Run.objects.get()
    assert (run.status, run.trigger) == ("queued", "page")
    client.post(f"/runs/{run.pk}/pause/")
    assert "Its schedule is paused too" in client.get("/runs/").content.decode()
    client.post("/runs/start/", {"kind": "consolidate"})
    assert "a consolidate run is paused: resume it" in client.get("/runs/").content.decode()
    assert client.post(f"/runs/{run.pk}/resume/", {"run": run.pk}).headers["Location"] == f"/runs/{run.pk}/"
    Run.objects.update(status="failed", error="the disk is full")
    assert "the disk is full" in client.get(f"/runs/{run.pk}/").content.decode()
    client.post(f"/runs/{run.pk}/retry/")
    run.refresh_from_db()
    assert (run.status, run.error) == ("queued", "")


def test_a_viewer_sees_runs_and_decides_nothing() -> None:
    viewer, run = signed_in("vera", group="viewer"), make_job(status=Run.Status.RUNNING)
    for path in ("/runs/", f"/runs/{run.pk}/"):
        page = viewer.get(path).content.decode()
        assert "Pause" not in page
        assert 'name="kind" value=' not in page
    for path in ("/runs/start/", f"/runs/{run.pk}/pause/"):
        assert viewer.post(path, {"kind": "consolidate"}).status_code == 403


def test_a_reviewer_of_some_scopes_is_offered_no_work_over_all_of_them() -> None:
    client = signed_in("lea")
    PersonLimits.objects.create(user_id=int(client.session["_auth_user_id"]), scopes=["shop"])
    Episode.objects.filter(pk=make_run(outcome="success", scope="shop").pk).update(digest_attempts=3)
    over_all, own = make_job(status=Run.Status.RUNNING), make_job(kind="lessons", scope="shop", status="running")
    page = client.get("/runs/").content.decode()
    assert "Set aside" in page
    assert 'name="kind" value=' not in page
    assert f"/runs/{over_all.pk}/pause/" not in page
    assert f"/runs/{own.pk}/pause/" in page, "it works in their scope alone"
    assert 'value="consolidate"' not in client.get("/welcome/").content.decode()


def test_a_run_that_may_not_be_seen_has_no_page_and_no_verb() -> None:
    client, hidden = signed_in(), make_job(sensitivity=Sensitivity.HYPER, status=Run.Status.RUNNING)
    assert client.get(f"/runs/{hidden.pk}/").status_code == 404
    assert client.post(f"/runs/{hidden.pk}/pause/").status_code == 404
    assert client.post(f"/runs/{make_job().pk}/dance/").status_code == 404


def test_the_page_looks_again_only_while_something_is_under_way() -> None:
    client, run = signed_in(), make_job(status=Run.Status.RUNNING, stage="episodes", done=50, total=1200)
    page = client.get("/runs/").content.decode()
    assert "hx-trigger" in page
    assert "50 of 1,200" in " ".join(page.split())
    run.finish(Run.Status.SUCCEEDED, counters={}, at=AT)
    assert "hx-trigger" not in client.get("/runs/").content.decode()


def test_what_was_set_aside_is_tried_again_from_the_page() -> None:
    poisoned = make_run(outcome="success")
    Episode.objects.filter(pk=poisoned.pk).update(digest_attempts=3)
    client = signed_in()
    client.post("/runs/start/", {"kind": "consolidate", "retry_set_aside": "1"})
    assert not Episode.objects.set_aside().exists()
    assert Run.objects.get().status == "queued"


def test_schedules_are_shown_with_their_last_and_next_time_and_staff_may_edit_them() -> None:
    schedules.ensure()
    due = timezone.now() + timedelta(minutes=3)
    Schedule.objects.filter(name="consolidation.tasks.consolidate").update(minutes=7, next_run=due, task="1")
    schedules.ensure()  # keeps what an operator changed
    page = signed_in().get("/runs/").content.decode()
    assert "7 min" in page
    assert "Lower the confidence of idle claims" in page, "a job says what it does"
    assert "4 min ago" in page
    assert "/admin/django_q/schedule/" not in page
    assert "/admin/django_q/schedule/" in signed_in("root", group="administrator").get("/runs/").content.decode()


def test_the_cost_of_the_model_is_shown_by_day_and_purpose_failures_included() -> None:
    hidden = make_job(sensitivity=Sensitivity.HYPER)
    facts = {"purpose": "facts", "model": "m-1", "at": timezone.now()}
    LLMCall.objects.create(ok=True, tokens_in=12000, tokens_out=500, run=make_job(), **facts)
    LLMCall.objects.create(ok=False, error="truncated", tokens_in=345, **facts)
    LLMCall.objects.create(ok=True, tokens_in=999_999, run=hidden, **facts)
    page = signed_in().get("/runs/").content.decode()
    assert "12,345" in page
    assert "999,999" not in page


def test_a_backlog_is_shown_with_its_price_before_it_is_queued(settings: Any) -> None:
    settings.EXTRACT_MIN_MESSAGES = 1
    episode = make_run(outcome="success")
    Episode.objects.filter(pk=episode.pk).update(digested_at=AT)
    client = signed_in()
    assert "Not read yet" not in client.get("/runs/").content.decode()
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "m"
    page = " ".join(client.get("/runs/").content.decode().split())
    assert "One conversation was closed before there was a language model" in page
    answer = client.post("/runs/backlog/", {"outcome": "success", "newest": "100"}, follow=True)
    assert "1 conversation is queued to be read." in answer.content.decode()
    assert "There are none to read." in client.post("/runs/backlog/", follow=True).content.decode()
    run = Run.objects.get(kind="extract")
    assert (run.episode_id, run.status, run.trigger) == (episode.pk, "queued", "page")
    assert "Not read yet" not in client.get("/runs/").content.decode()


def test_a_run_of_many_steps_shows_first_what_failed_and_leads_to_all_of_them() -> None:
    run, why = make_job(status=Run.Status.FAILED), "because " * 100
    done = [RunStep(run=run, position=n, name=f"scope-{n:03}", status="succeeded", reason=why) for n in range(150)]
    RunStep.objects.bulk_create([*done, RunStep(run=run, position=150, name="scope-150", status="failed", reason=why)])
    client = signed_in()
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert page.index("scope-150") < page.index("scope-000") and "scope-149" not in page
    assert why.strip() not in page and len(page) < 40_000
    whole = client.get(f"/runs/{run.pk}/?steps=all").content.decode()
    assert "scope-149" in whole and why.strip() in whole


def test_of_a_run_over_very_many_scopes_all_steps_are_counted_though_not_all_are_shown() -> None:
    run = make_job(status=Run.Status.SUCCEEDED)
    names = [f"user_{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MOST_STEPS + 30)]
    RunStep.objects.bulk_create(
        RunStep(run=run, position=n, name=name, scope=name, status="succeeded") for n, name in enumerate(names)
    )
    client, counted = signed_in(), f'<span class="counted"> {MOST_STEPS + 30} <span'
    page, whole = (flat(client.get(f"/runs/{run.pk}/{query}")) for query in ("", "?steps=all"))
    assert counted in page and counted in whole
    assert f"All {MOST_STEPS}" not in page and f"{MOST_STEPS} steps, with their full reasons" in page
    assert f"{MOST_STEPS} of {MOST_STEPS + 30} are shown." in whole
    assert "<td>user_aa</td>" in page, "a scope is called as it is"


def test_a_run_is_called_by_what_it_does_and_says_how_long_it_took() -> None:
    run = make_job(status=Run.Status.SUCCEEDED, finished_at=AT + timedelta(seconds=90))
    page = flat(signed_in().get(f"/runs/{run.pk}/"))
    assert "<h1>Learn from new episodes</h1>" in page and "<dt>Took</dt> <dd>2 min</dd>" in page


def test_failed_steps_and_failed_calls_come_first_with_their_numbers_grouped() -> None:
    run = make_job(
        status=Run.Status.FAILED, kind="extract", counters={"episodes_read": 12_345, "lost": 2}, scope="shop"
    )
    RunStep.objects.create(run=run, position=0, name="first-step", status="succeeded")
    RunStep.objects.create(run=run, position=1, name="second-step", status="failed", reason="why it failed")
    facts = {"purpose": "facts", "run": run, "at": AT}
    LLMCall.objects.create(model="model-a", ok=True, latency_ms=2100, tokens_in=12_000, tokens_out=1_500, **facts)
    LLMCall.objects.create(model="model-b", ok=False, error="no answer", **facts | {"at": AT + timedelta(hours=1)})
    page = flat(signed_in().get(f"/runs/{run.pk}/"))
    assert page.index("second-step") < page.index("first-step")
    assert page.index("model-b") < page.index("model-a")
    assert "12,000 + 1,500" in page and "2.1 s" in page and "2 calls, 1 of them failed; 12,000 tokens in" in page
    assert '<a class="counter" href="/episodes/?scope=shop">episodes read: 12,345</a>' in page
    assert '<span class="counter">lost: 2</span>' in page, "no page lists them"


@pytest.mark.parametrize("name", LISTS)
def test_each_list_of_what_a_run_counted_has_a_page_that_knows_the_filter(name: str) -> None:
    page, filters = LISTS[name]
    response = signed_in().get(reverse(page), filters)
    assert response.status_code == 200
    assert filters.items() <= (response.context.get("filters") or response.context["asked"].filters).items()


def test_a_run_that_found_nothing_new_says_so_and_says_who_began_it() -> None:
    make_job(status=Run.Status.SUCCEEDED, kind="reembed", trigger=Run.Trigger.PAGE)
    page = flat(signed_in().get("/runs/"))
    assert "nothing new" in page and "from a page" in page
    assert "Recompute search vectors" in page and "Tokens in + out" in page


def test_the_page_of_a_change_of_model_says_which_model_searches_compare_by(settings: Any) -> None:
    run = make_job(status=Run.Status.RUNNING, kind="reembed", stage="vectors", done=120, total=400)
    client = signed_in()
    assert "Searches compare by" not in flat(client.get(f"/runs/{run.pk}/"))
    settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = "http://127.0.0.1:9", "gte-small"
    page = flat(client.get(f"/runs/{run.pk}/"))
    assert "120 of 400" in page
    assert f"Searches compare by {built_in().name} until all passages have a vector of gte-small." in page


def test_the_list_is_narrowed_by_what_a_run_does_and_how_it_ended() -> None:
    make_job(status=Run.Status.FAILED, kind="reembed", error="the disk is full")
    make_job(status=Run.Status.SUCCEEDED, counters={"episodes_read": 7})
    client = signed_in()
    page = client.get("/runs/", {"status": "failed"}).content.decode()
    assert "the disk is full" in page and "episodes read: 7" not in page
    page = client.get("/runs/", {"kind": "consolidate"}).content.decode()
    assert "the disk is full" not in page and "episodes read: 7" in page
    assert "No such run" in client.get("/runs/", {"kind": "import"}).content.decode()
    assert "episodes read: 7" in client.get("/runs/", {"kind": "dance"}).content.decode()


def test_each_question_to_the_model_is_named_by_what_it_asks() -> None:
    """A purpose is the name of its prompt; those that begin with `and` are asked along with another."""
    names = {path.stem for path in (Path(prompts.__file__).parent / "en").glob("*.md")}
    assert set(PURPOSES) == {name for name in names if not name.startswith("and_")}
    run = make_job(kind="extract", status=Run.Status.SUCCEEDED)
    for purpose in ("task_chunking", "a_former_one"):
        LLMCall.objects.create(purpose=purpose, run=run, at=timezone.now(), model="m", ok=True)
    client = signed_in()
    for page in (f"/runs/{run.pk}/", "/runs/"):
        text = client.get(page).content.decode()
        assert (
            "read facts and tasks in a conversation" in text and "task chunking" not in text and "a former one" in text
        )


def test_a_job_rests_on_the_page_however_many_runs_wait_before_the_paused_one() -> None:
    schedules.ensure()
    for _ in range(MOST_UNFINISHED):
        make_job(kind="import", status=Run.Status.QUEUED, started_at=None)
    make_job(status=Run.Status.PAUSED)
    assert signed_in().get("/runs/").content.decode().count("paused: a run is paused") == 1
