"""Before processes are forked one search is made, so that each of them need not build what its first one uses."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import EmbeddingModel, Memory
from memories.models.vector import _half_floats
from memos_site.management import rehearsal
from tests.make import AT
from tests.memories.searched import known

pytestmark = pytest.mark.django_db


def searches() -> list[str]:
    """The statements of a rehearsal that find candidates."""
    with CaptureQueriesContext(connection) as queries:
        rehearsal.rehearse_search(at=AT)
    return [query["sql"] for query in queries.captured_queries if "matched AS MATERIALIZED" in query["sql"]]


def test_the_newest_scope_is_searched_and_no_use_is_counted() -> None:
    known("Invoices are paid on Fridays", scope="project:old")
    known("Acme pays late", scope="project:shop")
    [search] = searches()
    assert "project:shop" in search
    assert list(Memory.objects.values_list("times_used", flat=True)) == [0, 0]


def test_an_empty_store_is_searched_too() -> None:
    assert len(searches()) == 1


def test_an_endpoint_is_asked_for_nothing() -> None:
    known("Acme pays late")
    EmbeddingModel.objects.create(name="of-an-endpoint@8", dimensions=8, near_duplicate_threshold=0.9, active=True)
    _half_floats.cache_clear()
    assert searches() == []
    assert _half_floats.cache_info().currsize == 1, "what its vectors are written with"


def test_a_search_that_fails_does_not_end_the_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rehearsal, "NEWEST", "SELECT 1 / 0")
    assert searches() == []
    assert "division by zero" in caplog.text
    assert not Memory.objects.exists()
