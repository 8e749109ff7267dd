"""A person who writes what was dismissed is told which dismissal it meets, and keeps the text."""

import pytest
from django.test import Client

from memories.models import Tombstone
from memories.values.choices import Status
from tests.make import ANNA, AT, make_memory
from tests.pages import HTMX

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_dismissed_words_are_refused_with_a_way_to_the_dismissal_and_what_was_typed(
    reviewer: Client, headers: dict[str, str]
) -> None:
    no = make_memory("Acme pays on net-60 terms")
    no.dismiss(by=ANNA, why="wrong", at=AT)
    memory = make_memory()
    said = {"decision": "promote", "content": "Acme pays on net-60 terms."}
    told = reviewer.post(f"/memories/{memory.pk}/decide/", said, headers=headers)
    assert told.status_code == 409
    page = told.content.decode()
    assert "his claim was dismissed by anna" in page
    assert f'href="/memories/{no.pk}/#tombstone"' in page
    assert "Acme pays on net-60 terms.</textarea>" in page
    memory.refresh_from_db()
    assert (memory.status, memory.version) == (Status.CANDIDATE, 1)
    Tombstone.objects.get().lift(by=ANNA, at=AT)
    assert reviewer.post(f"/memories/{memory.pk}/decide/", said, headers=HTMX).status_code == 200
