"""What a language model and its endpoint do wrong, spoken over real HTTP."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest

from consolidation.llm import Refused, Truncated, Unavailable, Unusable
from consolidation.models import LLMCall
from tests.consolidation.model_questions import GOOD, Trip, Waits, ask, ledger, model
from tests.journeys.installation import free_port
from tests.model_endpoint import KEY, ModelEndpoint, Reply

pytestmark = pytest.mark.django_db


def test_an_answer_of_the_wrong_type_is_given_back_once_with_what_is_wrong(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", {"city": "Oslo", "nights": "three"}, GOOD)
    assert ask(model()).nights == 3
    [(first, why), (second, _)] = ledger()
    assert (first, second) == (False, True) and why.startswith("nights: ")
    assert [message["role"] for message in endpoint.asked[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert "nights: " in endpoint.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (GOOD[:-5], "no complete JSON"),
        ("I would rather not.", "no complete JSON"),
        ("", "no complete JSON"),
        (("[" * 900 + "[],") * 100, "no complete JSON"),
        ('{"city": "Oslo"} {"nights": 3}', "nights: "),
        (f'{{"trips": [{GOOD}, {{"city": "Ro', "no complete JSON"),
        (f'{{"trips": [{GOOD} {GOOD}]}}', "no complete JSON"),
        (f'{GOOD} or {{"city": "Rome", "nights": 1}}', "several"),
    ],
)
def test_what_is_no_answer_twice_is_none(endpoint: ModelEndpoint, answer: str, why: str) -> None:
    endpoint.answers("trip", answer, answer)
    with pytest.raises(Unusable, match=why):
        ask(model())
    assert [ok for ok, _ in ledger()] == [False, False] and endpoint.unused == 0


def test_an_answer_that_was_cut_off_is_its_own_error_and_not_asked_again(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", Reply(GOOD[:-5], finish_reason="length"))
    with pytest.raises(Truncated):
        ask(model())
    call = LLMCall.objects.get()
    assert "cut off" in call.error and (call.tokens_in, call.tokens_out) == (100, 20)


def test_a_busy_endpoint_is_asked_again_when_it_says(endpoint: ModelEndpoint) -> None:
    waits = Waits()
    endpoint.answers("trip", Reply(status=429, headers={"Retry-After": "7"}), GOOD)
    assert ask(model(waits)).city == "Oslo"
    assert waits.waited == [7.0]
    assert [(ok, "429" in error) for ok, error in ledger()] == [(False, True), (True, False)]
    assert LLMCall.objects.order_by("pk")[0].tokens_in == 0  # nothing was read, nothing costs


def test_a_busy_endpoint_is_asked_again_also_where_one_answer_may_take_half_an_hour(endpoint: ModelEndpoint) -> None:
    waits = Waits()
    endpoint.answers("trip", Reply(status=503), Reply(status=429, headers={"Retry-After": "50"}), GOOD)
    assert ask(model(waits, timeout=1_800)).city == "Oslo"
    assert waits.waited == [1.0, 50.0]


def test_an_endpoint_that_takes_no_connection_costs_nothing(endpoint: ModelEndpoint) -> None:
    from consolidation.llm.chat_endpoint import ChatEndpoint  # whose SDK takes a second

    with pytest.raises(Unavailable, match="cannot be reached"):
        ask(replace(model(), endpoint=ChatEndpoint(f"http://127.0.0.1:{free_port()}/v1", timeout=30)))
    assert [call.tokens_in for call in LLMCall.objects.all()] == [0] * 4


def test_an_endpoint_that_asks_for_too_long_a_pause_is_not_waited_for(endpoint: ModelEndpoint) -> None:
    waits = Waits()
    endpoint.answers("trip", Reply(status=429, headers={"Retry-After": "86400"}))
    with pytest.raises(Unavailable) as fault:
        ask(model(waits))
    assert waits.waited == [] and fault.value.seconds == 86400


@pytest.mark.parametrize("fault", [Reply(status=500), Reply(drop=True, text=GOOD), Reply(body=b"<html>gateway</html>")])
def test_a_passing_fault_is_tried_four_times_with_longer_pauses(endpoint: ModelEndpoint, fault: Reply) -> None:
    waits = Waits()
    endpoint.answers("trip", *[fault] * 4)
    with pytest.raises(Unavailable):
        ask(model(waits))
    assert waits.waited == [1.0, 2.0, 4.0] and len(ledger()) == 4


@pytest.mark.parametrize("status", [401, 403, 404, 307])
def test_what_any_text_would_meet_is_not_tried_again(endpoint: ModelEndpoint, status: int) -> None:
    endpoint.answers("trip", Reply(f"bad key {KEY}", status=status, headers={"Location": "http://127.0.0.1:9/"}))
    with pytest.raises(Unavailable, match=str(status)) as fault:
        ask(model())
    assert len(endpoint.asked) == 1
    for shown in (str(fault.value), repr(fault.value), repr(model()), ledger()[0][1]):
        assert KEY not in shown


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(drip=True)])
def test_an_answer_that_never_ends_has_an_end(endpoint: ModelEndpoint, reply: Reply) -> None:
    endpoint.answers("trip", *[reply] * 4)
    with pytest.raises(Unavailable, match=r"within 0\.2 seconds"):
        ask(model(timeout=0.2))
    assert len(ledger()) == 4
    assert LLMCall.objects.filter(tokens_in__gt=0).count() == 4  # it may have been read: it counts for the limit


def test_attempts_end_before_the_job_does(endpoint: ModelEndpoint) -> None:
    waits = Waits()
    endpoint.answers("trip", *[Reply(status=503, headers={"Retry-After": "60"})] * 3, GOOD)
    with pytest.raises(Unavailable):
        ask(model(waits))
    assert waits.waited == [60.0, 60.0]  # a third pause and an answer would take more than 180 seconds


@pytest.mark.parametrize(
    "reply",
    [lambda most: Reply(body=b'"' + b"x" * most + b'"'), lambda most: Reply(status=500, body=b"x" * most + b"x")],
)
def test_a_huge_answer_is_not_read_to_its_end(endpoint: ModelEndpoint, reply: Callable[[int], Reply]) -> None:
    from consolidation.llm.chat_endpoint import LARGEST_ANSWER

    endpoint.answers("trip", *[reply(LARGEST_ANSWER)] * 4)
    with pytest.raises(Unavailable, match="too large"):
        ask(model())


def test_an_endpoint_without_json_schemas_is_asked_plainly_from_then_on(endpoint: ModelEndpoint) -> None:
    endpoint.rejects = {"response_format"}
    endpoint.answers("", GOOD, GOOD)
    assert [ask(model()), ask(model())] == [Trip(city="Oslo", nights=3)] * 2
    assert ["response_format" in body for body in endpoint.asked] == [True, False, False]
    assert [ok for ok, _ in ledger()] == [False, True, True]


def test_json_that_the_endpoint_itself_rejects_is_given_back_to_be_repaired(endpoint: ModelEndpoint) -> None:
    """So does Groq, which checks an answer before it passes it on."""
    why = "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details."
    error = {"message": why, "code": "json_validate_failed", "failed_generation": GOOD[:-5]}
    endpoint.answers("trip", Reply(status=400, body=json.dumps({"error": error}).encode()), GOOD)
    assert ask(model()).city == "Oslo"
    assert endpoint.asked[1]["messages"][2] == {"role": "assistant", "content": GOOD[:-5]}
    assert ledger()[0] == (False, f"the language model answered 400: {why}")


def test_a_text_that_the_endpoint_rejects_is_refused(endpoint: ModelEndpoint) -> None:
    endpoint.answers("", Reply("too many tokens", status=400), Reply("too many tokens", status=400))
    with pytest.raises(Refused, match="too many tokens"):
        ask(model())
    endpoint.answers("trip", Reply("", finish_reason="content_filter"))
    with pytest.raises(Refused, match="refused"):
        ask(model())
    assert "response_format" in endpoint.asked[-1]  # a text that is rejected either way says nothing of the schema


def test_a_date_is_a_pause_too() -> None:
    from consolidation.llm.chat_endpoint import retry_after

    assert retry_after(httpx2.Headers({"Retry-After": "Sun, 01 Mar 2020 12:00:00 GMT"})) == 0.0
    assert retry_after(httpx2.Headers({"Retry-After": "soon"})) is None
    assert retry_after(httpx2.Headers({"Retry-After": "inf"})) == retry_after(httpx2.Headers({"Retry-After": "1e99"}))
    assert timedelta(seconds=retry_after(httpx2.Headers({"Retry-After": "1e99"})) or 0) == timedelta(days=1)
