"""An endpoint that fails is left alone for a while: nobody waits for it again, and words are searched meanwhile."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from memories import embedding
from memories.embedding import Refused, Unavailable, interface
from memories.indexing import queue
from memories.models import EmbeddingModel
from tests import embedding_endpoint
from tests.embedding_endpoint import Endpoint
from tests.make import AT
from tests.memories import contexts
from tests.memories.searched import find, known, said
from tests.memos_site.processes import PATIENCE


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    with embedding_endpoint.listening() as listening:
        settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = listening.url, "m"
        yield listening


def ask(*, patience: float = PATIENCE) -> bool:
    """Whether there is a vector."""
    return embedding.ask(embedding.embedder(), "When does Acme pay?", patience=patience) is not None


def test_one_that_hangs_is_waited_for_once(endpoint: Endpoint) -> None:
    over = threading.Event()
    endpoint.fault = lambda _: (500, {"over": over.wait(PATIENCE)})
    with pytest.raises(Unavailable):
        ask(patience=interface.FAIR)
    with pytest.raises(Unavailable, match="asked again in"):
        ask()
    over.set()
    assert len(endpoint.asked) == 1


def test_after_its_rest_the_first_one_finds_out_and_the_others_do_not_wait(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interface, "REST", 0)
    endpoint.fault = lambda _: (500, {"error": "down"})
    with pytest.raises(Unavailable, match="answered 500"):
        ask()
    met: list[str] = []

    def meanwhile(_: Any) -> None:
        with pytest.raises(Unavailable, match="asked again in") as told:
            ask()
        met.append(str(told.value))

    endpoint.fault = meanwhile
    assert ask()
    assert len(met) == 1
    endpoint.fault = None
    assert [ask(), ask(), len(endpoint.asked)] == [True, True, 4]


def test_a_text_that_is_refused_and_too_little_patience_say_nothing_against_it(endpoint: Endpoint) -> None:
    endpoint.fault = lambda _: (400, {"error": "too long"})
    with pytest.raises(Refused):
        ask()
    over = threading.Event()
    endpoint.fault = lambda _: (500, {"over": over.wait(PATIENCE)})
    with pytest.raises(Unavailable):
        ask(patience=0.05)
    over.set()
    endpoint.fault = None
    assert ask()


@pytest.mark.django_db
def test_each_search_says_what_is_missing(endpoint: Endpoint) -> None:
    EmbeddingModel.objects.create(name="m", dimensions=8, near_duplicate_threshold=0.8, active=True)
    known("Acme pays on net-30 terms")
    endpoint.fault, endpoint.asked = (lambda _: (503, {"error": "down"})), []
    for _ in range(3):
        found = find("When does Acme pay?")
        assert (said(found), found.degraded) == (["Acme pays on net-30 terms"], ("embedding",))
    assert len(endpoint.asked) == 1


@pytest.mark.django_db
def test_where_an_endpoint_changes_the_size_of_its_vectors_words_are_searched(endpoint: Endpoint) -> None:
    EmbeddingModel.objects.create(name="m", dimensions=8, near_duplicate_threshold=0.8, active=True)
    known("Acme pays on net-30 terms")
    assert queue.embed_some(at=AT)["embedded"] == 1
    endpoint.dimensions = 16
    found, given = find("When does Acme pay?"), contexts.ask("When does Acme pay?")
    assert (said(found), found.degraded) == (["Acme pays on net-30 terms"], ("embedding",))
    assert (contexts.said(given), given.degraded) == (["Acme pays on net-30 terms"], ("embedding",))
