"""GET packs: what somebody chose, and its content as it is now."""

import io
import json
import zipfile
from typing import Any

import pytest
from rest_framework.test import APIClient

from consolidation.models import Pack
from consolidation.packs.bringing_in import bring_in
from memories.models import Memory
from memories.transfer.options import Format, Options
from memories.values.choices import Sensitivity
from memories.values.trust import Trust, everything
from skills.models import SkillVersion
from tests.consolidation.test_packs import HERE, TERMS, THERE, TONE, brought_in, known, made
from tests.make import ANNA, AT, caller, make_memory, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def reader(**agent: Any) -> APIClient:
    return caller(permissions=["skills"], **agent)


def listed(client: APIClient, query: str = "") -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/packs{query}")
    assert answer.status_code == 200, answer.content
    rows: list[dict[str, Any]] = answer.json()["results"]
    return rows


def content(client: APIClient, pack: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The lines of memories and the manifest."""
    answer = client.get(pack["content_url"])
    assert answer.status_code == 200, answer.content
    with zipfile.ZipFile(io.BytesIO(bytes(answer.content))) as archive:
        return archive.read("memories.jsonl").decode(), json.loads(archive.read("pack.json"))


def test_a_pack_that_was_made_is_listed_and_its_content_comes_again() -> None:
    known()
    make_skill("refund-payment", scope=HERE)
    first = made()
    [pack] = listed(reader())
    assert (pack["name"], pack["scope"], pack["memories"], pack["skills"]) == ("refunds", HERE, 2, ["refund-payment"])
    lines, manifest = content(reader(), pack)
    assert TERMS in lines and TONE in lines
    assert manifest["left_out"] == {"memories": [], "skills": []}
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        plugin = json.loads(archive.read(".claude-plugin/plugin.json"))
    assert plugin["version"] == pack["version"]


def test_a_pack_of_skills_alone_has_all_its_parts() -> None:
    make_skill("refund-payment", scope=HERE)
    with zipfile.ZipFile(io.BytesIO(made())) as archive:
        assert archive.read("memories.jsonl") == b""
    assert brought_in(made()) == '[["imported", 1]]'


def test_its_address_stands_in_the_answer_that_made_it() -> None:
    known()
    answer = caller(permissions=["review"]).post("/api/v1/packs", {"name": "refunds", "scope": HERE}, format="json")
    assert answer.headers["Location"] == listed(reader())[0]["content_url"]


def test_a_pack_that_is_asked_for_again_under_its_key_is_made_once() -> None:
    known()
    client, body = caller(permissions=["review"]), {"name": "refunds", "scope": HERE}
    first, again = (
        client.post("/api/v1/packs", body, format="json", headers={"Idempotency-Key": "k"}) for _ in range(2)
    )
    assert (Pack.objects.count(), again.headers["Location"]) == (1, first.headers["Location"])
    assert again.headers["Idempotent-Replay"] == "true"
    assert all(zipfile.ZipFile(io.BytesIO(bytes(one.content))).namelist() for one in (first, again))


def test_what_was_dismissed_since_is_in_no_later_download_and_what_came_since_neither() -> None:
    terms, _tone = known()
    made()
    make_memory("Said later", scope=HERE, status="confirmed", category="fact")
    terms.dismiss(by=ANNA, why="wrong", at=AT)
    lines, manifest = content(reader(), listed(reader())[0])
    assert TERMS not in lines and "Said later" not in lines and TONE in lines
    assert manifest["left_out"]["memories"] == [str(terms.pk)]


def test_a_pack_of_which_nothing_is_left_says_so() -> None:
    rows = known()
    made()
    for row in rows:
        row.dismiss(by=ANNA, why="wrong", at=AT)
    answer = reader().get(listed(reader())[0]["content_url"])
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_a_pack_is_seen_within_scope_and_clearance_alone() -> None:
    known()
    make_memory("High", scope=HERE, status="confirmed", sensitivity=Sensitivity.HIGH)
    made(caller(permissions=["review"], clearance=Sensitivity.HIGH))
    high = Pack.objects.get()
    made()
    assert len(listed(reader(clearance=Sensitivity.HIGH))) == 2
    assert [pack["memories"] for pack in listed(reader())] == [2]
    assert listed(reader(scopes=[THERE])) == [] == listed(reader(), f"?scope={THERE}")
    assert reader().get(f"/api/v1/packs/{high.pk}/content").status_code == 404


def test_making_one_needs_review_and_reading_one_skills() -> None:
    known()
    body = {"name": "refunds", "scope": HERE}
    assert caller(permissions=["read", "skills"]).post("/api/v1/packs", body, format="json").status_code == 403
    assert caller(permissions=["ingest"]).get("/api/v1/packs").status_code == 403
    assert not Pack.objects.exists()


def test_a_reviewer_who_downloads_on_the_page_keeps_the_choice_and_a_viewer_does_not() -> None:
    [terms, _tone] = known()
    form = {"name": "refunds", "scope": HERE, "memory": str(terms.pk)}
    vera, anna = signed_in("vera", group="viewer"), signed_in("anna")
    assert [person.post("/packs/download/", form).status_code for person in (vera, anna)] == [200, 200]
    [pack] = Pack.objects.all()
    assert (pack.made_by, pack.memories) == ("anna", [terms.pk])
    page = vera.get("/packs/").content.decode()
    assert f"/api/v1/packs/{pack.pk}/content" in page


def test_what_would_come_of_a_skill_is_foretold_as_it_comes_and_of_one_above_the_caller_nothing() -> None:
    skill = make_skill("refund-payment", scope=HERE)
    packed = made()

    def results(trust: Trust, *, keeps: bool) -> list[str]:
        rows = bring_in(packed, Options(Format.PACK, trust), at=lambda: AT, keeps=keeps)
        return [row.result for batch in rows for row in batch]

    everyone = everything(ANNA)
    assert results(everyone, keeps=False) == results(everyone, keeps=True) == ["known"]
    SkillVersion.objects.filter(skill=skill).update(sha256="0" * 64)
    assert results(everyone, keeps=False) == ["changed"]
    Memory.objects.filter(pk=skill.pk).update(sensitivity=Sensitivity.HYPER)
    assert results(everyone.narrowed(max_sensitivity=Sensitivity.MEDIUM), keeps=False) == ["known"]
