"""A contested memory names what speaks against it, on its page and in the inbox, as far as its reader may see that."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.intake import revisions
from memories.intake.reports import revisions as bodies
from memories.intake.revisions.revising import Change
from memories.models import Memory
from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust
from tests.make import ANNA, AT, make_memory
from tests.pages import candidate, signed_in

pytestmark = pytest.mark.django_db
GROUNDS = {"evidence": [{"source_type": "mail", "source_id": "1"}]}
AGENT = Actor(ActorKind.AGENT, "parcel-agent", "7")


def contested_pair(**facts: int) -> tuple[Memory, Memory]:
    memory = make_memory("Globex pays within 30 days", status="confirmed")
    other = make_memory("Globex pays within 60 days", status="confirmed", confidence=70, **facts)
    revisions.contest_by(memory, other, by=ANNA, why="the contract of March", at=AT)
    return memory, other


def ask_to_merge(*memories: Memory) -> None:
    stranger = Trust(Actor(ActorKind.AGENT, "merging-agent", "9"), Sensitivity.HYPER, permissions=frozenset({"read"}))
    new = bodies.check(bodies.NewMemory, {"content": "Acme ships each Monday", "payload": GROUNDS})
    change = Change("merge", "both say the same", new)
    asked = revisions.ask(change, [memory.pk for memory in memories], trust=stranger, at=AT)
    assert asked.proposal is not None


def test_the_opponent_is_named_and_linked_in_the_inbox_and_on_both_pages() -> None:
    memory, other = contested_pair()
    client = signed_in()
    link = f'<a href="/memories/{other.pk}/">“Globex pays within 60 days”</a>'
    assert link in client.get("/").content.decode()
    page = client.get(f"/memories/{memory.pk}/").content.decode()
    assert f'href="/memories/{other.pk}/">Globex pays within' in page and "<ins>" in page
    assert "Contested by anna" in page and "the contract of March" in page
    page = client.get(f"/memories/{other.pk}/").content.decode()
    assert f'<a href="/memories/{memory.pk}/">“Globex pays within 30 days”</a>' in page
    memory.promote(by=ANNA, at=AT)
    for row in (memory, other):
        page = client.get(f"/memories/{row.pk}/").content.decode()
        assert 'id="opponent"' not in page and 'id="contested"' not in page


def test_words_that_contest_it_are_quoted_with_who_said_them() -> None:
    memory = make_memory("The warehouse is closed on Saturdays", status="confirmed")
    revisions.contest_by(memory, "Parcel 4711 left on a Saturday", by=AGENT, why="a parcel left", at=AT)
    client = signed_in()
    assert "parcel-agent contests it: “Parcel 4711 left on a Saturday”" in client.get("/").content.decode()
    page = client.get(f"/memories/{memory.pk}/").content.decode()
    assert "“Parcel 4711 left on a Saturday”" in page and "a parcel left" in page


def test_an_opponent_above_the_reader_is_not_named() -> None:
    memory, other = contested_pair(sensitivity=Sensitivity.HIGH)
    client = signed_in()
    for path in ("/", f"/memories/{memory.pk}/"):
        page = client.get(path).content.decode()
        assert "Globex pays within 30 days" in page
        assert "60 days" not in page and str(other.pk) not in page


def test_pages_with_many_contested_rows_need_fourteen_queries_at_most(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    candidate("book-flight")
    pairs = [contested_pair() for _ in range(3)]
    revisions.contest(*pairs[0], by=ANNA, why="both ways", at=AT)
    ask_to_merge(make_memory("Acme ships on Mondays"), make_memory("Acme ships each Monday"))
    for path in ("/", "/?kind=semantic", *(f"/memories/{row.pk}/" for row in pairs[0])):
        with django_assert_max_num_queries(14):
            client.get(path)
