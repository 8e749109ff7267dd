"""Where a memory was used, and who may read it."""

import pytest

from memories.search import usage
from memories.values.choices import Sensitivity
from tests.make import AT
from tests.memories.contexts import ask
from tests.memories.revising import agent
from tests.memories.searched import known
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


def test_the_latest_contexts_come_first_and_only_those_of_this_memory() -> None:
    blue = known("Invoices are blue", source="P09")
    known("The sky is wide", source="P09")
    for number in range(12):
        ask("invoices", thread_id=f"t{number}")
        ask("sky")
    shown = usage.contexts_of(blue, trust=agent())
    assert [used.injection.thread_id for used in shown] == [f"t{number}" for number in range(11, 1, -1)]
    assert {(used.why, used.injection.at) for used in shown} == {("words", AT)}


def test_a_context_above_the_reader_is_not_told() -> None:
    blue = known("Invoices are blue")
    known("Invoices are secret", sensitivity=Sensitivity.HYPER)
    ask("invoices", by=agent(max_sensitivity=4))
    assert usage.contexts_of(blue, trust=agent()) == []
    assert len(usage.contexts_of(blue, trust=agent(max_sensitivity=4))) == 1
    ask("invoices", scope="project:a")
    assert usage.contexts_of(blue, trust=agent(scopes=frozenset({"project:b"}))) == []
