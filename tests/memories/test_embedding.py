"""The built-in model gives the vectors it was made with; an endpoint is asked correctly, its faults are sentences.

An endpoint that fails is left alone for a while: nobody waits for it again, and words are searched meanwhile.
"""

import json
import logging
import multiprocessing
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memories import embedding
from memories.embedding import Refused, Unavailable, interface
from memories.embedding.endpoint import MOST_TEXTS
from memories.indexing import queue
from memories.models import EmbeddingModel
from tests import embedding_endpoint
from tests.embedding_endpoint import Endpoint, Json, vector_of
from tests.make import AT
from tests.memories import contexts
from tests.memories.searched import find, known, said
from tests.memos_site.processes import PATIENCE

PARITY: list[Json] = json.loads((Path(__file__).parent / "parity.json").read_text(encoding="utf-8"))
KEY = "sk-very-secret"


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    with embedding_endpoint.listening() as listening:
        settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = listening.url, "m"
        settings.EMBEDDING_API_KEY = KEY
        yield listening


@pytest.mark.parametrize("known", PARITY, ids=range(len(PARITY)))
def test_the_built_in_model_gives_the_vectors_that_it_was_made_with(known: Json) -> None:
    [vector] = embedding.built_in().embed([known["text"]])
    wanted = np.array(known["vector"])
    if vector is None:
        assert not wanted.any()
    else:
        assert np.abs(vector - wanted).max() < 2e-4


@pytest.mark.parametrize("text", ["", " \n", "\u2028", "👩‍🚀", "x" * 101, "\x00\ufffd"])
def test_a_text_without_a_known_piece_has_no_vector(text: str) -> None:
    assert embedding.built_in().embed([text]) == [None]


def test_accents_case_and_control_characters_do_not_matter() -> None:
    plain, other = embedding.built_in().embed(["cafe creme", "CAFÉ\u00ad  Cr\x07ème"])
    assert plain is not None and other is not None and np.array_equal(plain, other)


def test_likeness_is_measured_without_what_all_texts_share() -> None:
    said = ["Acme pays on net-30 terms", "Acme pays its bills on net-30 terms", "Acme's office is in Oslo"]
    a, b, c = embedding.built_in().embed(said)
    assert embedding.centred_similarity(a, b) > embedding.built_in().near_duplicate_threshold
    assert a is not None and c is not None and float(a @ c) > 0.5 > embedding.centred_similarity(a, c)
    assert embedding.centred_similarity(a, None) == 0.0


def test_a_fork_shares_the_model_of_its_parent() -> None:
    before = embedding.built_in().embed(["shared"])[0]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        after = pool.apply(_in_a_fork)
    assert before is not None and np.array_equal(before, after)


def _in_a_fork() -> Any:
    assert "_table" in vars(embedding.built_in())
    return embedding.built_in().embed(["shared"])[0]


def test_without_an_endpoint_the_built_in_model_serves() -> None:
    assert embedding.embedder() is embedding.built_in()


def test_each_text_gets_its_own_vector_though_the_answer_is_in_another_order(endpoint: Endpoint) -> None:
    texts = [f"text {number}" for number in range(MOST_TEXTS + 3)]
    for text, vector in zip(texts, embedding.embedder().embed(texts), strict=True):
        wanted = np.array(vector_of(text, 8))
        assert vector is not None and np.allclose(vector, wanted / np.linalg.norm(wanted), atol=1e-6)
    assert [len(body["input"]) for body in endpoint.asked] == [MOST_TEXTS, 3]
    assert endpoint.asked[0]["model"] == "m" and "dimensions" not in endpoint.asked[0]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_what_says_nothing_is_not_sent(endpoint: Endpoint) -> None:
    found = embedding.embedder().embed(["", "a", " \n"])
    assert [vector is None for vector in found] == [True, False, True]
    assert endpoint.texts == ["a"]


def test_dimensions_are_asked_for_and_are_part_of_the_name(endpoint: Endpoint, settings: Any) -> None:
    settings.EMBEDDING_DIMENSIONS = 4
    [vector] = embedding.embedder().embed(["a"])
    assert vector is not None and len(vector) == 4 == endpoint.asked[0]["dimensions"]
    assert embedding.embedder().name == "m@4"
    assert embedding.embedder_of("m@4") == embedding.embedder() != embedding.embedder_of("m")


BAD_ANSWERS: dict[str, tuple[int, Any]] = {
    "down": (503, b"upstream is down"),
    "limited": (429, {"error": {"message": "slow down"}}),
    "wrong key": (401, {"error": {"message": f"wrong key {KEY}"}}),
    "elsewhere": (302, b""),
    "html": (200, b"<html>hello"),
    "deep": (200, b"[" * 100_000),
    "list": (200, []),
    "empty": (200, {"data": []}),
    "too few": (200, {"data": [{"index": 1, "embedding": [1.0]}]}),
    "uneven": (200, {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}),
    "nothing": (200, {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}),
    "NaN": (200, b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1e999]}]}'),
    "words": (200, {"data": [{"index": 0, "embedding": ["a"]}, {"index": 1, "embedding": ["b"]}]}),
    "base64": (200, {"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}]}),
}


@pytest.mark.parametrize("bad", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_an_endpoint_that_does_not_work_is_a_sentence_without_its_key(
    endpoint: Endpoint, bad: tuple[int, Any], caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.fault = lambda body: bad
    with caplog.at_level(logging.DEBUG, logger="memories"), pytest.raises(Unavailable) as raised:
        embedding.embedder().embed(["a", "b"])
    assert str(raised.value).startswith("the embedding endpoint ")
    assert KEY not in str(raised.value) + caplog.text + repr(embedding.embedder())


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_not_taken_is_told_apart_from_an_endpoint_that_is_down(endpoint: Endpoint, status: int) -> None:
    endpoint.fault = lambda body: (status, {"error": {"message": "maximum context length is 512"}})
    with pytest.raises(Refused, match=f"answered {status}.*maximum context length"):
        embedding.embedder().embed(["a"])


def test_wrong_dimensions_are_named(endpoint: Endpoint, settings: Any) -> None:
    settings.EMBEDDING_DIMENSIONS = 4
    endpoint.fault = lambda body: endpoint.answer({**body, "dimensions": 6}) if body.get("dimensions") == 4 else None
    with pytest.raises(Unavailable, match=r"vectors of 6 dimensions, 4 were wanted \(EMBEDDING_DIMENSIONS\)"):
        embedding.embedder().embed(["a"])


def test_nobody_there_is_said_at_once(settings: Any) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.EMBEDDING_ENDPOINT = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(Unavailable, match="cannot be reached"):
            embedding.embedder().embed(["a"])


def test_patience_ends_however_slowly_it_answers(settings: Any) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        settings.EMBEDDING_ENDPOINT = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(Unavailable, match="cannot be reached"):
            embedding.embedder().embed(["a"], patience=0.2)  # which it never does


def test_a_model_of_an_endpoint_that_is_gone_cannot_be_asked() -> None:
    with pytest.raises(Unavailable, match="not set any more"):
        embedding.embedder_of("text-embedding-3-small")


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
