"""Skills under another name, withdrawn, and published by number: what agents download, and undo."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.trust import everything
from memos_site import review
from skills import importing
from skills.models import Skill, SkillName, SkillVersion
from tests.make import ANNA, AT, bytes_of, caller, make_memory, make_skill, make_version, post, skill_reviewer
from tests.pages import signed_in
from tests.skills.test_packages_of_others import FILES

pytestmark = pytest.mark.django_db
TRUST = everything(ANNA)
PATH = "/api/v1/skills"


def change_skill(path: str, status: int = 200, client: APIClient | None = None, **body: Any) -> Any:
    """By default as one who may."""
    return post(client or skill_reviewer(), f"skills/{path}", status, **body)


def download(name: str, client: APIClient | None = None) -> tuple[int, bytes, str]:
    answer = (client or caller()).get(f"{PATH}/{name}/versions/latest/content")
    return answer.status_code, bytes_of(answer), answer.headers.get("ETag", "")


def upload(files: dict[str, bytes]) -> importing.Imported:
    prepared = importing.prepare(importing.read(files), scope="", trust=TRUST)
    return importing.record(prepared, trust=TRUST, at=AT)


def test_agents_get_the_same_package_by_the_old_name_and_the_new_one() -> None:
    make_skill()
    before = download("book-flight")
    shown = change_skill("book-flight/rename", name="book_trip", why="trains too")
    assert (shown["name"], shown["aliases"], shown["published_version"]) == ("book-trip", ["book-flight"], 2)
    new = download("book-trip")
    assert new == download("book_flight") and new[0] == 200 and new[2] != before[2]
    files = caller().get(f"{PATH}/book-flight/versions/latest/files/SKILL.md")
    assert "name: book-trip" in bytes_of(files).decode()
    first = skill_reviewer().get(f"{PATH}/book-trip/versions/1/files/SKILL.md")
    assert "name: book-flight" in bytes_of(first).decode()
    told = change_skill("book-flight/uses", 201, caller(permissions=["report", "skills"]), outcome="success")
    assert (told["name"], told["version"]) == ("book-trip", 2)
    assert Memory.objects.get().payload["skill"]["name"] == "book-trip"


def test_what_is_made_of_a_version_under_the_old_name_has_the_new_one() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    change_skill("book-flight/versions/2/publish")
    change_skill("book-flight/rename", name="book-trip")
    change_skill("book-flight/versions/1/restore", 201)
    restored = SkillVersion.objects.get(number=4)
    assert (restored.fields["name"], "name: book-trip" in restored.skill_md) == ("book-trip", True)
    change_skill("book-trip/versions/4/publish")
    assert b"Books a flight" in download("book-flight")[1]


def test_undo_of_a_rename_frees_the_name_and_brings_the_package_back() -> None:
    skill = make_skill()
    before = download("book-flight")
    batch = change_skill("book-flight/rename", name="book-trip")["batch"]
    redo = review.undo(TRUST, batch, at=AT).batch
    assert download("book-flight") == before
    assert download("book-trip")[0] == 404
    assert Memory.objects.get().payload["skill"]["name"] == "book-flight"
    review.undo(TRUST, redo, at=AT)
    assert download("book-trip")[0] == download("book-flight")[0] == 200
    assert list(skill.versions.values_list("number", "status")) == [(2, "published"), (1, "retired")]


def test_a_proposed_version_is_renamed_along_and_agents_keep_what_is_published() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    shown = change_skill("book-flight/rename", name="book-trip")
    assert (shown["published_version"], shown["proposed_version"]) == (3, 4)
    assert b"Books a flight" in download("book-trip")[1]
    change_skill("book-trip/versions/4/publish")
    assert b"Books two flights" in download("book-flight")[1]


def test_no_other_skill_takes_a_name_that_is_an_alias() -> None:
    make_skill()
    make_skill("other")
    change_skill("book-flight/rename", name="book-trip")
    change_skill("other/rename", 409, name="book-flight")
    memory = make_memory(type="competence")
    with pytest.raises(IntegrityError, match="skill_name_is_unique_in_its_scope"), transaction.atomic():
        Skill.objects.create(memory=memory, scope=memory.scope, name="book-flight", title="Another")
    assert change_skill("book-trip/rename", name="book-flight")["aliases"] == ["book-trip"]


def test_the_same_name_lives_in_another_scope() -> None:
    make_skill()
    make_skill("other", scope="project:shop")
    change_skill("other/rename?scope=project:shop", name="book-flight")
    assert change_skill("book-flight/rename", 409, name="book-trip")["code"] == "conflict"
    assert SkillName.objects.filter(name="book-flight").count() == 2


def test_names_that_no_package_may_have_are_refused_and_only_reviewers_rename() -> None:
    make_skill()
    for name in ("", "Book", "a--b", "-a", "versions", "x" * 65, "旅行"):
        assert change_skill("book-flight/rename", 400, name=name)["errors"][0]["pointer"] == "/name"
    change_skill("book-flight/rename", 409, name="book-flight")
    change_skill("book-flight/rename", 403, caller(), name="book-trip")


def test_an_upload_under_the_old_name_is_a_version_of_the_renamed_skill() -> None:
    first = upload(FILES)
    assert first.version is not None
    review.decide(TRUST, first.version.skill_id, "promote", at=AT, why="read")
    before = download("pdf")[1]
    change_skill("pdf/rename", name="fill-pdf")
    copy = SkillVersion.objects.get(number=2)
    unchanged = [file for file in copy.files if file in first.version.files]
    assert len(unchanged) == len(FILES) - 1 and "name: fill-pdf" in copy.skill_md
    assert download("pdf")[1] != before
    again = upload({**FILES, "scripts/new.py": b"print(1)\n"})
    assert again.version is not None and again.version.skill_id == first.version.skill_id
    assert "name: fill-pdf" in again.version.skill_md
    assert any("called fill-pdf" in warning for warning in again.warnings)


def test_a_retired_skill_is_hidden_from_agents_until_it_is_undone_or_published_again() -> None:
    skill = make_skill()
    shown = change_skill("book-flight/retire", why="the shop has changed")
    assert (shown["published_version"], shown["status"]) == (None, "confirmed")
    assert download("book-flight")[0] == 404
    assert caller().get(PATH).json()["results"] == []
    assert "skill" not in Memory.objects.get().payload
    change_skill("book-flight/retire", 409)
    review.undo(TRUST, shown["batch"], at=AT)
    assert download("book-flight")[0] == 200
    change_skill("book-flight/retire")
    change_skill("book-flight/versions/1/restore", 201)
    change_skill("book-flight/versions/2/publish")
    assert download("book-flight")[0] == 200
    assert list(skill.versions.values_list("number", "status")) == [(2, "published"), (1, "retired")]


def test_a_version_is_published_by_its_number_and_no_other_one() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    assert "version 1: it is published" in change_skill("book-flight/versions/1/publish", 409)["detail"]
    shown = change_skill("book-flight/versions/2/publish", why="read")
    assert (shown["number"], shown["status"]) == (2, "published")
    change_skill("book-flight/versions/2/publish", 409)
    review.undo(TRUST, shown["batch"], at=AT)
    assert SkillVersion.objects.get(number=1).status == "published"
    change_skill("book-flight/versions/2/publish", 403, caller())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("book-flight/rename", {"name": "book-trip"}),
        ("book-flight/merge", {"other": "reserve-seat"}),
        ("reserve-seat/merge", {"other": "book-flight"}),
    ],
)
def test_what_needs_a_package_that_the_storage_lost_is_refused_and_says_so(path: str, body: dict[str, Any]) -> None:
    version = upload({**FILES, "SKILL.md": b"---\nname: book-flight\ndescription: Books\n---\n1. Search"}).version
    assert version is not None
    review.decide(TRUST, version.skill_id, "promote", at=AT)
    make_skill("reserve-seat")
    SkillVersion.objects.filter(pk=version.pk).update(package="_/gone/0.zip")
    told = change_skill(path, 409, **body)
    assert "the package of book-flight 1 is missing from the storage" in told["detail"]
    assert SkillVersion.objects.count() == 2, "none was added"


def test_a_name_that_is_refused_is_still_in_the_form() -> None:
    skill = make_skill("book-flight")
    make_skill("book-trip")
    path = f"/skills/{skill.memory_id}/rename/"
    page = signed_in(group="reviewer").post(path, {"name": "book-trip"}, follow=True).content.decode()
    assert 'name="name" value="book-trip"' in page
