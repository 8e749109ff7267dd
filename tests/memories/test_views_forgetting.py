"""The page that asks before something is forgotten."""

import pytest
from django.test import Client

from memories.models import AuditEntry, Memory
from memories.values.choices import DeletionPolicy, Sensitivity
from tests.make import make_memory, make_person, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer(client: Client) -> Client:
    client.force_login(make_person())
    return client


def test_it_says_what_would_go_and_does_nothing(reviewer: Client) -> None:
    page = reviewer.get(f"/memories/{make_run().pk}/forget/")
    assert "2 events" in page.content.decode()
    assert Memory.objects.exists()


def test_the_word_is_taken_once_and_the_reason_is_kept(reviewer: Client) -> None:
    memory = make_memory()
    answer = reviewer.post(f"/memories/{memory.pk}/forget/", {"why": "they asked for it"}, follow=True)
    assert answer.redirect_chain == [("/memories/", 302)]
    assert "Forgotten." in answer.content.decode()
    assert AuditEntry.objects.about("memory", memory.pk).get().rationale == "they asked for it"
    assert reviewer.post(f"/memories/{memory.pk}/forget/").status_code == 404


def test_a_refusal_says_why(reviewer: Client) -> None:
    memory = make_memory(deletion_policy=DeletionPolicy.NEVER)
    for answer in (reviewer.get(f"/memories/{memory.pk}/forget/"), reviewer.post(f"/memories/{memory.pk}/forget/")):
        assert answer.status_code == 409
        assert "never" in answer.content.decode()
    assert Memory.objects.exists()


def test_it_is_for_those_who_decide_and_may_see_it(reviewer: Client) -> None:
    secret = make_memory(sensitivity=Sensitivity.HYPER)
    assert reviewer.get(f"/memories/{secret.pk}/forget/").status_code == 404
    viewer = Client()
    viewer.force_login(make_person("ben", group="viewer"))
    assert viewer.post(f"/memories/{make_memory().pk}/forget/").status_code == 403
    assert Memory.objects.count() == 2
