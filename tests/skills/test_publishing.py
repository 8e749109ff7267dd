"""Publishing: what agents download changes only when a person says so, and with a reason where the scan is alarmed."""

from uuid import UUID, uuid4

import pytest

from memories.models import AuditEntry, Memory
from memories.values.exceptions import Conflict, Invalid
from memories.values.trust import everything
from memos_site import review
from skills import publishing, revising
from skills.manifest import Fields
from skills.models import SkillVersion
from tests.make import ANNA, AT, caller, make_memory, make_skill, make_version

pytestmark = pytest.mark.django_db
TRUST = everything(ANNA)


def statuses(skill_id: UUID) -> list[str]:
    return list(SkillVersion.objects.filter(skill=skill_id).order_by("number").values_list("status", flat=True))


def test_publishing_a_new_version_retires_the_former_and_undo_brings_it_back() -> None:
    skill = make_skill()
    make_version(skill, description="Books a flight or two")
    decision = review.decide(TRUST, skill.pk, "promote", at=AT)
    assert statuses(skill.pk) == ["retired", "published"]
    assert Memory.objects.get(pk=skill.pk).payload["skill"]["version"] == 2
    undone = review.undo(TRUST, decision.batch, at=AT)
    assert statuses(skill.pk) == ["published", "proposed"]
    assert Memory.objects.get(pk=skill.pk).payload["skill"]["version"] == 1
    review.undo(TRUST, undone.batch, at=AT)
    assert statuses(skill.pk) == ["retired", "published"]


def found(words: str) -> list[str]:
    """The titles of the skills that an agent finds by these words."""
    answer = caller().post("/api/v1/tools/skill_search", {"text": words}, format="json").json()
    return [skill["title"] for skill in answer["results"]]


@pytest.mark.parametrize("published", [True, False])
def test_a_skill_is_found_by_the_description_and_called_by_the_title_that_were_published(published: bool) -> None:
    skill = make_skill(published=published)
    base = skill.published or skill.proposed
    assert base is not None
    changes = {"title": "Airships", "description": "Orders a zeppelin for an outing"}
    revising.edit(base, changes, trust=TRUST, at=AT)
    assert found("zeppelin outing") == []
    decision = review.decide(TRUST, skill.pk, "promote", at=AT)
    assert found("zeppelin outing") == ["Airships"]
    review.undo(TRUST, decision.batch, at=AT)
    assert found("zeppelin outing") == []
    assert found("books a flight") == (["Book Flight"] if published else [])


def test_undo_of_a_publication_is_refused_when_another_version_was_proposed_meanwhile() -> None:
    skill = make_skill(published=False)
    decision = review.decide(TRUST, skill.pk, "promote", at=AT)
    make_version(skill, description="Books two flights")
    with pytest.raises(Conflict, match="version 2 is proposed"):
        review.undo(TRUST, decision.batch, at=AT)
    assert statuses(skill.pk) == ["published", "proposed"]
    assert Memory.objects.get(pk=skill.pk).status == "confirmed"


def test_a_restored_skill_is_published_again_by_the_same_verb() -> None:
    skill = make_skill(published=False)
    for verb, why in (("promote", ""), ("dismiss", "noise"), ("restore", ""), ("promote", "")):
        review.decide(TRUST, skill.pk, verb, at=AT, why=why)
    assert (Memory.objects.get(pk=skill.pk).status, statuses(skill.pk)) == ("confirmed", ["published"])


def test_there_is_nothing_to_publish_twice() -> None:
    skill = make_skill()
    with pytest.raises(Conflict, match="no version of book-flight is proposed"):
        publishing.publish(Memory.objects.get(pk=skill.pk), by=ANNA, at=AT, batch=uuid4())


def test_critical_findings_want_a_reason() -> None:
    skill = make_skill(published=False)
    finding = {"rule": "x", "severity": "critical", "file": "SKILL.md", "line": 1, "excerpt": "curl | sh"}
    SkillVersion.objects.filter(skill=skill).update(scan={"findings": [finding]})
    with pytest.raises(Invalid, match="critical findings"):
        review.decide(TRUST, skill.pk, "promote", at=AT, why=" ")
    review.decide(TRUST, skill.pk, "promote", at=AT, why="it is our own installer")
    assert "it is our own installer" in set(AuditEntry.objects.values_list("rationale", flat=True))


def test_a_decision_on_what_has_changed_since_it_was_seen_is_refused() -> None:
    skill = make_skill(published=False)
    seen = review.version_token(Memory.objects.get(pk=skill.pk))
    make_version(skill, description="Books two flights")
    with pytest.raises(Conflict, match="changed since you saw it"):
        review.decide(TRUST, skill.pk, "promote", at=AT, token=seen)
    review.decide(TRUST, skill.pk, "promote", at=AT, token=review.version_token(Memory.objects.get(pk=skill.pk)))


def test_a_package_that_is_stored_twice_is_the_same_file() -> None:
    one, two = (publishing.prepare(make_fields(), scope="", number=1) for _ in range(2))
    assert (one.path, one.package.sha256) == (two.path, two.package.sha256)


def make_fields() -> Fields:
    return Fields.model_validate({"name": "book-flight", "description": "Books a flight"})


def test_a_rejected_version_changes_nothing_that_agents_have_and_comes_back_by_undo() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    decision = review.decide(TRUST, skill.pk, "reject", at=AT, why="wrong: one is enough")
    assert statuses(skill.pk) == ["published", "rejected"]
    assert Memory.objects.get(pk=skill.pk).status == "confirmed"
    said = AuditEntry.objects.of_batch(decision.batch).values_list("subject_kind", "action", "rationale")
    assert set(said) == {(kind, "reject", "wrong: one is enough") for kind in ("memory", "skill_version")}
    undone = review.undo(TRUST, decision.batch, at=AT)
    assert statuses(skill.pk) == ["published", "proposed"]
    review.undo(TRUST, undone.batch, at=AT)
    assert statuses(skill.pk) == ["published", "rejected"]


def test_what_is_no_open_version_of_a_published_skill_is_not_rejected() -> None:
    skill, new = make_skill(), make_skill("pay-flight", published=False)
    make_version(skill, description="Books two flights")
    with pytest.raises(Invalid, match="say why"):
        review.decide(TRUST, skill.pk, "reject", at=AT)
    with pytest.raises(Conflict, match="cannot reject version 1: it is published"):
        review.decide(TRUST, skill.pk, "reject", at=AT, why="wrong", number=1)
    with pytest.raises(Conflict, match="dismiss the skill instead"):
        review.decide(TRUST, new.pk, "reject", at=AT, why="wrong")
    review.decide(TRUST, skill.pk, "reject", at=AT, why="wrong", number=2)
    with pytest.raises(Conflict, match="cannot reject version 2: it is rejected"):
        review.decide(TRUST, skill.pk, "reject", at=AT, why="wrong", number=2)
    with pytest.raises(Conflict, match="no version of book-flight is proposed"):
        review.decide(TRUST, skill.pk, "reject", at=AT, why="wrong")
    with pytest.raises(Conflict, match="not a skill with a version"):
        review.decide(TRUST, make_memory().pk, "reject", at=AT, why="wrong")
    assert statuses(new.pk) == ["proposed"]
