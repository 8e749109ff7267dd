"""Whose episodes an event may join: what is above the caller takes nothing from it, and tells it nothing."""

from typing import Any
from uuid import uuid4

import pytest

from memories.intake import episodes
from memories.intake.reports.events import EventReport, ToolOutputReport, check
from memories.models import Episode, Event
from memories.values.choices import Sensitivity
from memories.values.exceptions import Invalid, NotFound
from memories.values.trust import Trust, everything
from tests.make import AT, caller, make_agent

pytestmark = pytest.mark.django_db


def opened(*, trust: Trust | None = None, **said: Any) -> Episode:
    body = {"source": "ci", "event_kind": "deploy", "ref": "b7", "thread_id": "t1", **said}
    [stored] = episodes.record_events([check(EventReport, body)], trust=trust or everything(), at=AT)
    assert not isinstance(stored, Exception) and stored.memory
    return Episode.objects.get(pk=stored.memory.pk)


def reports(episode_id: Any) -> list[Any]:
    to = {"source": "ci", "episode_id": str(episode_id)}
    event = check(EventReport, {**to, "event_kind": "deploy", "ref": "b8", "sensitivity": "hyper"})
    return [event, check(ToolOutputReport, {**to, "tool_name": "rg"})]


@pytest.mark.parametrize("clearance", [Sensitivity.LOW, Sensitivity.MEDIUM])
def test_an_event_that_names_an_episode_above_the_clearance_is_refused_and_adds_nothing(clearance: Sensitivity) -> None:
    episode, trust = opened(sensitivity="high"), make_agent(clearance=clearance)[0].trust
    refused = episodes.record_events(reports(episode.pk), trust=trust, at=AT)
    unknown = episodes.record_events(reports(uuid4()), trust=trust, at=AT)
    assert [type(one) for one in refused] == [NotFound, NotFound]
    assert [str(one) for one in refused] == [str(one) for one in unknown]
    episode.refresh_from_db()
    assert (episode.event_count, episode.last_event_at, Event.objects.count()) == (1, AT, 1)
    assert episode.memory.sensitivity == Sensitivity.HIGH


def test_nor_may_an_agent_name_its_own_that_it_opened_above_itself() -> None:
    trust = make_agent()[0].trust
    episode = opened(trust=trust, sensitivity="high")
    assert [type(one) for one in episodes.record_events(reports(episode.pk), trust=trust, at=AT)] == [
        NotFound,
        NotFound,
    ]
    assert Event.objects.count() == 1


def test_what_the_caller_sees_takes_it() -> None:
    episode, trust = opened(sensitivity="medium"), make_agent()[0].trust
    episodes.record_events(reports(episode.pk), trust=trust, at=AT)
    assert Episode.objects.get(pk=episode.pk).event_count == 3


def test_an_event_is_not_put_into_another_scope_than_it_says() -> None:
    episode = opened(scope="project:a")
    body = {"source": "ci", "event_kind": "deploy", "ref": "b8", "episode_id": str(episode.pk)}
    stated = [check(EventReport, body | scope) for scope in ({"scope": "project:b"}, {"scope": "project:a"}, {})]
    refused, *joined = episodes.record_events(stated, trust=everything(), at=AT)
    assert isinstance(refused, Invalid) and refused.errors[0].pointer == "/scope"
    assert not any(isinstance(answer, Exception) for answer in joined)
    assert list(Event.objects.filter(episode=episode).values_list("position", flat=True)) == [1, 2, 3]


@pytest.mark.parametrize("said", [{}, {"scope": "project:a"}, {"scope": "project:b"}])
def test_nor_does_an_outcome_end_an_episode_of_another_scope_than_it_says(said: dict[str, str]) -> None:
    episode = opened(scope="project:a")
    body = {"source": "ci", "target_record_id": str(episode.pk), "outcome_status": "success", **said}
    answer = caller(permissions=["report", "review"]).post("/api/v1/outcomes", body, format="json")
    episode.refresh_from_db()
    if said.get("scope") != "project:b":
        assert (answer.status_code, episode.outcome) == (200, "success")
        return
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "another_scope")
    within = caller(permissions=["report", "review"], scopes=["project:a"])
    assert within.post("/api/v1/outcomes", body, format="json").status_code == 403  # it writes nothing there at all
    assert episode.outcome is None
