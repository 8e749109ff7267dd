"""Words nominate the memories that a claim is compared with: by what is indexed, and no text is read twice."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import claims
from memories.intake.claims import equals_elsewhere
from memories.models import Memory, Passage
from memories.models.nominating import nominated
from memories.models.passage import of_memories
from tests.make import make_memory

pytestmark = pytest.mark.django_db


def indexed(content: str, **facts: Any) -> Memory:
    memory = make_memory(content, **facts)
    Passage.objects.write(of_memories([memory]))
    return memory


def test_rows_are_ranked_by_their_stored_words_and_found_through_the_index_of_their_scope() -> None:
    chosen = indexed("Acme pays its invoices within 30 days", key="one", scope="a")
    indexed("Acme pays its invoices within 30 days", key="two", scope="b")
    with CaptureQueriesContext(connection) as queries:
        rows = list(nominated("Acme pays invoices in thirty days", Memory.objects.live(), scopes=["a"]))
    assert rows == [chosen]
    [ranking] = [query["sql"] for query in queries if "ts_rank" in query["sql"]]
    assert "to_tsvector" not in ranking
    assert '(ARRAY["memories_passage"."scope"]) &&' in ranking


def test_a_text_is_read_once_however_many_are_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = indexed("Acme pays its invoices within 30 days", scope="a")
    others = [indexed(f"Acme pays its invoices within {days} days", scope="b") for days in (30, 45, 60)]
    texts_read: list[str] = []
    read = claims.claim_of

    def claim_of(content: str) -> claims.Claim:
        texts_read.append(content)
        return read(content)

    monkeypatch.setattr(claims, "claim_of", claim_of)
    assert equals_elsewhere([memory], Memory.objects.live()) == {memory.pk: others[:1]}
    assert sorted(texts_read) == sorted({memory.content, *(other.content for other in others)})


def test_where_else_many_claims_are_known_is_asked_in_as_few_statements_as_of_one() -> None:
    here = [indexed(f"Acme pays its invoices within {days} days", scope="a") for days in (30, 45, 60)]
    there = [indexed(row.content, scope=scope) for row in here for scope in ("b", "c")]
    numbers: list[int] = []
    for asked in (here[:1], here):
        with CaptureQueriesContext(connection) as queries:
            known = equals_elsewhere(asked, Memory.objects.live())
        numbers.append(len(queries))
    assert known == {row.pk: there[2 * n : 2 * n + 2] for n, row in enumerate(here)}
    assert numbers == [4, 4]
