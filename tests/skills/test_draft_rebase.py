"""A draft put on top of a version that somebody proposed meanwhile, without a script."""

from typing import Any

import pytest

from skills import publishing, revising
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT
from tests.pages import signed_in
from tests.skills.test_views_editing_files import newest, row, skill_with

pytestmark = pytest.mark.django_db
NAMES = ("trigger", "procedure", "failure_modes", "fallbacks", "experience", "preference", "tool")


def add_version(skill: Skill, **fields: Any) -> SkillVersion:
    plain = {"name": skill.name, "description": "Books a flight", "title": skill.title}
    number = publishing.next_number(skill)
    prepared = publishing.prepare(Fields.model_validate(plain | fields), scope=skill.scope, number=number)
    return publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.UPLOAD, by=ANNA, at=AT)


def send(skill: Skill, rows: dict[str, str], *, base: int = 2, do: str = "rebase", **typed: str) -> Any:
    form = {"base": str(base), "title": skill.title, "description": "Books a flight", "do": do}
    return signed_in(do).post(f"/skills/{skill.pk}/edit/", form | dict.fromkeys(NAMES, "") | rows | typed)


def typed_in(answer: Any) -> dict[str, str]:
    return {field["name"]: field["value"] for field in answer.context["fields"] if field["value"]}


def test_what_only_one_of_them_changed_comes_from_that_one() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n", "b.py": "print(2)\n"})
    add_version(skill, trigger=["fly"], scripts={"a.py": "print(10)\n", "b.py": "print(2)\n", "c.py": "print(3)\n"})
    rows = row(0, "scripts/a.py", "print(1)\r\n", former="scripts/a.py")
    rows |= row(1, "scripts/b.py", "print(20)\r\n", former="scripts/b.py")
    answer = send(skill, rows, procedure="1. Ask for the date")
    assert (answer.status_code, answer.context["draft"].overlaps) == (200, [])
    assert typed_in(answer)["trigger"] == "fly" and typed_in(answer)["procedure"] == "1. Ask for the date"
    texts = {each.path: each.text for each in answer.context["files"]}
    assert texts["scripts/a.py"] == "print(10)\n" and texts["scripts/c.py"] == "print(3)\n"
    assert "print(20)" in texts["scripts/b.py"]
    assert SkillVersion.objects.count() == 3, "nothing is saved by it"


def test_what_both_changed_stays_as_it_was_typed_and_is_named() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n", "b.py": "print(2)\n"})
    add_version(skill, description="Books a seat", examples=["theirs"], scripts={"a.py": "print(10)\n"})
    rows = row(0, "scripts/a.py", "print(11)", former="scripts/a.py")
    rows |= row(1, "scripts/b.py", "print(22)", former="scripts/b.py") | row(2, "scripts/new.py", "print(5)")
    answer = send(skill, rows, description="Books a hotel", example="mine")
    label = "Description: what it does, and when to use it"
    assert answer.context["draft"].overlaps == [label, "Examples", "scripts/a.py", "scripts/b.py"]
    assert typed_in(answer)["description"] == "Books a hotel" and "Examples" in answer.content.decode()
    rows = row(0, "scripts/a.py", "print(11)", former="scripts/a.py") | row(1, "scripts/b.py", "print(22)")
    send(skill, rows, base=3, do="propose", description="Books a hotel", example="mine")
    assert revising.files_of(newest(skill)) == {"scripts/a.py": b"print(11)", "scripts/b.py": b"print(22)"}
    assert newest(skill).fields["examples"] == ["mine"]


def test_a_new_file_that_the_newer_version_has_too_is_an_edit_of_it() -> None:
    skill = skill_with()
    add_version(skill, scripts={"a.py": "print(1)\n"})
    answer = send(skill, row(0, "scripts/a.py", "print(2)"))
    assert answer.context["draft"].overlaps == ["scripts/a.py"]
    assert next((each.former, each.text) for each in answer.context["files"]) == ("scripts/a.py", "print(2)")


def test_a_file_that_is_gone_does_not_come_back_by_a_move_or_a_removal() -> None:
    skill = skill_with({"assets/a.bin": b"\x00\x01"}, scripts={"b.py": "print(2)\n"})
    add_version(skill, procedure="1. Ask")
    rows = row(0, "assets/moved.bin", former="assets/a.bin")
    rows |= row(1, "scripts/b.py", "print(2)", former="scripts/b.py", remove=True)
    answer = send(skill, rows)
    assert [each.path for each in answer.context["files"] if each.path] == []
    assert typed_in(answer)["procedure"] == "1. Ask"


def test_what_is_invalid_on_top_of_the_newer_version_is_named_there_and_kept() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n"})
    add_version(skill, scripts={"b.py": "print(3)\n"})
    answer = send(skill, row(0, "scripts/b.py", "print(2)", former="scripts/a.py"), description=" ")
    page = answer.content.decode()
    assert (answer.status_code, answer.context["base"].number) == (400, 3)
    assert "there is another scripts/b.py" in page and "print(2)" in page
