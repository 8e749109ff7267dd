"""The requests by which a memory is found go along to the memory in its place, within its level, three at most."""

import pytest

from memories.intake.revisions.superseding import choose
from memories.models import Event, Memory, Passage
from memories.values.choices import Sensitivity
from tests.make import ANNA, AT, make_run, user
from tests.memories.revising import ask, made, own, person

pytestmark = pytest.mark.django_db
SALES = "Orders of internal customers are not sales"


def requested(memory: Memory, *requests: str, sensitivity: str = "low") -> Memory:
    """The memory, found by the requests of runs of this level."""
    for request in requests:
        run = make_run(messages=[user(request)], sensitivity=sensitivity)
        event = Event.objects.select_related("episode__memory").get(episode=run.pk)
        Passage.objects.write_request(memory, event)
    return memory


def requests(memory: Memory) -> list[str]:
    return list(memory.passages.requests().values_list("text", flat=True))


def test_what_supersedes_a_memory_is_found_by_its_requests_until_the_run_is_forgotten() -> None:
    new = made(ask("supersede", requested(own(SALES), "net revenue in May", "how many sales?"), content=f"{SALES} yet"))
    assert requests(new) == ["net revenue in May", "how many sales?"]
    Event.objects.filter(text="net revenue in May").delete()
    assert requests(new) == ["how many sales?"]
    assert requests(requested(new, "sales of June?")) == ["how many sales?", "sales of June?"]


def test_a_merged_memory_is_found_by_three_requests_of_its_sources_the_first_of_each_first() -> None:
    sources = [requested(own(SALES), "a", "b", "c"), requested(own(f"{SALES} here"), "d", "e")]
    sources[1].passages.requests().filter(text="e").update(event=Event.objects.get(text="b"))
    new = made(ask("merge", *sources, content=SALES))
    assert requests(new) == ["a", "d", "b"]


def test_what_a_person_lowers_is_found_by_no_request_of_a_more_secret_run() -> None:
    old = own(SALES, sensitivity=Sensitivity.HIGH)
    requested(requested(old, "What does Anna earn?", sensitivity="high"), "how many sales?")
    new = made(
        ask("supersede", old, content=f"{SALES} yet", sensitivity="low", trust=person(max_sensitivity=Sensitivity.HIGH))
    )
    assert new.sensitivity == Sensitivity.LOW
    assert requests(new) == ["how many sales?"]


def test_a_run_that_became_more_secret_since_lends_no_request_any_more() -> None:
    old = requested(own(SALES), "What does Anna earn?")
    Memory.objects.filter(type="episodic").update(sensitivity=Sensitivity.HIGH)
    assert requests(made(ask("supersede", old, content=f"{SALES} yet"))) == []


def test_the_one_that_is_chosen_among_contradicting_ones_is_found_by_the_requests_of_all() -> None:
    keep, other = own(SALES), requested(own("Orders of internal customers are sales"), "how many sales?")
    choose(keep.pk, [keep.pk, other.pk], scope="", by=ANNA, why="finance says so", at=AT)
    assert requests(keep) == ["how many sales?"]
