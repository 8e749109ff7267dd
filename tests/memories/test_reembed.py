"""The queue of an endpoint, and a change of model: nothing mixes, nothing stops, nothing leaves that may not."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from itertools import count
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from consolidation import reembedding_run, tasks
from consolidation.models import Run
from memories import embedding, leases
from memories.embedding import Unavailable
from memories.indexing import queue
from memories.models import EmbeddingModel, Memory, Pending, Vector
from memories.models.passage import of_memories, write
from memories.models.vector import IN_HAND
from memories.tasks import embed_pending
from memories.values.choices import Sensitivity
from tests import embedding_endpoint
from tests.at_once import at_once
from tests.embedding_endpoint import Endpoint, Json
from tests.make import AT, make_memory

pytestmark = pytest.mark.django_db
BUILT_IN = embedding.built_in().name


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    with embedding_endpoint.listening() as listening:
        settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = listening.url, "m"
        yield listening


def stored(*contents: str, **facts: Any) -> list[Memory]:
    memories = [make_memory(content, **facts) for content in contents]
    write(of_memories(memories))
    return memories


def serve(name: str) -> None:
    EmbeddingModel.objects.create(name=name, dimensions=8, near_duplicate_threshold=0.8, active=True)


def refuses(*texts: str) -> Any:
    def fault(body: Json) -> tuple[int, Any] | None:
        bad = set(texts) & set(body["input"])
        return (400, {"error": {"message": "too long"}}) if bad else None

    return fault


def models() -> dict[str, int]:
    return {name: Vector.objects.filter(model=name).count() for name in Vector.objects.values_list("model", flat=True)}


def reembed(enough: Callable[[], bool] = lambda: False) -> Run:
    run = reembedding_run.reembed(trigger=Run.Trigger.COMMAND, at=AT, should_stop=enough)
    assert run is not None
    return run


def test_what_is_stored_waits_for_the_endpoint_and_gets_its_vectors(endpoint: Endpoint) -> None:
    serve("m")
    stored("One", "Two")
    assert (Pending.objects.count(), models()) == (2, {})
    assert embed_pending() == "2 embedded"
    assert (Pending.objects.count(), models()) == (0, {"m": 2})
    assert endpoint.texts == ["One", "Two"]


def test_while_the_built_in_model_still_serves_its_vectors_are_made_too(endpoint: Endpoint) -> None:
    stored("One")
    assert (Pending.objects.count(), models()) == (1, {BUILT_IN: 1})


def test_what_is_too_secret_never_leaves(endpoint: Endpoint) -> None:
    serve("m")
    stored("High", sensitivity=Sensitivity.HIGH)
    [raised] = stored("Raised meanwhile", sensitivity=Sensitivity.MEDIUM)
    assert Pending.objects.count() == 1
    Memory.objects.filter(pk=raised.pk).update(sensitivity=Sensitivity.HYPER)
    embed_pending()
    reembed()
    assert endpoint.texts == [] and models() == {} and not Pending.objects.exists()


def test_a_text_without_a_vector_leaves_the_queue(endpoint: Endpoint) -> None:
    serve("m")
    stored("Nothing")
    endpoint.fault = lambda body: (200, {"data": [{"index": 0, "embedding": [0.0] * 8}]})
    embed_pending()
    assert not Pending.objects.exists() and models() == {}


def test_an_endpoint_that_is_down_uses_up_no_attempts(endpoint: Endpoint) -> None:
    serve("m")
    stored("One", "Two")
    endpoint.fault = lambda body: (503, b"")
    for _ in range(4):
        assert "the embedding endpoint answered 503" in embed_pending()
    assert list(Pending.objects.values_list("attempts", "error").distinct()) == [
        (0, "the embedding endpoint answered 503: ")
    ]
    endpoint.fault = None
    assert embed_pending() == "2 embedded"


def test_one_bad_text_does_not_spoil_the_others_and_is_set_aside(endpoint: Endpoint) -> None:
    serve("m")
    stored("One", "Bad", "Two")
    endpoint.fault = refuses("Bad")
    assert embed_pending() == "2 embedded"
    left = Pending.objects.get()
    assert (left.passage.text, left.attempts) == ("Bad", 3) and "too long" in left.error
    assert embed_pending() == "0 embedded"
    endpoint.fault = None
    call_command("reembed", "--retry", stdout=StringIO())
    assert models() == {"m": 3} and not Pending.objects.exists()


def test_an_endpoint_that_refuses_everything_is_not_the_fault_of_the_texts(endpoint: Endpoint) -> None:
    serve("m")
    stored("One")
    endpoint.fault = lambda body: (400, {"error": {"message": "no such model"}})
    assert "no such model" in embed_pending()
    assert Pending.objects.get().attempts == 0


def test_what_a_dead_worker_had_in_hand_comes_free_later_and_is_taken_alone(endpoint: Endpoint) -> None:
    stored("One", "Two")
    taken = Pending.objects.take("m", at=AT, most=10)
    assert len(taken) == 2
    assert queue.embed_some(at=AT + IN_HAND) == {}
    later = AT + IN_HAND + timedelta(seconds=1)
    assert [queue.embed_some(at=later)["embedded"] for _ in range(3)] == [1, 1, 0]
    assert [len(body["input"]) for body in endpoint.asked] == [1, 1]


def test_a_text_that_kills_its_worker_is_left_after_three_times(endpoint: Endpoint) -> None:
    stored("One")
    for times in range(5):
        assert len(Pending.objects.take("m", at=AT + times * IN_HAND * 2, most=10)) == (1 if times < 3 else 0)


@pytest.mark.django_db(transaction=True)
def test_two_workers_share_the_queue(endpoint: Endpoint) -> None:
    serve("m")
    stored(*(f"Text {number}" for number in range(200)))

    def work() -> int:
        done = 0
        while some := queue.embed_some(at=AT):
            done += some["embedded"]
        return done

    assert sum(at_once(work, work)) == 200
    assert len(endpoint.texts) == len(set(endpoint.texts)) == 200


@pytest.mark.django_db(transaction=True)
def test_no_model_is_asked_inside_a_transaction(endpoint: Endpoint) -> None:
    serve("m")
    stored("One")
    open_ones: list[bool] = []
    ours = connections["default"]  # this thread's, looked at from that of the endpoint
    endpoint.fault = lambda body: open_ones.append(ours.in_atomic_block)
    embed_pending()
    assert open_ones == [False]


def test_vectors_of_two_sizes_do_not_meet(endpoint: Endpoint) -> None:
    serve("m")
    stored("One")
    endpoint.dimensions = 6
    with pytest.raises(Unavailable, match="m gives vectors of 6 dimensions, those before had 8"):
        queue.embed_some(at=AT)
    assert models() == {} and Pending.objects.get().attempts == 0


def test_another_model_takes_over_when_all_its_vectors_are_there(endpoint: Endpoint) -> None:
    stored(*(f"Text {number}" for number in range(100)))
    endpoint.fault = lambda body: (503, b"") if len(endpoint.asked) > 1 else None
    waiting = reembed()
    assert (waiting.status, waiting.error) == ("running", "the embedding endpoint answered 503: ")
    assert EmbeddingModel.objects.serving() == BUILT_IN
    assert models() == {BUILT_IN: 100, "m": 64}
    endpoint.fault = None
    done = reembed()
    assert (done.pk, done.status, done.error) == (waiting.pk, "succeeded", "")
    assert models() == {"m": 100} and not Pending.objects.exists()
    model = EmbeddingModel.objects.get(active=True)
    assert (model.name, model.dimensions, len(model.mean or [])) == ("m", 8, 8)


def test_the_way_back_to_the_built_in_model_needs_no_endpoint(endpoint: Endpoint, settings: Any) -> None:
    serve("m")
    stored("One", "Two")
    embed_pending()
    settings.EMBEDDING_ENDPOINT = ""
    assert reembed().status == "succeeded"
    assert models() == {BUILT_IN: 2} and EmbeddingModel.objects.serving() == BUILT_IN
    assert EmbeddingModel.objects.get(active=True).dimensions == 256


def test_a_model_that_refuses_much_does_not_take_over(endpoint: Endpoint) -> None:
    stored("One", "Two", "Three")
    endpoint.fault = refuses("Two")
    run = reembed()
    assert run.status == "failed" and "1 of 3 passages were refused three times by m" in run.error
    assert EmbeddingModel.objects.serving() == BUILT_IN and models()[BUILT_IN] == 3
    assert tasks.reembed() == "nothing to do"  # until an hour has passed, or somebody asks


def test_a_new_installation_has_nothing_to_tell_of(endpoint: Endpoint) -> None:
    assert tasks.reembed() == "nothing to do"
    assert EmbeddingModel.objects.serving() == "m" and endpoint.asked == []
    stored("One")
    assert embed_pending() == "1 embedded"
    assert EmbeddingModel.objects.get().dimensions == 8 and not Run.objects.exists()


def test_a_run_in_slices_is_one_run(endpoint: Endpoint) -> None:
    stored(*(f"Text {number}" for number in range(100)))
    steps = count(1)
    runs = [reembed(enough=lambda: next(steps) % 2 == 0)]
    while runs[-1].status == "running":  # how many steps the queue takes depends on the ids of the passages
        runs.append(reembed(enough=lambda: next(steps) % 2 == 0))
    assert len(runs) > 2 and runs[-1].status == "succeeded"
    assert {run.pk for run in runs} == {runs[0].pk} and runs[-1].counters == {"vectors": 100, "clearing": 100}


@pytest.mark.django_db(transaction=True)
def test_one_worker_reembeds_at_a_time() -> None:
    def hold() -> None:
        with leases.hold(reembedding_run.KIND, wait=False):
            pass

    with leases.hold(reembedding_run.KIND, wait=False):
        [answer] = at_once(lambda: reembedding_run.reembed(trigger=Run.Trigger.COMMAND, at=AT))
        assert answer is None


def test_the_command_says_what_it_did_and_why_it_could_not(endpoint: Endpoint) -> None:
    stored("One")
    out, err = StringIO(), StringIO()
    endpoint.fault = lambda body: (401, {"error": "wrong key"})
    with pytest.raises(SystemExit):
        call_command("reembed", stdout=out, stderr=err)
    assert "answered 401" in err.getvalue()
    endpoint.fault = None
    call_command("reembed", stdout=out)
    assert out.getvalue().split()[-2:] == ["vectors", "1"]
