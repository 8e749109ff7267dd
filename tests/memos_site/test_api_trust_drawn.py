"""The same walk with tokens and rows that are drawn: what may not be seen looks like nothing, in words and in queries.

A failure names its seed, which draws the same again.
"""

import re
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.values.trust import Trust
from tests.memos_site.revised_pairs import Pair, make_pair
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
from tests.shared_rows import shared_rows_of_seeds

pytestmark = pytest.mark.django_db
SEEDS, SECRETS, TOKENS = range(2), 7, 5  # each secret is a dozen rows
PAIRS = 10
SCOPES = ["", "global", "project:alpha", "project:beta", "user:anna"]
Walk = tuple[Random, list[Secret]]


@shared_rows_of_seeds(SEEDS)
def walk(seed: int) -> Walk:
    draw = Random(seed)
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


@shared_rows_of_seeds(SEEDS)
def pairs(seed: int) -> tuple[Random, list[Pair]]:
    draw = Random(seed)
    return draw, [make_pair(number, draw, draw.choice(SCOPES)) for number in range(PAIRS)]


def test_what_was_decided_with_something_higher_tells_nothing_of_that(pairs: tuple[Random, list[Pair]]) -> None:
    draw, rows = pairs
    for _ in range(TOKENS):
        client, trust = drawn_caller(draw, review=True)
        lists = "".join(everything_listed(client, f"/api/v1/{path}") for path in (*LISTS["inbox"], *LISTS["audit"]))
        for pair in rows:
            around = "".join(str(client.get(path).json()) for path in paths_around(pair))
            found = [text for text in (pair.word, *pair.ids) if text in without_own_addresses(around + lists)]
            assert bool(found) == pair.is_seen_by(trust), (pair, trust, found)


def paths_around(pair: Pair) -> list[str]:
    low = f"/api/v1/memories/{pair.low.pk}"
    trails = [f"{low}/{trail}" for trail in ("history", "evidence", "relations")]
    return [low, f"{low}?include=history,evidence,relations", *trails, f"/api/v1/proposals/{pair.proposal}"]


def without_own_addresses(shown: str) -> str:
    return re.sub(r"'instance': '[^']*'", "", shown)


def test_the_trail_tells_review_of_agents_of_its_own_scopes_only(pairs: tuple[Random, list[Pair]]) -> None:
    draw, rows = pairs
    for number in range(TOKENS):
        client, trust = drawn_caller(draw, review=number % 2 == 0)
        shown = everything_listed(client, "/api/v1/audit?limit=100")
        for pair in rows:
            assert (pair.agent.name in shown) == pair.agent_is_seen_by(trust), (pair, trust)


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
