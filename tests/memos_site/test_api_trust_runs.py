"""Verdicts, the queue of runs to judge and batches tell nothing of what the caller may not see."""

from typing import Any
from uuid import uuid4

import pytest

from memories.models import Episode, Memory
from tests.consolidation.experience import consolidated
from tests.make import user
from tests.memos_site.test_api_trust import TOKENS, Secret, ask, caller_and_trust, secrets

pytestmark = pytest.mark.django_db
__all__ = ["secrets"]


@pytest.mark.parametrize("review", [True, False])
def test_a_verdict_names_no_run_that_the_caller_may_not_see(secrets: list[Secret], review: bool) -> None:
    Episode.objects.update(outcome="success", outcome_source="reported")
    consolidated()
    for token in TOKENS:
        client, trust = caller_and_trust(*token, review=review)
        for secret in secrets:
            said = {"messages": [user(f"{secret.word} happened")]}
            status, shown = ask(client, "POST", "verdict", said)
            assert status == 200, shown
            hidden = [one for one in secrets if not one.is_seen_by(trust)]
            assert not [one for one in hidden if one.word in shown or str(one.episode) in shown], (secret, token)


def test_the_queue_counts_what_the_caller_may_judge(secrets: list[Secret]) -> None:
    for token in TOKENS:
        client, trust = caller_and_trust(*token, review=True)
        seen = [secret for secret in secrets if secret.is_seen_by(trust)]
        assert client.get("/api/v1/outcomes/queue?limit=1").json()["waiting"] == len(seen), token


def test_a_batch_tells_nothing_of_what_may_not_be_seen(secrets: list[Secret]) -> None:
    client, trust = caller_and_trust(1, ["project:alpha"], review=True)
    ids = [secret.memory for secret in secrets] + [uuid4()]
    answer: Any = client.post("/api/v1/memories/bulk", {"action": "promote", "ids": ids}, format="json")
    told = answer.json()
    seen = [secret for secret in secrets if secret.is_seen_by(trust)]
    assert set(told["done"]) == {str(secret.memory) for secret in seen if secret.scope == "project:alpha"}
    foreign = {str(secret.memory) for secret in seen if secret.scope != "project:alpha"}
    assert {one["id"] for one in told["failed"] if one["code"] == "not_allowed"} == foreign
    assert {one["detail"] for one in told["failed"] if one["id"] not in foreign} == {
        "there is nothing here, or nothing that you may see"
    }
    every: Any = client.post(
        "/api/v1/memories/bulk",
        {"action": "dismiss", "filter": {}, "as_of": "2999-01-01T00:00:00Z"} | {"why": "x"},
        format="json",
    )
    dismissed = Memory.objects.filter(status="dismissed", pk__in=every.json()["done"]).values_list("content", flat=True)
    assert {content.split()[0] for content in dismissed} == {
        secret.word for secret in seen if secret.scope == "project:alpha"
    }
