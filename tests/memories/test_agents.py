"""Agents: a token is shown once and stored as a hash; wrong, expired and revoked are the same nobody."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from memories.api.call_limits import CallCounts
from memories.models import Agent, AuditEntry
from memories.values.choices import Permission, Sensitivity
from tests.make import ANNA, AT, make_agent

pytestmark = pytest.mark.django_db


def test_a_token_finds_its_agent() -> None:
    agent, token = make_agent()
    make_agent()
    assert Agent.with_token(token, at=AT) == agent


def test_a_token_is_stored_as_a_hash_only() -> None:
    agent, token = make_agent()
    stored = " ".join(str(value) for value in Agent.objects.values().get(pk=agent.pk).values())
    assert token.split("_", 2)[2] not in stored


@pytest.mark.parametrize(
    "change", [{"expires_at": AT}, {"expires_at": AT - timedelta(days=1)}, {"revoked_at": AT}, {"prefix": "other"}]
)
def test_a_token_that_is_expired_or_revoked_finds_nobody(change: dict[str, object]) -> None:
    agent, token = make_agent()
    Agent.objects.filter(pk=agent.pk).update(**change)
    assert Agent.with_token(token, at=AT) is None


def test_a_token_holds_until_it_expires() -> None:
    _, token = make_agent(expires_at=AT + timedelta(seconds=1))
    assert Agent.with_token(token, at=AT) is not None


@pytest.mark.parametrize("cut", [slice(0, -1), slice(1, None), slice(0, 14), slice(0, 0)])
def test_a_part_of_a_token_finds_nobody(cut: slice) -> None:
    assert Agent.with_token(make_agent()[1][cut], at=AT) is None


@pytest.mark.parametrize("token", ["memos__", "memos_\0_x", "memos_" + "a" * 5_000 + "_x", "memos_é_漢", "_" * 9])
def test_no_token_is_too_strange_to_be_asked_for(token: str) -> None:
    make_agent()
    assert Agent.with_token(token, at=AT) is None


def test_calls_are_written_at_once_and_then_at_most_every_half_minute() -> None:
    agent, counts = make_agent()[0], CallCounts()
    for seconds, written, used in ((0, 1, 0), (1, 1, 0), (29, 1, 0), (30, 4, 30), (31, 4, 30)):
        counts.count(agent, at=AT + timedelta(seconds=seconds))
        agent.refresh_from_db()
        assert (agent.calls, agent.last_used_at) == (written, AT + timedelta(seconds=used)), seconds
    counts.write(at=AT + timedelta(seconds=40))
    agent.refresh_from_db()
    assert (agent.calls, agent.last_used_at) == (5, AT + timedelta(seconds=31))


def test_what_a_silent_agent_left_is_written_with_the_call_of_another() -> None:
    silent, other, counts = make_agent()[0], make_agent()[0], CallCounts()
    for seconds in (0, 1, 2):
        counts.count(silent, at=AT + timedelta(seconds=seconds))
    counts.count(other, at=AT + timedelta(seconds=40))
    silent.refresh_from_db()
    assert (silent.calls, silent.last_used_at) == (3, AT + timedelta(seconds=2))


def test_two_processes_count_together_and_a_new_day_begins_anew() -> None:
    agent, here, there = make_agent()[0], CallCounts(), CallCounts()
    here.count(agent, at=AT)
    there.count(agent, at=AT)
    agent.refresh_from_db()
    assert agent.calls == 2
    here.count(agent, at=AT + timedelta(days=1))
    agent.refresh_from_db()
    assert (agent.calls, str(agent.calls_on)) == (1, "2026-03-02")
    assert agent.calls_today == 0  # today is another day


def test_what_a_process_left_of_a_day_before_takes_nothing_from_what_another_counted_since() -> None:
    agent, here, there = make_agent()[0], CallCounts(), CallCounts()
    here.count(agent, at=AT)
    here.count(agent, at=AT + timedelta(seconds=1))
    later = AT + timedelta(days=1)
    there.count(agent, at=later)
    here.write(at=later + timedelta(hours=1))
    agent.refresh_from_db()
    assert (agent.calls, str(agent.calls_on), agent.last_used_at) == (1, "2026-03-02", later)


def test_by_default_an_agent_reads_and_reports_everywhere_up_to_medium_and_decides_nothing() -> None:
    trust = make_agent()[0].trust
    assert (trust.max_sensitivity, trust.scopes, trust.sources) == (Sensitivity.MEDIUM, None, frozenset())
    assert {permission for permission in Permission if trust.may(permission)} == {"read", "ingest", "report", "skills"}


def test_issuing_a_token_is_audited_without_it() -> None:
    agent, token = make_agent("crm", by=ANNA, scopes=["project:alpha"], clearance=Sensitivity.HIGH)
    [entry] = AuditEntry.objects.about("agent", agent.pk)
    assert (entry.action, entry.actor, entry.label, entry.sensitivity) == ("create", "anna", "crm", Sensitivity.HIGH)
    assert (entry.after["scopes"], entry.after["clearance"]) == (["project:alpha"], "high")
    said = str(AuditEntry.objects.values().get(pk=entry.pk))
    assert not [part for part in token.split("_", 2)[1:] if part in said]


def test_a_name_that_is_taken_issues_nothing_and_leaves_no_trace() -> None:
    make_agent("crm")
    with pytest.raises(IntegrityError), transaction.atomic():
        make_agent("crm")
    assert (Agent.objects.count(), AuditEntry.objects.count()) == (1, 1)
