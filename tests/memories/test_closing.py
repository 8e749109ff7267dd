"""Silence closes an episode; an event that comes in time keeps it open."""

from datetime import timedelta
from typing import Any

import pytest

from memories.intake import episodes
from memories.intake.reports.events import EventReport, check
from memories.models import Episode
from memories.values.choices import Outcome
from memories.values.exceptions import NotFound
from memories.values.trust import everything
from tests.make import AT

pytestmark = pytest.mark.django_db


def happened(*, minutes: int = 0, **fields: Any) -> None:
    report = check(EventReport, {"source": "ci", "event_kind": "e", "ref": "r", **fields})
    episodes.record_events([report], trust=everything(), at=AT + timedelta(minutes=minutes))


@pytest.mark.parametrize("thread", [{}, {"thread_id": "t1"}], ids=["single", "thread"])
def test_half_an_hour_of_silence_closes_an_episode(thread: dict[str, Any]) -> None:
    happened(**thread)
    assert episodes.close_silent(at=AT + timedelta(minutes=30)) == 0
    assert episodes.close_silent(at=AT + timedelta(minutes=31)) == 1
    assert Episode.objects.get().closed_at == AT + timedelta(minutes=31)


def test_an_event_keeps_its_episode_open() -> None:
    happened(thread_id="t1")
    happened(thread_id="t1", minutes=20)
    assert episodes.close_silent(at=AT + timedelta(minutes=45)) == 0


def test_an_event_that_happened_long_ago_and_is_told_now_does_not_close_its_episode() -> None:
    happened(timestamp="2020-01-01T00:00:00Z")
    assert episodes.close_silent(at=AT + timedelta(minutes=5)) == 0


def test_the_outcome_of_an_episode_that_is_forgotten_at_this_moment_is_refused() -> None:
    happened()
    episode = Episode.objects.select_related("memory").get()
    Episode.objects.get().memory.delete()
    with pytest.raises(NotFound):
        episodes.set_outcome(episode, Outcome.SUCCESS, trust=everything(), source="ci", at=AT)
