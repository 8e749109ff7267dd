"""Where a memory was used, and who may read it.

A search counts one use of what it gives to an agent, and waits for nobody to do so.
"""

import pytest
from django.db import connection, transaction
from django.utils.html import escape

from memories.models import Memory
from memories.models import injection as injections
from memories.search import filters
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust
from tests.make import AT, make_run
from tests.memories.contexts import ask
from tests.memories.revising import agent
from tests.memories.searched import find, known, said, talk
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_the_page_says_whose_context_it_went_into_and_why() -> None:
    memory = known("Invoices are blue")
    client = signed_in()
    assert "In no agent" in client.get(f"/memories/{memory.pk}/").content.decode()
    ask("invoices of others", source="billing", thread_id="ticket-812")
    page = client.get(f"/memories/{memory.pk}/").content.decode()
    used = page.split('id="used"')[1].split("</section>")[0]
    assert [word for word in ("billing", "by P01", "found by words", "ticket-812") if word not in used] == []


def test_every_query_that_found_it_is_said_in_the_readers_language() -> None:
    memory = known("Invoices are blue", source="billing")
    ask("invoices of others", source="billing")
    page = signed_in().get(f"/memories/{memory.pk}/", headers={"Accept-Language": "zh-hans"}).content.decode()
    used = page.split('id="used"')[1].split("</section>")[0]
    assert "词语" in used and "来源" in used and "words" not in used


def test_the_latest_contexts_come_first_and_only_those_of_this_memory() -> None:
    blue = known("Invoices are blue", source="P09")
    known("The sky is wide", source="P09")
    for number in range(12):
        ask("invoices", thread_id=f"t{number}")
        ask("sky")
    shown = injections.contexts_of(blue, trust=agent())
    assert [used.injection.thread_id for used in shown] == [f"t{number}" for number in range(11, 1, -1)]
    assert {(used.why, used.injection.at) for used in shown} == {("words", AT)}


def test_a_context_above_the_reader_is_not_told() -> None:
    blue = known("Invoices are blue")
    known("Invoices are secret", sensitivity=Sensitivity.HYPER)
    ask("invoices", by=agent(max_sensitivity=4))
    assert injections.contexts_of(blue, trust=agent()) == []
    assert len(injections.contexts_of(blue, trust=agent(max_sensitivity=4))) == 1
    ask("invoices", scope="project:a")
    assert injections.contexts_of(blue, trust=agent(scopes=frozenset({"project:b"}))) == []


def test_the_page_says_how_the_runs_ended_that_had_it_in_their_prompt() -> None:
    blue = known("Invoices are blue")
    for thread, outcome in (("a", "success"), ("a", "success"), ("b", "failure"), ("c", None), ("", "success")):
        ask("invoices of others", thread_id=thread or None)
        if thread:
            make_run(thread_id=thread, outcome=outcome)
    shown = injections.contexts_of(blue, trust=agent())
    assert [used.run is not None for used in shown] == [False, True, True, True, True]
    assert injections.ends_of(shown) == (3, 1, 1)
    page = " ".join(signed_in().get(f"/memories/{blue.pk}/").content.decode().split())
    assert "Of the 3 runs that lately had it in their prompt 1 ended well and 1 badly." in page


def test_a_run_above_the_reader_is_not_told() -> None:
    blue = known("Invoices are blue")
    ask("invoices of others", thread_id="a")
    make_run(thread_id="a", sensitivity="hyper", outcome="failure")
    assert [used.run for used in injections.contexts_of(blue, trust=agent())] == [None]


def test_the_page_shows_a_memory_as_an_agent_reads_it() -> None:
    memory = known("Invoices are # blue\n## and <b>late</b>")
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    block = ask("invoices of others", by=agent()).block
    line = next(line for line in block.splitlines() if "blue" in line)
    assert escape(line.replace(f", {filters.MARK}", "")) in page


AGENT = Trust(Actor(ActorKind.AGENT, "bot", "7"), max_sensitivity=2)


def test_agents_use_the_first_ten_and_people_none() -> None:
    for number in range(12):
        known(f"Acme pays bill {number}")
    find("Acme", limit=12)
    assert not Memory.objects.filter(times_used__gt=0).exists()
    found = find("Acme", limit=12, by=AGENT)
    used = {result.memory.pk for result in found.results[:10]}
    assert set(Memory.objects.filter(times_used=1, last_used_at=AT).values_list("pk", flat=True)) == used


def test_an_episode_found_by_several_passages_is_used_once() -> None:
    memory = talk("Anna: the parcel broke", "Ben: which parcel broke?")
    assert len(find("parcel", unit="passage", by=AGENT).results) == 2
    assert Memory.objects.get(pk=memory.pk).times_used == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_written_with_a_use_is_as_durable_as_before() -> None:
    def durability() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return str(cursor.fetchone()[0])

    memory, usual = known("Acme pays now"), durability()
    with transaction.atomic():
        Memory.objects.count_use([memory.pk], at=AT)
        assert durability() == usual
    Memory.objects.count_use([memory.pk], at=AT)
    assert (durability(), Memory.objects.get().times_used) == (usual, 2)


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_not_waited_for() -> None:
    held, free = known("Acme pays now"), known("Acme pays later")
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1 FROM memories_memory WHERE id = %s FOR UPDATE", [held.pk])
        assert len(said(find("Acme", by=AGENT))) == 2
        cursor.execute("ROLLBACK")
    other.close()
    assert [Memory.objects.get(pk=row.pk).times_used for row in (held, free)] == [0, 1]
