"""Runs in which a language model compares cases: the price before, each answer paid once, and none kept after."""

from datetime import timedelta
from typing import Any

import pytest

from consolidation import case_comparison, contrast_run
from consolidation.model_lines import line_answers
from consolidation.models import LLMCall, Run, RunStep
from memories.lifecycle.forgetting import forget
from memories.models import Memory
from memories.values.choices import Sensitivity
from memories.values.trust import everything
from skills import storages
from skills.models import SkillVersion
from tests.at_once import at_once
from tests.consolidation.contrasted import LATER, LINE, SENTENCE, compare, learned, lines, proposed
from tests.consolidation.extracted import steps_of
from tests.consolidation.test_guidance import learn
from tests.make import caller
from tests.model_endpoint import ModelEndpoint, Reply, fence, prose
from tests.pages import signed_in
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def skill() -> Memory:
    """Two of its cases have a success and a failure."""
    learn(5, outcome="failure")
    return learned()


def answers_left() -> int:
    return RunStep.objects.exclude(answer=None).count()


def test_prose_is_given_back_once_and_a_case_without_a_usable_answer_does_not_stop_the_others(
    endpoint: ModelEndpoint, skill: Memory
) -> None:
    endpoint.answers("contrast", "I cannot say.", prose(str(lines(LINE)).replace("'", '"')), fence('{"lines": null}'))
    endpoint.answers("contrast", *["No idea."] * 5)
    run = compare(skill)
    assert (run.status, steps_of(run)) == ("paused", [("case 1", "failed", 1), ("case 2", "succeeded", 1)])
    run = compare(skill, minutes=2)
    run = compare(skill, minutes=10)
    assert (run.status, run.error) == ("succeeded", "case 1: the answer holds no complete JSON value")
    assert run.counters == {"cases_read": 1} and answers_left() == 0


