"""A change of the store of packages: old versions say where they are not, and are copied."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from memos_site.web import health
from memos_site.web.health import RemoteStore
from skills import orphans
from skills.checks import check_packages
from skills.models import SkillVersion
from tests.make import bytes_of, caller, make_skill
from tests.pages import signed_in
from tests.skills.stores import STORES, local

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:oss2", "ignore::DeprecationWarning:botocore"),
]


def move(former: Path | str) -> str:
    told = StringIO()
    call_command("move_packages", "--from", str(former), stdout=told, stderr=told)
    return told.getvalue()


@pytest.mark.parametrize("backend", list(STORES))
def test_old_versions_are_named_before_anybody_downloads_them_and_copied(
    backend: str, tmp_path: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "remote", RemoteStore())
    monkeypatch.setattr(health, "FRESH_SECONDS", 0)
    monkeypatch.setattr(health, "WAIT_SECONDS", 60)
    former = tmp_path / "former"
    with local(former) as before:
        names = [make_skill(name).name for name in ("refund", "book-flight", "cancel-order")]
        held = before.files()
    with STORES[backend](tmp_path / "present") as present:
        agent: Any = caller()
        assert (ready := client.get("/health/ready").json())["storage"] == "incomplete" and ready["degraded"] == [
            "packages"
        ]
        assert b"move_packages" in signed_in().get("/skills/").content
        [warning] = check_packages(["default"])
        assert warning.msg == "3 packages of skill versions are not in the package store"
        refused = agent.get(f"/api/v1/skills/{names[0]}/versions/1/content")
        assert refused.status_code == 404 and "move_packages" in refused.json()["detail"]
        version = SkillVersion.objects.get(skill__name=names[0])
        page = signed_in("bo").get(f"/skills/{version.skill_id}/1.zip", follow=True)
        assert page.status_code == 200 and b"move_packages" in page.content
        assert move(former / "packages") == "3 packages copied, 0 were there\n"
        assert present.files() == held
        assert move(former / "packages") == "0 packages copied, 3 were there\n"
        assert orphans.missing_packages() == [] and check_packages(["default"]) == []
        assert client.get("/health/ready").json()["degraded"] == []
        assert b"move_packages" not in signed_in("cy").get("/skills/").content
        answer = agent.get(f"/api/v1/skills/{names[0]}/versions/1/content")
        assert answer.status_code == (200 if backend == "LOCAL" else 302)
        bytes_of(answer)


def test_what_is_lost_or_damaged_is_named_and_not_copied(tmp_path: Path) -> None:
    with local(tmp_path / "former") as before:
        for name in ("refund", "book-flight", "cancel-order"):
            make_skill(name)
        damaged, lost, _whole = sorted(before.files())
    (tmp_path / "former" / "packages" / damaged).write_bytes(b"another")
    (tmp_path / "former" / "packages" / lost).unlink()
    with local(tmp_path / "present") as present:
        told = StringIO()
        with pytest.raises(CommandError, match="1 are not in the former store, 1 are damaged there"):
            call_command("move_packages", "--from", str(tmp_path / "former" / "packages"), stdout=told, stderr=told)
        assert f"{damaged}: damaged" in told.getvalue() and f"{lost}: lost" in told.getvalue()
        assert len(present.files()) == 1
        with pytest.raises(CommandError, match="neither LOCAL, S3, OSS nor a directory"):
            move(tmp_path / "nowhere")
        with pytest.raises(CommandError, match="is the present store"):
            move(tmp_path / "present" / "packages")


def test_a_version_that_is_deleted_during_the_count_does_not_end_the_copying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with local(tmp_path / "present"):
        make_skill("refund")
        monkeypatch.setattr(orphans, "missing_packages", lambda: ["packages/deleted-meanwhile.zip"])
        assert move(tmp_path) == "0 packages copied, 1 were there\n"
