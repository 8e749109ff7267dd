"""One agent that reports the most does not outvote several that agree; one that works a lot loses nothing by it."""

from typing import Literal

import numpy as np
import pytest
from rest_framework.test import APIClient

from consolidation.guidance.voices import majority_voice, misleading, voters
from consolidation.guidance.votes import Case
from consolidation.models.profiles import GuidanceCurve, RunProfile
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import ask, learn
from tests.make import caller

Ending = Literal["success", "failure", "partial"]

TEAM = {n: everything(Actor(ActorKind.AGENT, f"agent-{n}", f"agent-{n}")) for n in range(3)}
LOUD = everything(Actor(ActorKind.AGENT, "loud", "loud"))
SECOND = everything(Actor(ActorKind.AGENT, "second", "second"))
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
    assert majority_voice(runs("loud", "voucher", 30) + runs("a", "refund", 10), 40) == "loud"
    assert majority_voice(runs("loud", "voucher", 30), 40) is None
    assert majority_voice(runs("a", "refund", 20) + runs("b", "refund", 20), 40) is None


@pytest.mark.django_db
def test_false_reports_of_one_agent_do_not_turn_what_others_are_told() -> None:
    agent: APIClient = caller()
    for n in range(15):
        learn(n, "cancel_ticket", wish=FLIGHT, trust=TEAM[n % 3])
    for n in range(15, 45):
        learn(n, "send_voucher", wish=FLIGHT, trust=LOUD)
    consolidated()
    assert ask(agent, messages=None, task=FLIGHT)["expected"]["effects"] == ["cancel_ticket"]


def cases(*groups: tuple[str, Ending, int]) -> list[Case]:
    """(effect, outcome, how many) of each group, each run a case of its own."""
    each = [(effect, outcome) for effect, outcome, count in groups for _ in range(count)]
    return [Case(str(n), outcome, frozenset([effect])) for n, (effect, outcome) in enumerate(each)]


def alike(count: int) -> np.ndarray:
    return np.full((count, count), 0.5, np.float32) + np.eye(count, dtype=np.float32) / 2


TEAM_OF_TWO = ["a"] * 6 + ["b"] * 6


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        (("voucher", "success"), "loud"),
        (("refund", "failure"), "loud"),
        (("refund", "success"), ""),
    ],
)
def test_who_reports_the_most_is_left_out_where_the_others_are_foretold_better_without_it(
    said: tuple[str, Ending], left_out: str
) -> None:
    known = cases(("refund", "success", 12), (*said, 30))
    assert misleading([*TEAM_OF_TWO, *["loud"] * 30], known, alike(42)) == left_out


def test_who_ends_well_where_the_others_failed_is_not_left_out() -> None:
    known = cases(("refund", "failure", 12), ("refund", "success", 40))
    assert misleading([*TEAM_OF_TWO, *["loud"] * 40], known, alike(52)) == ""


def test_nobody_is_left_out_by_few_runs_or_by_one_other_agent() -> None:
    known = cases(("refund", "success", 12), ("voucher", "success", 30))
    assert misleading([*["a"] * 12, *["loud"] * 30], known, alike(42)) == ""
    few = cases(("refund", "success", 9), ("voucher", "success", 30))
    assert misleading([*TEAM_OF_TWO[:9], *["loud"] * 30], few, alike(39)) == ""
    quiet = cases(("refund", "success", 12), ("voucher", "success", 5))
    assert misleading([*TEAM_OF_TWO, *["c"] * 5], quiet, alike(17)) == ""


@pytest.mark.django_db
def test_the_volume_of_one_agent_does_not_beat_others_of_which_each_reports_little() -> None:
    agent: APIClient = caller()
    for n in range(12):
        learn(n, "cancel_ticket", wish=FLIGHT, trust=TEAM[n % 3])
    for n in range(12, 52):
        effect, trust = ("send_voucher", LOUD) if n % 2 else ("send_coupon", SECOND)
        learn(n, effect, wish=FLIGHT, trust=trust)
    consolidated()
    assert ask(agent, messages=None, task=FLIGHT)["expected"]["effects"] == ["cancel_ticket"]
    left_out = GuidanceCurve.objects.get().fitted["left_out"]
    assert set(left_out) == {LOUD.actor.identity, SECOND.actor.identity}


@pytest.mark.django_db
def test_of_runs_that_were_imported_each_source_is_a_voice() -> None:
    importing = everything(Actor(ActorKind.SYSTEM, "import", "import"))
    for n, source in enumerate(("first-agent", "second-agent")):
        learn(n, "cancel_ticket", wish=FLIGHT, trust=importing, source=source)
    learn(3, "cancel_ticket", wish=FLIGHT, trust=LOUD, source="first-agent")
    consolidated()
    voices = set(RunProfile.objects.values_list("voice", flat=True))
    assert voices == {"import:first-agent", "import:second-agent", LOUD.actor.identity}
