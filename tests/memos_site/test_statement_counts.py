"""How many SQL statements a write costs: everything that is sent to the database but BEGIN and COMMIT."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client

from memories.models import DigestKey
from tests.consolidation.experience import consolidated, run
from tests.make import make_agent

pytestmark = pytest.mark.django_db(transaction=True)
STORE = {"key": "terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "ci", "scope": "shop"}
OBSERVATION = {"subject": "Acme", "predicate": "pays within", "object": "30 days", "source": "ci", "scope": "shop"}
EVENT = {"source": "ci", "event_kind": "deploy", "ref": "build-7"}
CONVERSATION = {"id": "run-7", "source": "ci", "messages": [{"role": "user", "content": "Where is my parcel?"}] * 20}
ENDS = ("BEGIN", "COMMIT")


@contextmanager
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that psycopg sends, also those of the database backend itself, which Django's log leaves out."""
    statements: list[str] = []
    for name in ("execute", "_exec_command"):
        kind = psycopg.Connection if name == "_exec_command" else psycopg.Cursor
        monkeypatch.setattr(kind, name, noted(getattr(kind, name), statements))
    yield statements
    monkeypatch.undo()


def noted(send: Callable[..., Any], statements: list[str]) -> Callable[..., Any]:
    def call(self: Any, query: Any, *more: Any, **options: Any) -> Any:
        statements.append(query.decode() if isinstance(query, bytes) else str(query))
        return send(self, query, *more, **options)

    return call


@pytest.mark.parametrize(
    ("path", "body", "again", "most"),
    [
        ("memories", STORE, {}, (3, 5)),
        ("memories", STORE, {"thread_id": "ticket-8"}, (3, 5)),
        ("observations", OBSERVATION, {}, (3, 5)),
        ("events", EVENT, {}, (2, 2)),
        ("events", {**EVENT, "thread_id": "t1"}, {}, (4, 4)),
        ("conversations", CONVERSATION, {"id": "run-8"}, (2, 2)),
    ],
)
def test_a_write_costs_few_statements(
    path: str, body: dict[str, Any], again: dict[str, Any], most: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of its kind, and the same again, which confirms or joins. The token is asked for in one of them."""
    DigestKey.current()
    client = Client(headers={"Authorization": f"Bearer {make_agent()[1]}"})

    def write(fields: dict[str, Any]) -> None:
        answer = client.post(f"/api/v1/{path}", fields, content_type="application/json")
        assert answer.status_code in (200, 201), answer.content

    write({**body, **{name: f"warm-{body[name]}" for name in ("key", "subject", "id", "ref") if name in body}})
    for fields, limit in zip((body, {**body, **again}), most, strict=True):
        with sent(monkeypatch) as statements:
            write(fields)
        asked = [statement for statement in statements if not statement.startswith(ENDS)]
        assert len(asked) <= limit, asked
        assert [end for end in statements if end.startswith(ENDS)] == [*ENDS]
        assert not [one for one in asked if "SAVEPOINT" in one]


def test_the_token_is_asked_for_at_every_request() -> None:
    """A revoked token fails at once, in whatever process it was used before."""
    agent, token = make_agent()
    client = Client(headers={"Authorization": f"Bearer {token}"})
    assert client.post("/api/v1/events", EVENT, content_type="application/json").status_code == 201
    with connection.cursor() as cursor:  # as another process does
        cursor.execute("UPDATE memories_agent SET revoked_at = now() WHERE id = %s", [agent.pk])
    assert client.post("/api/v1/events", EVENT, content_type="application/json").status_code == 401


def test_a_consolidation_of_two_small_runs_costs_few_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first skill is learned, proposed and measured in them."""
    for minutes in range(2):
        run(["go_test", "go_build", "lint"], minutes=minutes)
    with sent(monkeypatch) as statements:
        assert consolidated().counters["versions_proposed"] == 1
    asked = [statement for statement in statements if not statement.startswith((*ENDS, "SAVEPOINT", "RELEASE"))]
    assert len(asked) <= 216, len(asked)
