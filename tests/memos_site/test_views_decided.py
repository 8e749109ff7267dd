"""What a person decided in a session: counted above the queue, listed with a way back at each, by what holds now."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memories.values.choices import Sensitivity, Status
from memos_site import review
from tests.deciding import propose
from tests.make import make_memory, make_person
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def returning_reviewer() -> Client:
    client = signed_in()
    User.objects.update(last_login=timezone.now() - timedelta(minutes=1))
    return client


def decide(client: Client, memory: Memory, decision: str, **more: Any) -> str:
    return client.post(f"/memories/{memory.pk}/decide/", {"decision": decision}, **more).content.decode()


def rows(client: Client) -> list[str]:
    """The text of each row, and the buttons in it."""
    page = client.get("/decided/").content.decode()
    found = re.findall(r"<tr data-row.*?</tr>", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in found]


def press(client: Client, number: int) -> str:
    """The page after the button of a row was pressed."""
    page = client.get("/decided/").content.decode()
    row = re.findall(r"<tr data-row.*?</tr>", page, re.DOTALL)[number]
    address = re.search(r"/undo/[0-9a-f-]{36}/", row)
    assert address
    return client.post(address[0], {"next": "/decided/"}, follow=True).content.decode()


def test_the_queue_says_how_many_were_decided_since_signing_in(returning_reviewer: Client) -> None:
    first, second, third = (make_memory(f"claim {n}") for n in range(3))
    assert re.search(r'id="decided"[^>]*hidden', returning_reviewer.get("/").content.decode())
    review.decide(trust_of(make_person("ben")), third.pk, "promote", at=timezone.now())
    decide(returning_reviewer, first, "promote")
    answer = decide(returning_reviewer, second, "dismiss noise", headers=HTMX)
    assert re.search(r'id="decided"[^>]*hx-swap-oob="true">\s*Decided in this session: 2', answer)
    assert "Decided in this session: 2" in returning_reviewer.get("/").content.decode()
    User.objects.filter(username="anna").update(last_login=timezone.now())
    assert re.search(r'id="decided"[^>]*hidden', returning_reviewer.get("/").content.decode())


def test_several_decided_at_once_count_each_and_stand_in_one_row(returning_reviewer: Client) -> None:
    ids = [make_memory(f"claim {n}").pk for n in range(5)]
    returning_reviewer.post("/bulk/", {"decision": "dismiss noise", "chosen": "\n".join(f"{pk} " for pk in ids)})
    assert "Decided in this session: 5" in returning_reviewer.get("/").content.decode()
    (row,) = rows(returning_reviewer)
    assert "and 2 more" in row and "dismissed" in row and "noise" in row


def test_the_newest_stands_first_and_each_is_undone_and_done_again_where_it_stands(returning_reviewer: Client) -> None:
    first, second = make_memory("Acme pays late"), make_memory("Acme pays early")
    decide(returning_reviewer, first, "promote")
    decide(returning_reviewer, second, "dismiss stale")
    newest, oldest = rows(returning_reviewer)
    assert newest.startswith("Acme pays early") and "dismissed stale" in newest and "in force" in newest
    assert oldest.startswith("Acme pays late") and oldest.endswith("in force Undo")
    assert "Undone: “Acme pays late”" in press(returning_reviewer, 1)
    assert Memory.objects.get(pk=first.pk).status == Status.CANDIDATE
    assert rows(returning_reviewer)[1].endswith("undone Redo")
    assert "Redone" in press(returning_reviewer, 1)
    assert Memory.objects.get(pk=first.pk).status == Status.CONFIRMED
    assert rows(returning_reviewer)[1].endswith("in force Undo") and len(rows(returning_reviewer)) == 2
    press(returning_reviewer, 1)
    assert Memory.objects.get(pk=first.pk).status == Status.CANDIDATE


def test_what_somebody_changed_since_is_named_and_has_no_way_back(returning_reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    decide(returning_reviewer, memory, "promote")
    ben = trust_of(make_person("ben"))
    batch = review.decide(ben, memory.pk, "dismiss", at=timezone.now(), why="wrong").batch
    (row,) = rows(returning_reviewer)
    assert "ben dismissed this" in row and "(wrong)" in row and not row.endswith("Undo")
    review.undo(ben, batch, at=timezone.now())
    assert rows(returning_reviewer)[0].endswith("in force Undo")


def test_of_two_decisions_about_one_row_the_later_goes_back_first(returning_reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    decide(returning_reviewer, memory, "promote")
    decide(returning_reviewer, memory, "promote applied")
    later, earlier = rows(returning_reviewer)
    assert "applied" in later and later.endswith("Undo")
    assert "anna promoted this" in earlier and not earlier.endswith("Undo")
    press(returning_reviewer, 0)
    assert [row.endswith("Undo") for row in rows(returning_reviewer)] == [False, True]


def test_a_proposal_is_named_by_its_memory(returning_reviewer: Client) -> None:
    memory = make_memory(status="confirmed")
    proposal = propose(memory)
    returning_reviewer.post(f"/proposals/{proposal.pk}/decide/", {"decision": "reject"})
    (row,) = rows(returning_reviewer)
    assert row.startswith(memory.content) and "rejected" in row and row.endswith("Undo")
    press(returning_reviewer, 0)
    assert Proposal.objects.open().exists()


def test_what_a_person_may_not_see_any_more_is_not_named(returning_reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    decide(returning_reviewer, memory, "promote")
    decide(returning_reviewer, make_memory("Acme pays early"), "promote")
    Memory.objects.filter(pk=memory.pk).update(sensitivity=Sensitivity.HYPER)
    AuditEntry.objects.raise_about([memory.pk], Sensitivity.HYPER)
    assert len(rows(returning_reviewer)) == 1 and "late" not in returning_reviewer.get("/decided/").content.decode()


def test_the_list_needs_the_same_queries_for_one_and_for_many(
    returning_reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(8):
        decide(returning_reviewer, make_memory(f"claim {n}"), "promote")
    with django_assert_max_num_queries(12):
        assert len(rows(returning_reviewer)) == 8
