"""Back and forth through a person's decisions, as the audit trail tells them."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.intake import claims
from memories.intake.reports.claims import read_teaching
from memories.models import AuditEntry, Memory
from memories.people import trust_of
from memories.values.trust import everything
from memos_site import review
from tests.deciding import LATER, TRUST
from tests.make import ANNA, AT, BEN, make_memory, make_person
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def decided(minute: int, verb: str = "promote") -> UUID:
    return review.decide(TRUST, make_memory().pk, verb, at=AT + timedelta(minutes=minute), why="noise").batch


def undone(batch: UUID, minute: int) -> UUID:
    return review.undo(TRUST, batch, at=AT + timedelta(minutes=minute)).batch


def lists() -> tuple[list[UUID], list[UUID]]:
    history = review.history(ANNA, since=AT)
    return history.decisions, history.undos


def test_undoing_goes_back_redoing_forth_and_a_new_decision_ends_the_way_forth() -> None:
    one, two, three = (decided(minute) for minute in range(1, 4))
    assert lists() == ([one, two, three], [])
    not_three, not_two = undone(three, 4), undone(two, 5)
    assert lists() == ([one], [not_three, not_two])
    again_two = undone(not_two, 6)
    assert lists() == ([one, again_two], [not_three])
    not_again = undone(again_two, 7)
    assert lists() == ([one], [not_three, not_again])
    four = decided(8, "dismiss")
    assert lists() == ([one, four], [])


def test_the_way_back_passes_by_what_could_not_be_undone() -> None:
    one, two, three = (decided(minute) for minute in range(1, 4))
    history = review.history(ANNA, since=AT)
    assert [history.undo_before(batch) for batch in (None, three, two, one)] == [three, two, one, None]
    assert history.undo_before(uuid4()) == three  # of somebody else, or from before
    assert history.redo_before() is None


def test_it_knows_what_the_person_did_since_then_and_what_can_be_undone() -> None:
    old = decided(0)
    review.decide(everything(BEN), make_memory().pk, "promote", at=LATER)
    teaching = read_teaching({"content": "Acme pays on net-60 terms", "scope": ""})
    claims.teach(teaching, trust=TRUST, at=LATER)
    mine = decided(2)
    assert review.history(ANNA, since=AT + timedelta(minutes=1)).decisions == [mine]
    assert lists()[0] == [old, mine]


def test_a_bulk_is_one_step_however_many_rows_it_has(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    many = review.by_ids(TRUST, [make_memory(f"claim {n}").pk for n in range(60)], "snooze", at=LATER, until=None)
    undo = undone(many.batch, 70)
    with django_assert_num_queries(2):
        assert lists() == ([], [undo])


def test_a_page_comes_anew_when_an_undo_moves_more_rows_than_are_sent() -> None:
    client, ids = signed_in(), [make_memory(f"claim {n}").pk for n in range(60)]
    trust = trust_of(make_person("berta"))
    many = review.by_ids(trust, ids, "dismiss", at=LATER, why="noise")
    answer = client.post(f"/undo/{many.batch}/", headers=HTMX)
    assert answer.headers["HX-Refresh"] == "true"
    page = client.get("/").content.decode()
    assert "Undone: “claim 0”, “claim 1”, “claim 2” and 57 more" in page
    assert ">Redo" in " ".join(page.split()).replace("> Redo", ">Redo")


def test_the_rows_of_an_answer_say_what_stands() -> None:
    client = signed_in()
    one, two = make_memory("Acme pays late"), make_memory("Acme pays early")
    for memory in (one, two):
        client.post(f"/memories/{memory.pk}/decide/", {"decision": "promote"}, headers=HTMX)
    last, first = AuditEntry.objects.order_by("-at").values_list("batch_id", flat=True)[:2]
    page = client.post(f"/undo/{last}/", headers=HTMX).content.decode()
    assert f'id="row-{two.pk}"' in page and "Undone: “Acme pays early”" in page
    assert f"/undo/{first}/" in page  # what is undone next
    redo = AuditEntry.objects.get(action="undo").batch_id
    page = client.post(f"/undo/{redo}/", headers=HTMX).content.decode()
    assert "Redone: “Acme pays early”" in page
    assert f'id="row-{two.pk}" tabindex="-1"\ndata-row="done" hidden hx-swap-oob="true"' in page
    assert Memory.objects.get(pk=two.pk).status == "confirmed"
