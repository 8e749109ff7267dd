"""A further conversation improves a skill that is there, or makes a new one; what people decided holds."""

import pytest

from memories.models import Evidence, Memory
from memories.values.choices import Status
from memories.values.trust import everything
from memos_site import review
from skills.models import Skill, SkillVersion
from tests.consolidation.test_conversation_skills import FIELDS, FULL, process, script, talk
from tests.make import AT, BEN
from tests.model_endpoint import ModelEndpoint

pytestmark = pytest.mark.django_db


def test_a_second_conversation_improves_the_skill_that_the_model_was_shown(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    first = Skill.objects.get()
    review.decide(everything(BEN), first.pk, "promote", at=AT, why="read it")
    published = first.versions.get()
    improved = {
        **FIELDS,
        "name": "other-name",
        "experience": ["Ask for shops on the way."],
        "procedure": "1. Ask.\n2. List.",
    }
    script(endpoint, {**improved, "update": True, "old_memory_id": str(first.pk)})
    process(talk(id="second"))
    assert f"id: {first.pk}" in endpoint.sent(8)
    [published_now, proposed] = first.versions.order_by("number")
    assert (published_now.sha256, published_now.status) == (published.sha256, "published")
    assert proposed.status == "proposed"
    assert proposed.fields["experience"] == [*FIELDS["experience"], "Ask for shops on the way."]
    assert proposed.fields["scripts"], "no section vanishes silently"
    assert "lines of the procedure are gone" in proposed.changelog
    assert Memory.objects.get(pk=first.pk).status == Status.CONFIRMED
    assert Evidence.objects.filter(memory=first.pk).count() == 2


def test_an_invented_id_is_not_believed(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    other = {**FIELDS, "name": "bake-bread", "description": "Bakes sourdough bread.", "trigger": ["bread", "sourdough"]}
    script(endpoint, {**other, "update": True, "old_memory_id": str(talk(id="other").pk)})
    process(talk(id="second"))
    assert set(Skill.objects.values_list("name", flat=True)) == {FIELDS["name"], "bake-bread"}


def test_a_dissimilar_skill_is_a_new_one_whatever_the_model_says(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    known = Skill.objects.get()
    other = {
        **FIELDS,
        "name": "file-taxes",
        "description": "Files a tax return.",
        "trigger": ["taxes"],
        "procedure": "1. File.",
    }
    script(endpoint, {**other, "update": True, "old_memory_id": str(known.pk)})
    process(talk(id="second"))
    assert Skill.objects.count() == 2


def test_the_same_name_is_an_update_even_unasked(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    script(endpoint, {**FIELDS, "experience": ["Count the water, too."]})
    process(talk(id="second"))
    assert Skill.objects.count() == 1
    assert SkillVersion.objects.get(status="proposed").number == 2


def test_a_dismissed_skill_does_not_come_back(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    review.decide(everything(BEN), Skill.objects.get().pk, "dismiss", at=AT, why="wrong")
    script(endpoint, {**FULL, "name": "another-name"})
    run = process(talk(id="second"))
    script(endpoint)
    process(talk(id="third"))
    assert run.counters == {"tasks": 1, "suppressed": 1}
    assert not Memory.objects.live().filter(type="competence").exists()


def test_a_more_secret_conversation_makes_a_skill_of_its_own(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk())
    script(endpoint)
    process(talk(id="second", sensitivity="medium"))
    assert sorted(Skill.objects.values_list("name", "memory__sensitivity")) == [
        ("write-hiking-packing-list", 1),
        ("write-hiking-packing-list-2", 2),
    ]
