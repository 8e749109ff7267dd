"""Faults while a language model reads conversations: nothing is paid for twice, and nothing is lost."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from consolidation import extraction_run
from consolidation.extraction.steps import Step, StepSkipped, Work
from consolidation.models import LLMCall, Run, RunStep
from consolidation.models.llm_calls import PENDING
from memories.models import Memory
from tests import make
from tests.consolidation.extracted import (
    NONE,
    TALK,
    Word,
    process,
    queued,
    saying,
    state,
    steps_of,
    talk,
)
from tests.make import AT, user
from tests.model_endpoint import ModelEndpoint, Reply

pytestmark = pytest.mark.django_db


def test_a_step_that_fails_does_not_touch_the_others_and_its_answer_is_not_paid_for_again(
    endpoint: ModelEndpoint,
) -> None:
    run, steps = queued(talk()), saying("first", "second", "third", fails=Counter(second=1))
    for name in ("first", "second", "third"):
        endpoint.answers(name, {"word": name})
    process(steps)
    assert steps_of(run) == [("first", "succeeded", 1), ("second", "failed", 1), ("third", "succeeded", 1)]
    assert state(run) == ("paused", "second: ValueError; it is tried again")
    process(steps, minutes=2)
    assert state(run) == ("succeeded", "") and run.counters == {"first": 1, "second": 1, "third": 1}
    assert len(endpoint.asked) == 3 and LLMCall.objects.filter(run=run).count() == 3


def test_a_step_that_fails_three_times_fails_its_run_until_somebody_retries(endpoint: ModelEndpoint) -> None:
    run, steps = queued(talk()), saying("first", "second", fails=Counter(first=3))
    endpoint.answers("first", {"word": "a"})
    endpoint.answers("second", {"word": "b"})
    for minutes in (0, 10, 20, 30):
        process(steps, minutes=minutes)
    assert state(run) == ("failed", "first: ValueError")
    assert steps_of(run) == [("first", "failed", 3), ("second", "succeeded", 1)]
    run.retry(by=make.ANNA, at=AT)
    process(steps)
    assert state(run) == ("succeeded", "") and len(endpoint.asked) == 2


def test_a_step_waits_for_those_that_it_needs(endpoint: ModelEndpoint) -> None:
    order: list[str] = []

    def skipped(work: Work) -> Counter[str]:
        order.append(work.step.name)
        raise StepSkipped("nothing to do")

    steps = [Step("last", skipped, after=("middle",)), Step("middle", skipped)]
    run = queued(talk())
    process([steps[1], steps[0]])
    assert order == ["middle", "last"]
    assert list(run.steps.values_list("status", "reason")) == [("skipped", "nothing to do")] * 2
    failing = [*saying("middle", fails=Counter(middle=9)), steps[0]]
    endpoint.answers("middle", {"word": "a"})
    run = queued(talk(id="other"))
    process(failing)
    assert steps_of(run) == [("middle", "failed", 1)]


@pytest.mark.parametrize("reply", [Reply(status=401), Reply(status=429, headers={"Retry-After": "900"})])
def test_while_the_model_is_out_of_reach_all_runs_pause_and_go_on_by_themselves(
    endpoint: ModelEndpoint, reply: Reply
) -> None:
    runs = [queued(talk(id=f"talk-{n}")) for n in range(3)]
    endpoint.answers("facts", reply, NONE, NONE, NONE)
    process()
    assert [run.status for run in Run.objects.filter(kind="extract")] == ["paused"] * 3
    assert all(str(reply.status) in state(run)[1] for run in runs)
    process(minutes=0.9)
    assert len(endpoint.asked) == 1
    process(minutes=16)
    assert [state(run) for run in runs] == [("succeeded", "")] * 3
    assert steps_of(runs[0]) == [("facts", "succeeded", 1)]  # an outage is no attempt


def test_a_model_that_is_back_is_asked_after_a_minute_and_one_that_stays_away_more_rarely(
    endpoint: ModelEndpoint,
) -> None:
    run = queued(talk())
    endpoint.answers("facts", *[Reply(status=401)] * 7, NONE)
    now, waits = 0.0, list[float]()
    for _ in range(7):
        process(minutes=now)
        run.refresh_from_db()
        assert run.paused_until
        waits.append((run.paused_until - AT) / timedelta(minutes=1) - now)
        now += waits[-1]
    assert [round(wait) for wait in waits] == [1, 2, 3, 4, 5, 5, 5]
    process(minutes=now)
    assert state(run)[0] == "succeeded"


def test_a_conversation_at_which_the_model_breaks_down_does_not_hold_up_the_others(endpoint: ModelEndpoint) -> None:
    broken, *others = (
        queued(talk(id=last, messages=[*TALK, user(last)])) for last in ("Break down.", "Two.", "Three.")
    )
    endpoint.answers("facts", *[lambda asked: Reply(status=403) if "Break down." in str(asked) else NONE] * 99)
    process()
    process(minutes=1)
    assert [state(run)[0] for run in (broken, *others)] == ["paused", "succeeded", "succeeded"]
    for minutes in range(2, 60):
        process(minutes=minutes)
        queued(talk(id=f"later-{minutes}"))
    assert state(broken) == ("failed", "facts: the language model answered 403: scripted 403")
    assert broken.llm_calls.count() < 9


def test_at_the_daily_limit_runs_pause_until_the_next_day(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.LLM_DAILY_TOKENS = 100
    first, second = queued(talk(id="a")), queued(talk(id="b"))
    endpoint.answers("facts", NONE, NONE)
    process()
    assert state(first)[0] == "succeeded"
    status, error = state(second)
    assert status == "paused" and error.startswith("the daily limit of 100 tokens is reached")
    assert second.paused_until == AT + timedelta(hours=12)


def test_a_job_whose_time_is_over_leaves_the_rest_of_a_step_to_the_next_one(endpoint: ModelEndpoint) -> None:
    def perform(work: Work) -> Counter[str]:
        for name in ("one", "two", "three"):
            work.ask(Word, system="Say a word.", text="Now.", name=name)
        return Counter(words=3)

    run, steps = queued(talk()), [Step("words", perform)]
    endpoint.answers("words", *[{"word": "a"}] * 3)
    extraction_run.process_queue(now=lambda: AT, steps=steps, should_stop=lambda: len(endpoint.asked) == 2)
    assert state(run)[0] == "queued" and steps_of(run) == [("words", "pending", 0)]
    process(steps)
    assert state(run)[0] == "succeeded" and run.counters == {"words": 3} and len(endpoint.asked) == 3


def test_a_worker_that_dies_leaves_its_run_to_the_next_one_three_times(endpoint: ModelEndpoint) -> None:
    run, deaths = queued(talk()), Counter[str]()

    class Death(BaseException):
        pass

    def perform(work: Work) -> Counter[str]:
        work.ask(Word, system="Say a word.", text="Now.")
        deaths["died"] += 1
        raise Death

    endpoint.answers("killer", {"word": "a"})
    for _ in range(3):
        with pytest.raises(Death):
            process([Step("killer", perform)])
        run.refresh_from_db()
        assert run.status == "running"
    process([Step("killer", perform)])
    assert state(run) == ("failed", "killer: its worker died each time") and deaths["died"] == 3
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize(("stops", "ended"), [(5, "succeeded"), (24, "failed")])
def test_a_worker_that_is_stopped_while_the_model_answers_makes_no_attempt_of_its_step(
    endpoint: ModelEndpoint, stops: int, ended: str
) -> None:
    run = queued(talk())

    class Stop(BaseException):
        pass

    def perform(work: Work) -> Counter[str]:
        work.ask(Word, system="Say a word.", text="Now.")
        if LLMCall.objects.filter(run=run).count() <= stops:
            LLMCall.objects.filter(run=run, ok=True).update(ok=False, error=PENDING)
            RunStep.objects.filter(run=run).update(answer=None)
            raise Stop  # as if it had been killed before the answer came
        return Counter()

    endpoint.answers("stopped", *[{"word": "a"}] * 30)
    for _ in range(stops + 1):
        with suppress(Stop):
            process([Step("stopped", perform)])
    assert state(run)[0] == ended


def test_a_run_goes_with_its_conversation(endpoint: ModelEndpoint) -> None:
    run = queued(talk())

    def perform(work: Work) -> Counter[str]:
        work.ask(Word, system="Say a word.", text="Now.")
        Memory.objects.filter(pk=work.episode.pk).delete()
        work.ask(Word, system="Say a word.", text="Now.", name="another")
        return Counter()

    endpoint.answers("words", {"word": "a"}, {"word": "b"})
    process([Step("words", perform)])
    assert not Run.objects.filter(pk=run.pk).exists() and LLMCall.objects.get().run is None
    assert len(endpoint.asked) == 1
