"""GET /metrics, as Prometheus reads it."""

import pytest
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ
from prometheus_client.parser import text_string_to_metric_families

from consolidation.models import LLMCall, Run
from memories.models import Passage, Pending
from memories.values.choices import Permission, Sensitivity
from memos_site.platform import measures
from tests.make import make_agent, make_memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_measured() -> None:
    """What other tests asked for takes seconds to read."""
    measures.requests.clear()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def scraped(client: Client, token: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = client.get("/metrics", headers=bearer(token))
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.content.decode())
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def test_requests_are_measured_by_route_and_never_by_address(client: Client) -> None:
    token = make_agent()[1]
    missing = f"/api/v1/memories/{make_memory(sensitivity=Sensitivity.HYPER).pk}"
    labels = frozenset({("route", "api/v1/memories/<uuid:memory_id>"), ("method", "GET"), ("status", "404")})
    before = scraped(client, token).get(("memos_request_seconds_count", labels), 0)
    client.get(missing, headers=bearer(token))
    after = scraped(client, token)
    assert after["memos_request_seconds_count", labels] == before + 1
    assert not [name for name in after if missing in str(name)]


def test_a_search_counts_as_found_or_empty(client: Client) -> None:
    token = make_agent()[1]
    claim: dict[str, object] = {"key": "k", "category": "fact", "source": "P01", "content": "Acme pays on net-30 terms"}
    claim |= {"direct": True, "confidence": 70}
    assert client.post("/api/v1/memories", claim, "application/json", headers=bearer(token)).status_code == 201
    before = scraped(client, token)
    for kind in ("semantic", "competence"):
        body = {"query": "net-30 terms", "types": [kind]}
        client.post("/api/v1/search", body, "application/json", headers=bearer(token))
    after = scraped(client, token)
    for answer in ("found", "empty"):
        key = ("memos_retrievals_total", frozenset({("kind", "search"), ("answer", answer)}))
        assert after[key] == before.get(key, 0) + 1


def test_the_queue_tells_its_depth(client: Client) -> None:
    OrmQ.objects.create(key="memos", payload="-", lock=timezone.now())
    figures = scraped(client, make_agent()[1])
    assert figures["memos_jobs_queued", frozenset()] == 1
    assert figures["memos_jobs_oldest_seconds", frozenset()] >= 0
    assert figures["memos_workers_alive", frozenset()] == 0


def test_the_inbox_is_counted_within_the_trust_of_the_token(client: Client) -> None:
    make_memory(status="candidate")
    make_memory(status="candidate", sensitivity=Sensitivity.HIGH)
    low, high = (make_agent(f"of-{level}", clearance=level)[1] for level in (Sensitivity.LOW, Sensitivity.HIGH))
    key = ("memos_inbox_items", frozenset({("kind", "semantic")}))
    assert (scraped(client, low)[key], scraped(client, high)[key]) == (1, 2)


def test_passages_and_calls_of_the_model_are_counted_within_the_clearance_of_the_token(client: Client) -> None:
    for number, sensitivity in enumerate((Sensitivity.LOW, Sensitivity.HIGH), start=1):
        memory = make_memory(sensitivity=sensitivity)
        facts: dict[str, object] = {"scope": "", "sensitivity": sensitivity, "type": memory.type, "at": timezone.now()}
        passage = Passage.objects.create(memory=memory, position=1, text="-", **facts)
        Pending.objects.create(passage=passage, model="other")
        run = Run.objects.create(kind="extract", trigger="api", status="done", sensitivity=sensitivity)
        used = {"tokens_in": number, "purpose": "facts", "model": "m"}
        LLMCall.objects.create(run=run, ok=True, at=timezone.now(), **used)
    low, high = (make_agent(f"of-{level}", clearance=level)[1] for level in (Sensitivity.LOW, Sensitivity.HIGH))
    ended = frozenset({("model", "m"), ("ended", "ok")})
    keys = [
        ("memos_passages_pending", frozenset()),
        *((f"memos_model_{of}_last_day", ended) for of in ("calls", "tokens")),
    ]
    assert [scraped(client, low)[key] for key in keys] == [1, 1, 1]
    assert [scraped(client, high)[key] for key in keys] == [2, 2, 3]


def test_a_token_that_is_confined_to_scopes_is_refused_in_a_sentence(client: Client) -> None:
    answer = client.get("/metrics", headers=bearer(make_agent(scopes=["project:a"])[1]))
    assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    assert answer.json()["detail"] == "these figures are of all scopes: they need a token that is confined to none"


@pytest.mark.parametrize("token", ["", "wrong"])
def test_nobody_else_reads_it(client: Client, token: str) -> None:
    assert client.get("/metrics", headers=bearer(token) if token else {}).status_code == 401


def test_a_token_without_the_permission_to_read_is_refused(client: Client) -> None:
    token = make_agent(permissions=[Permission.INGEST])[1]
    assert client.get("/metrics", headers=bearer(token)).status_code == 403
