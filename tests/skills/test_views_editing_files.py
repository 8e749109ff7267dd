"""Examples and files of a skill on the page that edits it, without a script."""

from itertools import count
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memos_site.platform.outages import StoreUnavailable
from skills import importing, publishing, revising
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
people = (f"anna-{n}" for n in count())
PAY = "# pays\r\nprint(1)\r\n"


def skill_with(extras: dict[str, bytes] | None = None, **files: Any) -> Skill:
    skill = make_skill()
    fields = Fields.model_validate({"name": skill.name, "description": "Books a flight", **files})
    prepared = publishing.prepare(fields, scope=skill.scope, number=2, extras=extras)
    publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.UPLOAD, by=ANNA, at=AT)
    return skill


def row(number: int, path: str, text: str | None = None, *, former: str = "", remove: bool = False) -> dict[str, str]:
    values = {"path": path, "text": text, "former": former or None, "remove": "on" if remove else None}
    return {f"file-{number}-{name}": value for name, value in values.items() if value is not None}


def send(skill: Skill, rows: dict[str, str], *, do: str = "propose", **more: Any) -> Any:
    """The form as a browser without scripts sends it: line ends of a browser, unchanged fields as they are."""
    form: dict[str, Any] = {"base": "2", "title": "Book Flight", "description": "Books a flight", "do": do}
    names = ("trigger", "procedure", "failure_modes", "fallbacks", "experience", "preference", "tool")
    return signed_in(next(people)).post(
        f"/skills/{skill.pk}/edit/", form | dict.fromkeys(names, "") | rows | more, follow=True
    )


def newest(skill: Skill) -> SkillVersion:
    return SkillVersion.objects.filter(skill=skill).order_by("-number")[0]


def test_a_file_is_added_edited_renamed_and_removed_in_one_version() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n", "b.py": "print(2)\n", "c.py": PAY}, others={"notes.md": "# n"})
    rows = row(0, "scripts/a.py", "print(10)\r\n", former="scripts/a.py")
    rows |= row(1, "scripts/b2.py", "print(2)\r\n", former="scripts/b.py")
    rows |= row(2, "scripts/c.py", PAY, former="scripts/c.py", remove=True)
    rows |= row(3, "data/limits.csv", "a,b\r\n1,2\r\n")
    answer = send(skill, rows)
    assert "Version 3 waits to be published." in answer.content.decode()
    files = revising.files_of(newest(skill))
    assert files == {
        "scripts/a.py": b"print(10)\n",
        "scripts/b2.py": b"print(2)\n",
        "reference/notes.md": b"# n",
        "data/limits.csv": b"a,b\n1,2\n",
    }
    assert "`scripts/b2.py`" in newest(skill).skill_md and "c.py" not in newest(skill).skill_md


def test_what_a_browser_does_to_line_ends_is_no_change() -> None:
    skill = skill_with(scripts={"a.py": "\nprint(1)\n", "c.py": PAY})
    page = signed_in(next(people)).get(f"/skills/{skill.pk}/edit/").content.decode()
    assert ">\n\nprint(1)\n</textarea>" in page  # browsers drop the first line end of a textarea
    rows = row(0, "scripts/a.py", "\r\nprint(1)\r\n", former="scripts/a.py")
    answer = send(skill, rows | row(1, "scripts/c.py", PAY, former="scripts/c.py"))
    assert (answer.status_code, "does not differ" in answer.content.decode()) == (409, True)
    send(skill, row(0, "scripts/c.py", PAY.replace("1", "2"), former="scripts/c.py"))
    assert revising.files_of(newest(skill))["scripts/c.py"] == PAY.replace("1", "2").encode()


def test_examples_are_edited_added_and_removed() -> None:
    skill = skill_with(examples=["one", "two"])
    answer = send(skill, {}, example=["one, longer\r\nand more", "", "three"])
    assert answer.status_code == 200
    assert newest(skill).fields["examples"] == ["one, longer\nand more", "three"]
    assert send(skill, {}, do="preview", base="3", example=["three"]).content.decode().count("<del>") >= 1


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("../../evil.py", "x", "in the path"),
        ("/etc/passwd.txt", "x", "an absolute path"),
        ("scripts/run.exe", "x", "files end in"),
        ("SKILL.md", "x", "is written from the fields"),
        ("scripts/ein preis.py", "x", "scripts/ein_preis.py"),
        ("Scripts/A.py", "x", "there is another"),
        ("", "x", "a file needs a path"),
        ("notes.md", "x" * 300_000, "larger than 256 KiB"),
        ("notes.md", "PK\x03\x04", "an archive inside the archive"),
    ],
)
def test_a_wrong_path_or_text_is_named_in_its_row_and_nothing_typed_is_lost(path: str, text: str, why: str) -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n"})
    rows = row(0, "scripts/a.py", "typed", former="scripts/a.py") | row(1, path, text)
    page = send(skill, rows)
    shown = page.content.decode()
    assert page.status_code == 400 and why in shown and "typed</textarea>" in shown
    assert 'aria-describedby="wrong-file-1-' in shown
    assert newest(skill).number == 2


