"""What the program writes only its owner may read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from memos_site.platform import env
from memos_site.web import health
from skills.storages import store


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def made(path: Path, mode: int, *files: str) -> Path:
    path.mkdir()
    for name in files:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).touch()
    path.chmod(mode)
    return path


def test_a_new_data_directory_is_closed_to_others(tmp_path: Path) -> None:
    assert mode(env.private_directory(tmp_path / "new" / "var")) == 0o700


@pytest.mark.parametrize("files", [(), ("secret_key",), ("postgres/PG_VERSION", "run")])
def test_one_that_an_older_version_left_open_is_closed(tmp_path: Path, files: tuple[str, ...]) -> None:
    assert mode(env.private_directory(made(tmp_path / "var", 0o755, *files))) == 0o700


@pytest.mark.parametrize(("before", "files"), [(0o755, ("theirs",)), (0o1777, ("secret_key",))])
def test_a_directory_that_others_use_too_stays_as_it_is(tmp_path: Path, before: int, files: tuple[str, ...]) -> None:
    assert mode(env.private_directory(made(tmp_path / "shared", before, *files))) == before


def test_packages_are_closed_to_others(tmp_path: Path, settings: Any) -> None:
    place = {"BACKEND": "skills.storages.local.LocalStorage", "OPTIONS": {"location": tmp_path / "skills"}}
    settings.STORAGES = settings.STORAGES | {"skills": place}
    assert health.packages_can_be_stored() == "ok"
    store("project:shop/refund/abc.zip", b"zip")
    package = Path(storages["skills"].path("project:shop/refund/abc.zip"))
    assert package.read_bytes() == b"zip"
    assert mode(package) == 0o600
    assert [mode(package.parents[up]) for up in range(3)] == [0o700] * 3
