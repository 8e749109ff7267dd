"""A call that depends on another joins its episode, by the name that the server gave to the other."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.intake.episodes import joining
from memories.intake.episodes.joining import NodeReference
from memories.models import Episode, Event
from tests.make import AT, bearing, caller, make_agent
from tests.memories.test_api_reports import WHOLE, Json, report

pytestmark = pytest.mark.django_db
CALL = "tool-outputs"


def node(answer: Json) -> Any:
    return answer["payload"]["tool_graph"][0]


def flags(answer: Json) -> list[str]:
    return list(Event.objects.get(episode=answer["id"], position=answer["payload"]["event_count"]).flags)


def test_a_node_is_named_by_its_episode_and_place(agent: APIClient) -> None:
    first = report(agent, CALL, thread_id="t1")
    second = report(agent, CALL, thread_id="t1")
    assert [node(one)["id"] for one in (first, second)] == [f"{first['id'][:8]}-1", f"{first['id'][:8]}-2"]
    events = agent.get(f"/api/v1/episodes/{first['id']}/events").json()["results"]
    assert [event["node_id"] for event in events] == [node(first)["id"], node(second)["id"]]


def test_a_chain_of_calls_without_thread_is_one_episode(agent: APIClient) -> None:
    first = report(agent, CALL)
    second = report(agent, CALL, depends_on=[node(first)["id"]])
    third = report(agent, CALL, depends_on=[node(second)["id"], node(first)["id"]])
    assert [first["http"], second["http"], third["http"]] == [201, 200, 200]
    assert {first["id"], second["id"], third["id"]} == {first["id"]}
    assert node(third)["depends_on"] == [node(second)["id"], node(first)["id"]]
    assert (third["payload"]["event_count"], flags(third)) == (3, [])


def test_several_of_one_batch_join_what_they_depend_on(agent: APIClient) -> None:
    first = report(agent, CALL)
    item = {"kind": "tool_output", **WHOLE[CALL], "depends_on": [node(first)["id"]]}
    answer = agent.post("/api/v1/batch", {"items": [item, {**WHOLE[CALL], "kind": "tool_output"}, item]}, format="json")
    assert [one["status"] for one in answer.json()["results"]] == [200, 201, 200]
    assert Episode.objects.get(pk=first["id"]).event_count == 3


def test_an_earlier_node_may_be_named_by_its_place_alone(agent: APIClient) -> None:
    first = report(agent, CALL, thread_id="t1")
    joined = report(agent, CALL, thread_id="t1", depends_on=["n1"])
    assert (node(joined)["depends_on"], flags(joined)) == ([node(first)["id"]], [])


@pytest.mark.parametrize("said", ["n1", "n0", "ffffffff-1", "call-1", "-1", "n1 ", "n", "{self}", "{next}"])
def test_what_names_no_earlier_node_is_kept_and_flagged(agent: APIClient, said: str) -> None:
    first = report(agent, CALL, thread_id="t1")
    said = said.format(self=f"{first['id'][:8]}-2", next=f"{first['id'][:8]}-3")
    more = {"thread_id": "t1"} if said.startswith(first["id"][:8]) else {}
    other = report(agent, CALL, depends_on=[said], **more)
    assert (node(other)["depends_on"], flags(other)) == ([said], ["unknown_dependency"])
    assert (other["id"] == first["id"]) == bool(more)


def test_nobody_else_joins_by_it_nor_after_the_close_nor_in_another_scope(agent: APIClient) -> None:
    first = report(agent, CALL, scope="project:a")
    name = node(first)["id"]
    for other, more in ((caller(), {}), (agent, {"scope": "project:b"}), (agent, {"scope": ""})):
        apart = report(other, CALL, depends_on=[name], **more)
        assert (apart["http"], apart["id"] == first["id"]) == (201, False)
        assert "unknown_dependency" in flags(apart)
    assert report(agent, CALL, scope="project:a", depends_on=[name])["id"] == first["id"]
    report(agent, "outcomes", target_record_id=first["id"])
    assert report(agent, CALL, scope="project:a", depends_on=[name])["http"] == 201


def test_an_episode_above_the_caller_is_not_joined() -> None:
    agent, token = make_agent(clearance=1)
    first = report(bearing(token), CALL, sensitivity="high")
    apart = report(bearing(token), CALL, depends_on=[node(first)["id"]])
    assert (apart["http"], apart["id"] == first["id"], agent.clearance) == (201, False, 1)


def test_of_several_with_a_node_of_that_name_the_last_one_is_joined_and_it_is_flagged(agent: APIClient) -> None:
    first, second = report(agent, CALL), report(agent, CALL)
    assert node(first)["id"] == node(second)["id"]  # ids of one minute begin alike
    joined = report(agent, CALL, depends_on=[node(first)["id"]])
    assert (joined["id"], flags(joined)) == (second["id"], ["ambiguous_dependency"])
    again = report(agent, CALL, depends_on=[node(joined)["id"]])  # only one of them has a second node
    assert (again["id"], flags(again)) == (second["id"], [])


def test_whose_episode_is_closed_at_this_moment_opens_the_next(
    agent: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = report(agent, CALL)
    found = joining.follow

    def closing(*args: Any, **kwargs: Any) -> Any:
        there = found(*args, **kwargs)
        Episode.objects.update(closed_at=AT)
        return there

    monkeypatch.setattr(joining, "follow", closing)
    apart = report(agent, CALL, depends_on=[node(first)["id"]])
    assert (apart["http"], flags(apart)) == (201, ["unknown_dependency"])


def test_many_nodes_of_one_episode_are_looked_up_by_one_statement(django_assert_num_queries: Any) -> None:
    agent, token = make_agent("chains")
    made, *_others = [report(bearing(token), CALL, thread_id="t1") for _ in range(3)]
    nodes = [NodeReference(made["id"][:8], position, None) for position in (1, 2, 3, 4)]
    with django_assert_num_queries(1):
        followed = joining.follow(nodes, agent.trust)
    assert {node.position: str(there.episode_id) for node, there in followed.items()} == dict.fromkeys(
        (1, 2, 3), made["id"]
    )