def test_texts_from_the_disk_take_their_places_and_binaries_are_named() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n"})
    same, new = SimpleUploadedFile("a.py", b"print(9)\n"), SimpleUploadedFile("hint.md", "提示".encode())
    rows = row(0, "scripts/a.py", "print(1)\r\n", former="scripts/a.py")
    send(skill, rows, uploads=[same, new])
    assert revising.files_of(newest(skill)) == {"scripts/a.py": b"print(9)\n", "reference/hint.md": "提示".encode()}
    page = send(skill, rows, base="3", uploads=[SimpleUploadedFile("logo.png", b"\x89PNG\x00")])
    assert page.status_code == 400 and "logo.png: not a text in UTF-8" in page.content.decode()


def test_a_preview_shows_the_words_of_every_text_and_keeps_what_was_uploaded() -> None:
    skill = skill_with({"LICENSE": b"MIT"}, scripts={"a.py": "print(1)\n"})
    rows = row(0, "LICENSE", "Apache", former="LICENSE") | row(1, "scripts/b.py", "print(1)\n", former="scripts/a.py")
    page = send(skill, rows, do="preview", uploads=[SimpleUploadedFile("x.md", b"new text")]).content.decode()
    assert "Apache</ins>" in page and "was scripts/a.py" in page
    assert "new text</textarea>" in page and newest(skill).number == 2


def test_long_files_are_sent_when_they_are_opened_and_stay_as_they_are_until_then() -> None:
    long = "".join(f'LIMITS["{n}"] = {n}\n' for n in range(2_000))
    skill = skill_with(scripts={"a.py": "print(1)\n", "long.py": long})
    page = signed_in(next(people)).get(f"/skills/{skill.pk}/edit/").content
    assert len(page) < 20_000 and b"print(1)" in page and b"LIMITS" not in page
    rows = row(0, "scripts/a.py", "print(10)", former="scripts/a.py")
    rows |= row(1, "scripts/limits.py", former="scripts/long.py")
    page = send(skill, rows, open="scripts/long.py").content.decode()
    assert "print(10)" in page and "LIMITS[&quot;1999&quot;]" in page and newest(skill).number == 2
    send(skill, rows)
    assert revising.files_of(newest(skill)) == {"scripts/a.py": b"print(10)", "scripts/limits.py": long.encode()}


def test_binaries_stay_or_go_but_are_not_shown_as_text() -> None:
    skill = skill_with({"assets/logo.png": b"\x89PNG\x00"})
    page = signed_in(next(people)).get(f"/skills/{skill.pk}/edit/").content.decode()
    assert "assets/logo.png" in page and 'name="file-0-text"' not in page
    send(skill, row(0, "assets/sign.png", former="assets/logo.png"))
    assert revising.files_of(newest(skill)) == {"assets/sign.png": b"\x89PNG\x00"}
    send(skill, row(0, "assets/sign.png", former="assets/sign.png", remove=True), base="3")
    assert revising.files_of(newest(skill)) == {}


def test_a_late_or_failed_save_keeps_the_typed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n"})
    rows = row(0, "scripts/a.py", "my long work", former="scripts/a.py") | row(1, "scripts/new.py", "more work")

    def fails(*_: Any) -> None:
        raise StoreUnavailable("the store is full; nothing has changed")

    with monkeypatch.context() as broken:
        broken.setattr(publishing, "store", fails)
        full = send(skill, rows)
    send(skill, row(0, "scripts/a.py", "print(2)", former="scripts/a.py"))
    late = send(skill, rows)
    for page, status, why in ((full, 503, "the store is full"), (late, 409, "proposed version 3")):
        text = page.content.decode()
        assert (page.status_code, why in text) == (status, True)
        assert "my long work</textarea>" in text and "more work</textarea>" in text and "scripts/new.py" in text


def test_an_edited_package_is_taken_in_again_as_it_is() -> None:
    skill = skill_with(scripts={"a.py": "print(1)\n"})
    send(skill, row(0, "tools/deep/a.py", "print(1)\r\n", former="scripts/a.py") | row(1, "assets/t.txt", "text"))
    version = newest(skill)
    unpacked = importing.read(revising._content(version))
    assert unpacked.warnings == [] and unpacked.files["tools/deep/a.py"] == b"print(1)\n"
