"""Random verbs by three agents and two people, each compared with the rules in plain Python (`--verbs` says how many).

Every comparison is of the whole row; the row's neighbours are compared every few verbs.
"""

from copy import deepcopy

import pytest

from tests.rulebook.free_world import VERBS, FreeWorld
from tests.rulebook.timeline import Timeline
from tests.rulebook.world import AGENTS, BY_AGENTS, BY_PEOPLE, World

pytestmark = pytest.mark.django_db
RARE = {"store suppressed", "store reset", "store proposed", "undo done", "undo refused", "accept done"}
RARE |= {"dismiss done with equals"}


@pytest.mark.parametrize("seed", range(2))
def test_whatever_agents_and_people_do_every_rule_of_the_lifecycle_holds(seed: int, verbs: int) -> None:
    world = World(seed)
    world.store()
    for number in range(4 * verbs):
        if number >= verbs and world.done.keys() >= RARE:
            break
        world.step(BY_AGENTS | BY_PEOPLE)
        if number % 20 == 0:
            world.agree_beside()
    world.agree()
    world.agree_beside()
    assert world.done.keys() >= RARE


def test_undoing_everything_returns_to_the_start(verbs: int) -> None:
    world = World(7)
    world.store()
    for _ in range(verbs // 4):
        world.step(BY_AGENTS)
    start, decided = deepcopy(world.book), len(world.decisions)
    for _ in range(verbs // 4):
        world.step({verb: weight for verb, weight in BY_PEOPLE.items() if verb != "undo"})
    for batch in reversed(world.decisions[decided:]):
        assert world.undo_one(batch) == "done"
    assert {id: row.standing for id, row in world.book.rows.items()} == {
        id: row.standing for id, row in start.rows.items()
    }
    assert world.book.proposals == start.proposals
    assert {grave.row for grave in world.book.graves} == {grave.row for grave in start.graves}
    world.agree()
    world.agree_beside()


def test_as_of_every_verb_all_stands_as_it_stood_after_it(verbs: int) -> None:
    world, timeline = World(3), Timeline(AGENTS["bob"])
    world.store()
    for _ in range(verbs):
        timeline.note(world.at)
        world.step(BY_AGENTS | BY_PEOPLE)
    timeline.check(world.at)


@pytest.mark.parametrize("seed", range(2))
def test_as_of_finds_again_what_was_before_revisions_decay_undo_and_forgetting(seed: int, verbs: int) -> None:
    world, timeline = FreeWorld(seed), Timeline(AGENTS["bob"])
    for number in range(8 * verbs):
        if number >= verbs and world.done.keys() >= VERBS.keys():
            break
        world.step()
        timeline.note(world.at)
    assert world.done.keys() == VERBS.keys()
    timeline.check(world.at)
