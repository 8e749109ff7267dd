"""manage.py import_skill"""

import os
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.values.choices import Status
from memos_site.platform.outages import StoreUnavailable
from skills import revising
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import pack, zip_reading
from tests.make import make_skill

pytestmark = pytest.mark.django_db
SKILL_MD = "---\nname: read-pdf\ndescription: Reads a PDF.\n---\n# Read PDF\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "read-pdf"
    (place / "scripts").mkdir(parents=True)
    (place / "SKILL.md").write_text(SKILL_MD)
    (place / "scripts" / "read.py").write_text("print(1)\n")
    return place


def taken(*paths: Path, scope: str = "", fails: bool = False) -> str:
    said = StringIO()
    if fails:
        with pytest.raises(SystemExit):
            call_command("import_skill", *map(str, paths), scope=scope, stdout=said, stderr=said)
    else:
        call_command("import_skill", *map(str, paths), scope=scope, stdout=said, stderr=said)
    return said.getvalue()


def test_a_folder_and_a_zip_become_proposed_versions(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "other.zip"
    packed.write_bytes(pack(Fields.model_validate({"name": "other", "description": "Does another thing"}), 1).content)
    said = taken(folder, packed, scope="project:shop")
    assert "read-pdf 1 waits to be published" in said and "other 1 waits" in said
    skill = Skill.objects.get(name="read-pdf")
    assert (skill.scope, skill.memory.status) == ("project:shop", Status.CANDIDATE)
    assert revising.files_of(skill.versions.get()) == {"scripts/read.py": b"print(1)\n"}
    assert "there already" in taken(folder, scope="project:shop")
    assert SkillVersion.objects.filter(skill=skill).count() == 1


def test_what_is_refused_is_named_and_the_others_come_in(folder: Path, tmp_path: Path) -> None:
    prose = tmp_path / "prose.zip"
    prose.write_text("no zip")
    said = taken(prose, tmp_path / "missing.zip", folder, fails=True)
    assert "not a readable zip" in said and "missing.zip: refused" in said and "read-pdf 1 waits" in said


def test_a_store_that_fails_is_told_in_a_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object) -> None:
        raise StoreUnavailable("the package store is full")

    monkeypatch.setattr("skills.publishing.store", fail)
    assert "read-pdf: refused\n  the package store is full" in taken(folder, fails=True)
    monkeypatch.undo()
    make_skill()
    monkeypatch.setattr("skills.storages.open_package", fail)
    with pytest.raises(CommandError, match="the package store is full"):
        call_command("export_skills", tmp_path)


def test_a_link_is_not_followed_and_a_folder_without_end_is_not_read_whole(folder: Path) -> None:
    (folder / "scripts" / "passwd.txt").symlink_to("/etc/passwd")
    assert "scripts/passwd.txt: a link" in taken(folder, fails=True)
    (folder / "scripts" / "passwd.txt").unlink()
    for number in range(zip_reading.MAX_ENTRIES + 50):
        (folder / f"{number}.txt").write_text("x")
    assert f"the limit is {zip_reading.MAX_ENTRIES}" in taken(folder, fails=True)
    assert not Skill.objects.exists()


def test_a_named_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "scripts" / "pipe.py")
    assert stat.S_ISFIFO((folder / "scripts" / "pipe.py").stat().st_mode)
    assert "read-pdf 1 waits to be published" in taken(folder)


def test_a_skill_that_people_dismissed_stays_dismissed(folder: Path) -> None:
    taken(folder)
    memory = Skill.objects.get().memory
    type(memory).objects.filter(pk=memory.pk).update(status=Status.DISMISSED)
    (folder / "scripts" / "read.py").write_text("print(2)\n")
    assert "dismissed before" in taken(folder)
    assert SkillVersion.objects.count() == 1
