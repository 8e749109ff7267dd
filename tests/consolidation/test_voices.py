"""One agent that reports the most does not outvote several that agree; one that works a lot loses nothing by it."""

import numpy as np
import pytest
from rest_framework.test import APIClient

from consolidation.guidance.experience import loudest, voters
from consolidation.models.profiles import RunProfile
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import ask, learn
from tests.make import caller

TEAM = {n: everything(Actor(ActorKind.AGENT, f"agent-{n}", f"agent-{n}")) for n in range(3)}
LOUD = everything(Actor(ActorKind.AGENT, "loud", "loud"))
FLIGHT = "Please cancel my ticket to Rome, my plans have changed"


def runs(voice: str, effect: str, count: int, *, outcome: str = "success") -> list[RunProfile]:
    return [RunProfile(voice=voice, effects=[effect], outcome=outcome) for _ in range(count)]


def heard(known: list[RunProfile], *, reader: str = "") -> dict[str, int]:
    """How many runs of each agent vote, where all are equally near."""
    chosen = voters(range(len(known)), known, np.full(len(known), 0.5, np.float32), reader=reader)
    return {voice: sum(known[n].voice == voice for n in chosen) for voice in {run.voice for run in known}}


def test_who_contradicts_several_agents_has_as_many_votes_as_the_busiest_of_them() -> None:
    team = runs("a", "refund", 8) + runs("b", "refund", 5)
    assert heard(runs("loud", "voucher", 60) + team) == {"loud": 8, "a": 8, "b": 5}
    assert heard(runs("loud", "refund", 60, outcome="failure") + team) == {"loud": 8, "a": 8, "b": 5}


def test_an_agent_that_works_a_lot_votes_with_all_its_runs_unless_more_agents_contradict_it() -> None:
    busy = runs("busy", "refund", 60)
    assert heard(busy) == {"busy": 60}
    assert heard(busy + runs("careless", "voucher", 30)) == {"busy": 60, "careless": 30}
    assert heard(busy + runs("a", "refund", 5) + runs("b", "refund", 5)) == {"busy": 60, "a": 5, "b": 5}
    assert heard(busy + runs("a", "voucher", 1) + runs("b", "voucher", 1)) == {"busy": 60, "a": 1, "b": 1}
    assert heard(busy + runs("a", "voucher", 5) + runs("b", "voucher", 5), reader="busy")["busy"] == 60


def test_who_found_what_works_is_heard_where_the_others_only_failed() -> None:
    failed = runs("a", "refund", 8, outcome="failure") + runs("b", "refund", 8, outcome="failure")
    assert heard(runs("finder", "voucher", 40) + failed)["finder"] == 40


def test_runs_of_others_are_looked_for_where_one_agent_fills_all_places() -> None:
    assert loudest(runs("loud", "voucher", 30) + runs("a", "refund", 10), 40) == "loud"
    assert loudest(runs("loud", "voucher", 30), 40) is None
    assert loudest(runs("a", "refund", 20) + runs("b", "refund", 20), 40) is None


@pytest.mark.django_db
def test_false_reports_of_one_agent_do_not_turn_what_others_are_told() -> None:
    agent: APIClient = caller()
    for n in range(15):
        learn(n, "cancel_ticket", wish=FLIGHT, trust=TEAM[n % 3])
    for n in range(15, 45):
        learn(n, "send_voucher", wish=FLIGHT, trust=LOUD)
    consolidated()
    assert ask(agent, messages=None, task=FLIGHT)["expected"]["effects"] == ["cancel_ticket"]
