import io
import zipfile
from typing import Any

import pytest
from django.core.files.storage import storages
from pytest_django import DjangoAssertNumQueries

from memories.values.choices import Sensitivity
from skills.models import SkillVersion
from tests.make import caller, make_run, make_skill
from tests.pages import candidate, signed_in
from tests.skills.using import report

pytestmark = pytest.mark.django_db


def test_the_list_shows_candidates_and_published_skills() -> None:
    candidate("still-proposed")
    make_skill("already-published")
    client = signed_in()
    page = client.get("/skills/").content.decode()
    assert "still proposed" in page and "already published" in page
    page = client.get("/skills/", {"status": "confirmed"}).content.decode()
    assert "still proposed" not in page and "already published" in page


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    candidate("first")
    with django_assert_num_queries(6):
        client.get("/skills/")
    for n in range(5):
        candidate(f"skill-{n}")
    with django_assert_num_queries(6):
        client.get("/skills/")


def test_the_package_comes_byte_for_byte_as_it_was_packed() -> None:
    skill = make_skill()
    response = signed_in().get(f"/skills/{skill.pk}/1.zip")
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    version = SkillVersion.objects.get(skill=skill)
    with storages["skills"].open(version.package) as stored:
        assert content == stored.read()
    assert response.headers["Content-Disposition"] == 'attachment; filename="book-flight.zip"'
    assert "book-flight/SKILL.md" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_a_package_above_the_clearance_or_of_no_version_is_not_found() -> None:
    hidden, skill, client = make_skill(sensitivity=Sensitivity.HIGH), make_skill("other"), signed_in()
    assert client.get(f"/skills/{hidden.pk}/1.zip").status_code == 404
    assert client.get(f"/skills/{skill.pk}/7.zip").status_code == 404


def test_a_package_that_the_storage_lost_is_not_found() -> None:
    skill = make_skill()
    SkillVersion.objects.filter(skill=skill).update(package="_/gone/0.zip")
    assert signed_in().get(f"/skills/{skill.pk}/1.zip").status_code == 404


def test_the_page_tells_how_each_version_did_and_the_latest_uses_that_one_may_see() -> None:
    skill = make_skill()
    agent = caller(name="refund-agent", clearance=Sensitivity.HYPER)
    told = [("success", "went smoothly", None), ("failure", "charged twice", "high"), ("failure", "timed out", "low")]
    for outcome, note, level in told:
        episode: dict[str, Any] = {"episode_id": str(make_run(sensitivity=level).pk)} if level else {}
        report(outcome, client=agent, note=note, **episode)
    page = " ".join(signed_in().get(f"/memories/{skill.pk}/").content.decode().split())
    assert "1 of 3 ended well" in page
    assert "went smoothly" in page and "timed out" in page
    assert "charged twice" not in page
