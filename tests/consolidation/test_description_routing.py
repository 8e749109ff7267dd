"""A description that a language model wrote is tried on the openings of the store before it is proposed."""

import pytest

from consolidation.pipelines.description_routing import Routing, openings_of, routing
from memories.models import Memory, Passage
from skills.models import Skill
from tests.consolidation.test_conversation_skills import FIELDS, HIKE, process, script, talk
from tests.make import AT, user
from tests.model_endpoint import ModelEndpoint

pytestmark = pytest.mark.django_db
TENT = "Which tent should I rent for two people in winter?"
RENT = {
    **FIELDS,
    "name": "rent-a-tent",
    "description": "Rents tents. Use when somebody wants to rent a tent for a trip.",
    "trigger": ["rent", "tent"],
}
ASTRAY = "Rents a tent. Use when somebody asks which tent to rent for people in winter."


def learned(endpoint: ModelEndpoint) -> tuple[Memory, Memory]:
    """Two skills of a scope, each from a conversation of its own."""
    script(endpoint)
    process(talk())
    script(endpoint, RENT)
    process(talk([user(TENT), *HIKE[1:]], id="tent"), minutes=1)
    packing, tent = (Skill.objects.get(name=name).memory for name in (FIELDS["name"], RENT["name"]))
    return packing, tent


def test_a_description_is_tried_on_its_own_openings_and_its_neighbours_and_nothing_of_that_stays(
    endpoint: ModelEndpoint,
) -> None:
    packing, _tent = learned(endpoint)
    openings = openings_of(packing)
    assert (len(openings.own), openings.others) == (1, [TENT])
    before = list(Passage.objects.filter(memory=packing).values())
    assert routing(packing, packing.content, openings, at=AT) == Routing(1, 1, 0, 1)
    assert routing(packing, ASTRAY, openings, at=AT) == Routing(1, 1, 1, 1)
    assert list(Passage.objects.filter(memory=packing).values()) == before
    assert Memory.objects.get(pk=packing.pk).content == FIELDS["description"]


def test_the_former_description_stays_where_it_routes_better_and_the_counts_stand_beside_it(
    endpoint: ModelEndpoint,
) -> None:
    packing, _tent = learned(endpoint)
    version = packing.skill.versions.get()
    assert "found first for 1 of 1 openings of its own runs, 0 of 0 of its neighbours'" in version.changelog
    changed = {**FIELDS, "description": ASTRAY, "experience": ["Ask for shops on the way."], "update": True}
    script(endpoint, {**changed, "old_memory_id": str(packing.pk)})
    process(talk(id="again"), minutes=2)
    version = packing.skill.versions.order_by("-number")[0]
    assert version.fields["description"] == FIELDS["description"]
    assert "Ask for shops on the way." in version.fields["experience"]
    assert "the former description stays: found first for 2 of 2 openings of its own runs" in version.changelog


def test_a_description_that_routes_as_well_takes_the_former_ones_place(endpoint: ModelEndpoint) -> None:
    packing, _tent = learned(endpoint)
    better = "Writes a packing list for a hike with weights. Use when somebody asks what to pack for a week of hiking."
    script(endpoint, {**FIELDS, "description": better, "update": True, "old_memory_id": str(packing.pk)})
    process(talk(id="again"), minutes=2)
    version = packing.skill.versions.order_by("-number")[0]
    assert version.fields["description"] == better and "new description: found first for 2 of 2" in version.changelog
    packing.refresh_from_db()
    assert packing.content == better
