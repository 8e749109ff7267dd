"""Two skills that overlap become one: a proposed version, and once it is published, the place of the other."""

from typing import Any

import pytest

from memories.models import Relation
from memories.values.trust import everything
from memos_site import review
from skills import merging, publishing, revising
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT, caller, make_skill, make_version
from tests.skills.test_names_of_skills import change_skill, download

pytestmark = pytest.mark.django_db
TRUST = everything(ANNA)


def publish(skill: Skill, **fields: Any) -> None:
    made = Fields.model_validate({"name": skill.name, "description": f"Does {skill.name}", **fields})
    prepared = publishing.prepare(made, scope=skill.scope, number=publishing.next_number(skill))
    publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.CONSOLIDATION, by=ANNA, at=AT)
    review.decide(TRUST, skill.pk, "promote", at=AT)


def two() -> tuple[Skill, Skill]:
    kept, other = make_skill(), make_skill("reserve-seat")
    publish(kept, procedure="1. Search\n2. Book", trigger=["flight"], scripts={"a.py": "1"}, failure_modes=["No seat"])
    publish(other, procedure="1. Search\n2. Reserve", trigger=["seat"], scripts={"a.py": "2"}, fallbacks=["Wait"])
    return Skill.objects.get(pk=kept.pk), Skill.objects.get(pk=other.pk)


def test_a_merge_unites_both_and_loses_nothing() -> None:
    kept = Fields(name="a", description="A", procedure="1. Go", trigger=["x"], scripts={"r.py": "1"}, fallbacks=["w"])
    other = Fields(
        name="b", description="B", procedure="1. Walk", trigger=["y"], scripts={"r.py": "2"}, fallbacks=["v"]
    )
    both = merging.unite(kept, other)
    assert (both.name, both.description, both.procedure) == ("a", "A", "1. Go\n\n### B\n\n1. Walk")
    assert (both.trigger, both.fallbacks, both.scripts) == (["x", "y"], ["w", "v"], {"r.py": "1", "r-2.py": "2"})
    assert merging.unite(kept, kept) == kept


def test_files_whose_names_differ_in_case_alone_or_are_long_are_both_kept_in_fields_that_can_be_read() -> None:
    long = "a" * 96 + ".py"
    kept = Fields(name="a", description="A", scripts={"check.py": "1", "same.py": "s", long: "1"})
    other = Fields(name="b", description="B", scripts={"Check.py": "2", "Same.py": "s", long: "2"})
    for both in (merging.merge(kept, other).fields, merging.unite(kept, other)):
        shortened = "a" * 80 + "-2.py"
        assert both.scripts == {"check.py": "1", "same.py": "s", long: "1", "Check-2.py": "2", shortened: "2"}
        assert Fields.model_validate(both.model_dump()) == both


def test_agents_keep_both_until_the_merged_version_is_published_and_undo_brings_them_back() -> None:
    kept, other = two()
    before = download("book-flight"), download("reserve-seat")
    shown = change_skill("book-flight/merge", 201, other="reserve_seat", why="both book")
    assert (shown["number"], shown["status"], shown["made_by"], shown["changelog"]) == (
        3,
        "proposed",
        "merge",
        "both book",
    )
    assert (download("book-flight"), download("reserve-seat")) == before
    batch = change_skill("book-flight/versions/3/publish")["batch"]
    assert download("reserve-seat") == download("book-flight") != before[0]
    other.memory.refresh_from_db()
    assert other.memory.status == "superseded"
    assert Relation.objects.filter(source=kept.pk, predicate="supersedes", target=other.pk).exists()
    assert [row["name"] for row in caller().get("/api/v1/skills").json()["results"]] == ["book-flight"]
    redo = review.undo(TRUST, batch, at=AT).batch
    assert (download("book-flight"), download("reserve-seat")) == before
    assert not Relation.objects.filter(predicate="supersedes").exists()
    review.undo(TRUST, redo, at=AT)
    assert download("reserve-seat") == download("book-flight") != before[0]


def test_an_edited_merge_is_still_a_merge() -> None:
    kept, other = two()
    version = revising.merge(kept, other, trust=TRUST, at=AT)
    edited = revising.edit(version, {"description": "Books and reserves"}, trust=TRUST, at=AT)
    assert edited.merges == other


def test_a_merge_that_the_other_skill_has_outgrown_is_not_published() -> None:
    kept, other = two()
    version = revising.merge(kept, other, trust=TRUST, at=AT)
    SkillVersion.objects.filter(pk=version.pk).update(created_at=AT.replace(year=AT.year - 1))
    make_version(other, description="Reserves two seats")
    assert "newer version" in change_skill(f"book-flight/versions/{version.number}/publish", 409)["detail"]
    assert Skill.objects.get(pk=kept.pk).published.number == 2  # type: ignore[union-attr]


def test_skills_of_other_scopes_and_closed_ones_are_not_merged() -> None:
    _kept, other = two()
    make_skill("far", scope="project:shop")
    change_skill("book-flight/merge", 404, other="far")
    change_skill("book-flight/merge", 409, other="book-flight")
    review.decide(TRUST, other.pk, "dismiss", at=AT, why="wrong")
    change_skill("book-flight/merge", 409, other="reserve-seat")
    change_skill("book-flight/merge", 403, caller(), other="reserve-seat")


def test_the_same_material_again_adds_no_further_copy_of_a_file() -> None:
    former = Fields(name="a", description="b", scripts={"plan.py": "1"})
    new = Fields(name="a", description="b", scripts={"plan.py": "2"})
    merged = merging.merge(former, new).fields
    assert merged.scripts == {"plan.py": "1", "plan-2.py": "2"}
    assert merging.merge(merged, new).fields.scripts == merged.scripts
