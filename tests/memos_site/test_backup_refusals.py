"""A backup or a restore that fails says what failed and what to do, also where the failed program said nothing."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import InMemoryStorage, storages
from django.core.management import CommandError, call_command

from memos_site.management.commands.backup import draft_of
from memos_site.platform.outages import StoreUnavailable
from memos_site.platform.postgres import archive
from skills.models import SkillVersion
from tests.make import make_skill

pytestmark = pytest.mark.django_db(transaction=True)
REASONS = {
    "kill -9 $$": "{program} was killed by SIGKILL, as happens where memory is short",
    "exit 3": "{program} ended with code 3 and wrote no reason",
    "echo 'no room left' >&2; exit 1": "no room left",
    "printf '\\377 no room' >&2; exit 1": "no room",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """A finished backup in `saved`, an empty database, and programs that a test puts into `bin`."""
    packages = {"BACKEND": "skills.storages.local.LocalStorage", "OPTIONS": {"location": tmp_path / "skills"}}
    settings.STORAGES = settings.STORAGES | {"skills": packages}
    settings.DATA_DIR = tmp_path / "var"
    for name in ("saved/skills", "bin", "var"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "saved" / archive.DUMP).write_bytes(b"")
    monkeypatch.setattr(archive, "is_empty", lambda: True)
    monkeypatch.setattr(archive, "binaries", lambda: tmp_path / "bin")
    return tmp_path


def program(place: Path, name: str, line: str) -> None:
    path = place / "bin" / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o700)


def refusal(*command: str) -> str:
    with pytest.raises(CommandError) as refused:
        call_command(*command)
    return str(refused.value)


@pytest.mark.parametrize("line", REASONS)
def test_a_restore_says_why_the_database_was_not_read_and_what_to_do(place: Path, line: str) -> None:
    program(place, "pg_restore", line)
    what, then = refusal("restore", str(place / "saved"), "--force").split("\n")
    assert what.startswith(f"{place}/saved was not restored: ")
    assert what.endswith(REASONS[line].format(program="pg_restore"))
    assert then == "The database is as empty as it was: correct that and run the command again"


@pytest.mark.parametrize("line", REASONS)
def test_a_backup_says_why_the_database_was_not_written_and_what_to_do(place: Path, line: str) -> None:
    program(place, "pg_dump", line)
    what, then = refusal("backup", str(place / "new")).split("\n")
    assert what.startswith(f"there is no backup in {place}/new: ")
    assert what.endswith(REASONS[line].format(program="pg_dump"))
    assert then == "correct that and run the command again, which begins anew"
    assert not list(place.glob("new*")), "half a backup keeps a full disk full"


def test_a_program_that_is_not_there_is_named(place: Path) -> None:
    assert "pg_restore cannot be started: " in refusal("restore", str(place / "saved"), "--force")


def test_packages_that_cannot_be_written_are_named(place: Path) -> None:
    (place / "saved" / "skills" / "sha.zip").write_bytes(b"zip")
    (place / "skills").write_text("a file where the folder should be")
    said = refusal("restore", str(place / "saved"), "--force")
    assert said.startswith(f"{place}/saved was not restored: ")
    assert f"{place}/skills" in said


def test_packages_of_a_backup_are_restored_into_an_object_store_too(place: Path, settings: Any) -> None:
    """A store that moves from one machine to several: its packages lay in a directory, and shall lie in a bucket."""
    path = SkillVersion.objects.get(skill=make_skill()).package
    shutil.copytree(place / "skills", place / "saved" / "skills", dirs_exist_ok=True)
    memory = {"BACKEND": "tests.memos_site.test_backup_refusals.Bucket"}
    settings.STORAGES = settings.STORAGES | {"skills": memory}
    program(place, "pg_restore", "exit 0")
    said = StringIO()
    call_command("restore", str(place / "saved"), "--force", stdout=said, stderr=said)
    assert "packages are missing" not in said.getvalue()
    assert storages["skills"].open(path).read() == (place / "skills" / path).read_bytes()


class Bucket(InMemoryStorage):
    """Another store than a directory of files."""

    def stored_files(self) -> Iterator[tuple[str, datetime]]:
        for scope in self.listdir("")[0]:
            for name in self.listdir(scope)[0]:
                for file in self.listdir(f"{scope}/{name}")[1]:
                    yield f"{scope}/{name}/{file}", datetime.now(UTC)


def test_a_folder_that_cannot_be_made_is_named(place: Path) -> None:
    (place / "file").write_text("no folder")
    assert refusal("backup", str(place / "file" / "new")).startswith(f"there is no backup in {place}/file/new: ")


def test_a_second_backup_into_the_same_folder_leaves_the_first_alone(place: Path) -> None:
    with draft_of(place / "new") as draft:
        (draft / archive.DUMP).write_bytes(b"half")
        assert f"another backup writes {draft}" in refusal("backup", str(place / "new"))
        assert (draft / archive.DUMP).read_bytes() == b"half"


def test_what_an_ended_backup_left_is_replaced(place: Path) -> None:
    (place / "new.unfinished").mkdir()
    (place / "new.unfinished" / "old").write_bytes(b"half")
    program(place, "pg_dump", "exit 0")
    call_command("backup", str(place / "new"), stdout=StringIO())
    assert [path.name for path in (place / "new").iterdir()] == ["skills"]


def test_a_backup_tells_that_packages_are_missing_where_the_store_has_lost_them(place: Path) -> None:
    make_skill()
    package = SkillVersion.objects.get().package
    (place / "skills" / package).unlink()
    program(place, "pg_dump", "exit 0")
    told = StringIO()
    call_command("backup", str(place / "new"), stdout=StringIO(), stderr=told)
    assert told.getvalue() == f"packages are missing: 1 that the database names, such as {package}\n"


def test_a_store_that_does_not_answer_after_a_restore_is_told_and_not_raised(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object) -> bool:
        raise StoreUnavailable("the package store (S3 bucket packages) does not answer; nothing has changed")

    make_skill()
    monkeypatch.setattr("skills.storages.local.LocalStorage.stored_files", silent)
    program(place, "pg_restore", "exit 0")
    written, told = StringIO(), StringIO()
    call_command("restore", str(place / "saved"), "--force", stdout=written, stderr=told)
    assert "whether packages are there is not known: the package store (S3 bucket packages)" in told.getvalue()
    assert written.getvalue().startswith("restored from ")
