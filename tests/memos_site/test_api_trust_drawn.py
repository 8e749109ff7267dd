"""The same walk with tokens and rows that are drawn: what may not be seen looks like nothing, in words and in queries.

A failure names its seed, which draws the same again.
"""

from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.trust import Trust
from tests.memos_site.test_api_trust import (
    LISTS,
    NOTHING,
    REVIEWED,
    Secret,
    ask,
    caller_and_trust,
    everything_listed,
    make_secret,
)

pytestmark = pytest.mark.django_db
SEEDS, SECRETS, TOKENS = range(2), 7, 5  # each secret is a dozen rows
SCOPES = ["", "global", "project:alpha", "project:beta", "user:anna"]
Walk = tuple[Random, list[Secret]]


@pytest.fixture(params=SEEDS, ids=lambda seed: f"seed{seed}")
def walk(request: pytest.FixtureRequest) -> Walk:
    draw = Random(request.param)
    return draw, [make_secret(number, draw.choice(SCOPES), draw.randrange(5)) for number in range(SECRETS)]


def drawn_caller(draw: Random, *, review: bool) -> tuple[APIClient, Trust]:
    scopes = draw.sample(SCOPES[2:], draw.randrange(3))
    client, trust = caller_and_trust(draw.randrange(5), scopes, review=review)
    client.get("/api/v1/me")  # its first call is remembered
    return client, trust


def test_lists_show_exactly_what_may_be_seen(walk: Walk) -> None:
    draw, secrets = walk
    for _ in range(TOKENS):
        review = draw.random() < 0.5
        client, trust = drawn_caller(draw, review=review)
        for path in [path for name, paths in LISTS.items() if review or name not in REVIEWED for path in paths]:
            shown = everything_listed(client, f"/api/v1/{path}")
            assert told(shown, secrets) == seen_by(trust, secrets), (path, trust)


def test_nothing_is_told_of_one_row_in_words_or_in_queries(walk: Walk) -> None:
    draw, secrets = walk
    for _ in range(TOKENS):
        client, trust = drawn_caller(draw, review=draw.random() < 0.5)
        hidden = [secret for secret in secrets if not secret.is_seen_by(trust)]
        if hidden:
            assert answers(client, draw.choice(hidden)) == answers(client, NOTHING), trust


def test_a_wrong_question_about_a_hidden_row_is_a_wrong_question_about_nothing(walk: Walk) -> None:
    draw, secrets = walk
    client, trust = drawn_caller(draw, review=True)
    for secret in [secret for secret in secrets if not secret.is_seen_by(trust)]:
        for mine, nobodys in zip(wrong(secret), wrong(NOTHING), strict=True):
            assert ask(client, *mine) == ask(client, *nobodys), (mine, trust)


def told(shown: str, secrets: list[Secret]) -> set[str]:
    return {secret.word for secret in secrets if secret.word in shown}


def seen_by(trust: Trust, secrets: list[Secret]) -> set[str]:
    return {secret.word for secret in secrets if secret.is_seen_by(trust)}


def answers(client: APIClient, secret: Secret) -> dict[str, list[tuple[int, str, int]]]:
    """Of every address: status, text, and how many statements it took."""
    found: dict[str, list[tuple[int, str, int]]] = {}
    for route, requests in secret.addresses().items():
        found[route] = []
        for method, path, body in requests:
            with CaptureQueriesContext(connection) as queries:
                status, shown = ask(client, method, path, body)
            found[route].append((status, shown, len(queries)))
    return found


def wrong(secret: Secret) -> list[tuple[str, str, Any]]:
    """Questions with a fault in them: the fault is answered the same whether the row is there or not."""
    memory = f"memories/{secret.memory}"
    return [
        ("GET", f"{memory}?nonsense=1", None),
        ("PATCH", memory, {"nonsense": 1}),
        ("PATCH", memory, {"sensitivity": "private"}),
        ("POST", f"{memory}/dismiss", {"reason": 5}),
        ("POST", f"{memory}/promote", {"to": "heaven"}),
        ("POST", f"{memory}/contest", {}),
        ("POST", f"{memory}/penalize", {"amount": -1}),
        ("POST", "outcomes", {"source": "ci", "target_record_id": secret.episode, "outcome_status": "banana"}),
        ("POST", "events", {"source": "ci", "episode_id": secret.episode, "event_kind": "x"}),
        ("DELETE", f"episodes/{secret.episode}/events", None),
    ]
