"""Packages that hold a credential in clear, from before packages were masked."""

import io
import zipfile
from io import StringIO

import pytest
from django.core.management import call_command

from memories.models import Memory
from skills import publishing, storages
from skills.models import SkillVersion
from skills.packaging import packages
from tests.make import bytes_of, caller, make_skill, make_version

pytestmark = pytest.mark.django_db
SECRET = "hunter2Xy9!"


def masked() -> str:
    told = StringIO()
    call_command("mask_packages", stdout=told, stderr=told)
    return told.getvalue()


def downloaded() -> tuple[bytes, str]:
    answer = caller().get("/api/v1/skills/book-flight/versions/latest/content")
    return bytes_of(answer), answer["X-Content-SHA256"]


def test_they_are_packed_anew_under_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    clean = make_skill("clean")
    with monkeypatch.context() as before:
        before.setattr(packages, "_mask", lambda data: data)
        skill = make_skill()
        SkillVersion.objects.filter(skill=skill).update(status=SkillVersion.Status.RETIRED)
        version = make_version(skill, description=f"Books a flight; the password is {SECRET}")
        SkillVersion.objects.filter(pk=version.pk).update(status=SkillVersion.Status.PUBLISHED)
        publishing.update_payload(skill.memory, skill, at=version.created_at)
    former = version.package
    assert SECRET.encode() in zip_text(downloaded()[0])
    assert "1 packages masked, 2 held no credential" in masked()
    content, sha256 = downloaded()
    assert SECRET.encode() not in zip_text(content)
    version.refresh_from_db()
    assert (version.number, sha256) == (2, version.sha256)
    assert Memory.objects.get(pk=skill.pk).payload["skill"]["path"] == version.package
    assert not storages.holds(former)
    assert storages.holds(SkillVersion.objects.get(skill=clean.pk).package)
    assert "0 packages masked, 3 held no credential" in masked()


def zip_text(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(archive.read(path) for path in archive.namelist())