def test_what_was_paid_for_is_not_paid_for_again(
    endpoint: ModelEndpoint, skill: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> Any:
        raise OSError("no space left")

    endpoint.answers("contrast", {"lines": []}, lines({"success_quote": "my plans have changed"}))
    with monkeypatch.context() as patched:
        patched.setattr(contrast_run, "_prepare", full)
        run = compare(skill)
    assert (run.status, run.error, answers_left()) == ("failed", "OSError", 2)
    client = caller(permissions=["read", "review"])
    retried: Any = client.post(f"/api/v1/runs/{run.pk}/retry", {}, format="json")
    assert retried.status_code == 202
    run = compare(skill, minutes=1)
    assert (run.status, run.counters["lines_written"], answers_left()) == ("succeeded", 1, 0)
    assert len(endpoint.asked) == LLMCall.objects.filter(run=run, purpose="contrast").count() == 2


def test_a_worker_that_dies_after_an_answer_leaves_it_to_the_next_one(
    endpoint: ModelEndpoint, skill: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Death(BaseException):
        pass

    def die(*args: Any) -> None:
        line_answers.keep_answer(*args)
        raise Death

    endpoint.answers("contrast", lines(LINE), {"lines": []})
    with monkeypatch.context() as patched, pytest.raises(Death):
        patched.setattr(case_comparison, "keep_answer", die)
        compare(skill)
    assert Run.objects.get(kind="contrast").status == "running"
    run = compare(skill)
    assert (run.status, len(endpoint.asked)) == ("succeeded", 2)
    assert steps_of(run) == [("case 1", "succeeded", 2), ("case 2", "succeeded", 1)]


@pytest.mark.parametrize("reply", [Reply(status=401), Reply(status=429, headers={"Retry-After": "900"})])
def test_while_the_model_is_out_of_reach_the_run_pauses_and_goes_on_by_itself(
    endpoint: ModelEndpoint, skill: Memory, reply: Reply
) -> None:
    endpoint.answers("contrast", lines(LINE), reply, lines(LINE))
    run = compare(skill)
    assert run.status == "paused" and str(reply.status) in run.error
    assert steps_of(run) == [("case 1", "succeeded", 1), ("case 2", "pending", 0)]
    assert compare(skill, minutes=0.9).status == "paused"
    assert compare(skill, minutes=16).status == "succeeded" and len(endpoint.asked) == 3


def test_at_the_daily_limit_the_run_pauses_until_the_next_day(
    endpoint: ModelEndpoint, skill: Memory, settings: Any
) -> None:
    settings.LLM_DAILY_TOKENS = 100
    endpoint.answers("contrast", {"lines": []}, {"lines": []})
    run = compare(skill)
    assert run.status == "paused" and run.error.startswith("the daily limit of 100 tokens is reached")
    assert run.paused_until == LATER + timedelta(hours=10)


@pytest.mark.django_db(transaction=True)
def test_two_workers_and_two_orders_pay_once_and_propose_one_version(endpoint: ModelEndpoint, skill: Memory) -> None:
    endpoint.answers("contrast", *[lines({"success_quote": "my plans have changed"})] * 2)
    orders = [lambda: contrast_run.request(skill, trigger=Run.Trigger.API, at=LATER)] * 2
    assert len({run.pk for run in at_once(*orders)}) == 1
    before = SkillVersion.objects.count()
    at_once(*[lambda: contrast_run.process_queue(now=lambda: LATER)] * 2)
    run = Run.objects.get(kind="contrast")
    assert (run.status, run.attempts, len(endpoint.asked)) == ("succeeded", 1, 2)
    assert SkillVersion.objects.count() == before + 1


def test_a_worker_whose_run_another_one_has_taken_writes_nothing(
    endpoint: ModelEndpoint, skill: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, prepare = contrast_run.request(skill, trigger=Run.Trigger.PAGE, at=LATER), contrast_run._prepare

    def taken(*args: Any) -> Any:
        Run.objects.filter(pk=run.pk).update(attempts=2)
        return prepare(*args)

    endpoint.answers("contrast", {"lines": []}, lines({"success_quote": "my plans have changed"}))
    monkeypatch.setattr(contrast_run, "_prepare", taken)
    before = SkillVersion.objects.count()
    contrast_run.process_queue(now=lambda: LATER)
    assert (SkillVersion.objects.count(), answers_left()) == (before, 2)


@pytest.mark.parametrize("outcome", ["success", "failure"])
def test_nothing_stays_of_a_conversation_that_is_forgotten_while_the_run_waits(
    endpoint: ModelEndpoint, skill: Memory, outcome: str
) -> None:
    endpoint.answers("contrast", lines({"success_quote": "my plans have changed"}), Reply(status=401))
    run = compare(skill)
    step = run.steps.get(name="case 1")
    gone = step.success_id if outcome == "success" else step.failure_id
    assert gone
    forget(Memory.objects.get(pk=gone), trust=everything(), at=LATER)
    assert answers_left() == 0 and not run.steps.filter(name="case 1").exists()
    endpoint.answers("contrast", {"lines": []})
    run = compare(skill, minutes=16)
    assert (run.status, run.counters) == ("succeeded", {"cases_read": 1})


@pytest.mark.parametrize("how", ["forgotten", "more secret than the skill"])
def test_a_line_goes_with_a_conversation_that_is_forgotten_while_it_is_written(
    endpoint: ModelEndpoint, skill: Memory, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    endpoint.answers("contrast", lines({"success_quote": "my plans have changed"}), {"lines": []})
    prepare, packed = contrast_run._prepare, []

    def forgotten_meanwhile(*args: Any) -> Any:
        packed.append(prepare(*args))
        going = Memory.objects.get(episode__steps_with_failure__name="case 1")
        if how == "forgotten":
            forget(going, trust=everything(), at=LATER)
        else:
            Memory.objects.filter(pk=going.pk).update(sensitivity=Sensitivity.HIGH)
        return packed[0]

    monkeypatch.setattr(contrast_run, "_prepare", forgotten_meanwhile)
    run = compare(skill)
    assert (run.status, "lines_written" in run.counters) == ("succeeded", False)
    assert SENTENCE not in proposed(skill).skill_md
    with pytest.raises(FileNotFoundError):
        storages.open_package(packed[0].path)


def test_a_conversation_that_became_more_secret_than_the_skill_is_not_sent(
    endpoint: ModelEndpoint, skill: Memory
) -> None:
    run = contrast_run.request(skill, trigger=Run.Trigger.PAGE, at=LATER)
    Memory.objects.filter(episode__isnull=False).update(sensitivity=Sensitivity.MEDIUM)
    contrast_run.process_queue(now=lambda: LATER)
    run.refresh_from_db()
    assert run.status == "skipped" and endpoint.asked == []


def test_agents_see_the_price_before_they_order_it(endpoint: ModelEndpoint, skill: Memory) -> None:
    client: Any = caller(permissions=["read", "review"])
    price = client.get(f"/api/v1/runs/contrast?subject={skill.pk}").json()
    assert price["cases"] == 2 and price["tokens_out"] == 1000 and 4_000 < price["tokens_in"] < 5_000
    ordered = client.post("/api/v1/runs", {"kind": "contrast", "subject": str(skill.pk)}, format="json")
    assert (ordered.status_code, ordered.json()["status"]) == (202, "queued")
    again = client.post("/api/v1/runs", {"kind": "contrast", "subject": str(skill.pk)}, format="json")
    assert again.json()["id"] == ordered.json()["id"]
    for path in ("", "?subject=x"):
        assert client.get(f"/api/v1/runs/contrast{path}").status_code == 400
    stranger: Any = caller(permissions=["read", "review"], scopes=["project:other"])
    assert stranger.get(f"/api/v1/runs/contrast?subject={skill.pk}").status_code == 404
    refused = stranger.post("/api/v1/runs", {"kind": "contrast", "subject": str(skill.pk)}, format="json")
    assert refused.status_code == 404
    reader: Any = caller(permissions=["read"])
    assert reader.get(f"/api/v1/runs/contrast?subject={skill.pk}").status_code == 403


def test_a_reviewer_sees_the_price_on_the_page_and_orders_it_there(endpoint: ModelEndpoint, skill: Memory) -> None:
    client, path = signed_in(), f"/memories/{skill.pk}/"
    page = " ".join(client.get(path).content.decode().split())
    assert "2 cases have a run that ended well this way and one that failed." in page
    assert "tokens in and 1,000 out" in page
    ordered = client.post("/runs/start/", {"kind": "contrast", "subject": skill.pk})
    assert ordered.headers["Location"] == path
    page = client.get(path).content.decode()
    assert "Latest comparison" in page and "Compare them" not in page
    assert Run.objects.get(kind="contrast").trigger == "page"
    assert "Compare them" not in signed_in("vera", group="viewer").get(path).content.decode()


def test_without_a_model_there_is_no_button_and_an_order_says_so(skill: Memory) -> None:
    client = signed_in()
    assert "Compare them" not in client.get(f"/memories/{skill.pk}/").content.decode()
    agent: Any = caller(permissions=["read", "review"])
    ordered = agent.post("/api/v1/runs", {"kind": "contrast", "subject": str(skill.pk)}, format="json").json()
    assert (ordered["status"], ordered["error"]) == ("skipped", "no language model configured")
    client.post("/runs/start/", {"kind": "contrast", "subject": skill.pk})
    assert "no language model configured" in client.get("/runs/").content.decode()
