"""What changes between versions, the block for a prompt, old versions once more, and edits by people."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from skills_ref.prompt import to_prompt

from memories.values.exceptions import Conflict, Invalid
from memories.values.trust import everything
from memos_site import review
from skills import importing, publishing, renaming, revising
from skills.diffs import word_pieces
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT, bytes_of, caller, make_skill, make_version, skill_reviewer
from tests.skills.test_packages_of_others import FILES, PDF

pytestmark = pytest.mark.django_db
TRUST = everything(ANNA)


def propose(skill: Skill, **fields: Any) -> SkillVersion:
    made = Fields.model_validate({"name": skill.name, "description": "Books a flight", **fields})
    prepared = publishing.prepare(made, scope=skill.scope, number=publishing.next_number(skill))
    return publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.CONSOLIDATION, by=ANNA, at=AT)


@pytest.mark.parametrize("number", ["x", "0", "7", "99999999999"])
def test_a_diff_names_the_parameter_that_is_no_version(number: str) -> None:
    make_skill()
    answer = skill_reviewer().get("/api/v1/skills/book-flight/diff", {"from": number})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/from")


def uploaded() -> Skill:
    prepared = importing.prepare(importing.read(FILES), scope="", trust=TRUST)
    version = importing.record(prepared, trust=TRUST, at=AT).version
    assert version is not None
    review.decide(TRUST, version.skill_id, "promote", at=AT, why="read")
    return Skill.objects.get(pk=version.skill_id)


def test_a_diff_names_sections_and_files_word_by_word_without_counters() -> None:
    skill = make_skill()
    record = {"successes": 9, "failures": 1, "since": "2026-01-01"}
    propose(skill, procedure="1. 等待 30 天", scripts={"a.py": "print(1)"}, performance=record)
    review.decide(TRUST, skill.pk, "promote", at=AT)
    propose(skill, procedure="1. 等待 60 天", scripts={"b.py": "x"}, performance={**record, "successes": 12})
    diff = skill_reviewer().get("/api/v1/skills/book-flight/diff").json()
    assert (diff["before"], diff["after"]) == (2, 3)
    by_name = {change["name"]: change for change in diff["sections"]}
    changed = [piece for piece in by_name["Procedure"]["pieces"] if piece["kind"] != "same"]
    assert changed == [{"kind": "removed", "text": "30"}, {"kind": "added", "text": "60"}]
    assert "Track Record" not in by_name
    assert [(change["name"], change["kind"]) for change in diff["files"]] == [
        ("scripts/a.py", "removed"),
        ("scripts/b.py", "added"),
    ]
    first = skill_reviewer().get("/api/v1/skills/book-flight/diff", {"from": "1", "to": "2"}).json()
    assert {change["name"] for change in first["sections"]} == {"Procedure", "Scripts"}


def test_who_sees_published_versions_only_compares_nothing_else() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    assert caller().get("/api/v1/skills/book-flight/diff").json()["after"] == 1
    hidden = caller().get("/api/v1/skills/book-flight/diff", {"to": "2"})
    assert (hidden.status_code, hidden.json()["errors"][0]["pointer"]) == (400, "/to")


def test_the_pieces_of_a_diff_are_both_texts() -> None:
    texts = (("net-30 days", "net-60 weeks"), ("", "new"), ("多一个", "少一个字"), ("a\n" * 9000, "a\nb\n"))
    for before, after in texts:
        pieces = word_pieces(before, after)
        assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
        assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_the_prompt_is_the_block_of_the_reference_library(tmp_path: Path) -> None:
    make_skill("draft", published=False)
    skill = uploaded()
    answer = caller().get("/api/v1/skills/prompt").json()
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf" / "SKILL.md").write_text(PDF)
    package = f"http://testserver/api/v1/skills/{skill.name}/versions/1/content?scope="
    assert unescape(answer["block"]) == unescape(to_prompt([tmp_path / "pdf"])).replace(
        str(tmp_path / "pdf" / "SKILL.md"), package
    )
    assert answer["skills"] == ["pdf"]


def test_an_old_version_comes_back_as_a_new_one_with_its_files() -> None:
    skill = uploaded()
    before = bytes_of(caller().get("/api/v1/skills/pdf/versions/1/content"))
    revising.edit(skill.versions.get(), {"description": "Fills forms"}, trust=TRUST, at=AT)
    review.decide(TRUST, skill.pk, "promote", at=AT, why="read")
    answer = skill_reviewer().post("/api/v1/skills/pdf/versions/1/restore", {"why": "it was better"}, format="json")
    assert answer.status_code == 201
    shown = answer.json()
    assert (shown["number"], shown["status"], shown["made_by"], shown["changelog"]) == (
        3,
        "proposed",
        "restore",
        "it was better",
    )
    assert bytes_of(skill_reviewer().get("/api/v1/skills/pdf/versions/3/content")) == before
    assert skill_reviewer().post("/api/v1/skills/pdf/versions/2/restore", {}, format="json").status_code == 409
    assert caller().post("/api/v1/skills/pdf/versions/1/restore", {}, format="json").status_code == 403


def test_an_edit_is_a_proposed_version_and_keeps_every_file() -> None:
    skill = uploaded()
    base = skill.versions.get()
    version = revising.edit(base, {"description": "Fills forms", "trigger": ["pdf"]}, trust=TRUST, at=AT, why="shorter")
    assert (version.number, version.status, version.made_by, version.changelog) == (2, "proposed", "edit", "shorter")
    assert {file["path"] for file in version.files} == set(FILES)
    unchanged = [file for file in version.files if file in base.files]
    assert len(unchanged) == len(FILES) - 1
    assert "description: Fills forms" in version.skill_md
    assert caller().get("/api/v1/skills/pdf").json()["published_version"] == 1


def test_an_edit_that_changes_nothing_or_comes_late_is_refused() -> None:
    skill = make_skill()
    base = skill.versions.get()
    with pytest.raises(Conflict, match="does not differ"):
        revising.edit(base, {"description": "Books a flight"}, trust=TRUST, at=AT)
    with pytest.raises(Invalid, match="description"):
        revising.edit(base, {"description": " "}, trust=TRUST, at=AT)
    make_version(skill, description="Books two flights")
    with pytest.raises(Conflict, match="version 2 is proposed meanwhile"):
        revising.edit(base, {"description": "Books three flights"}, trust=TRUST, at=AT)
    assert SkillVersion.objects.count() == 2


def test_a_file_that_a_model_wrote_stays_marked_until_somebody_rewrites_it() -> None:
    skill = make_skill()
    version = propose(skill, scripts={"a.py": "print(1)"})
    mark = {"rule": "written-by-model", "severity": "medium", "file": "scripts/a.py", "line": 1, "excerpt": ""}
    SkillVersion.objects.filter(pk=version.pk).update(scan={"findings": [mark]})
    version.refresh_from_db()
    edited = revising.edit(version, {"description": "Books two flights"}, trust=TRUST, at=AT)
    assert edited.scan["findings"] == [mark]
    renaming.rename(Skill.objects.get(pk=skill.pk), "book-trip", trust=TRUST, at=AT)
    renamed = SkillVersion.objects.get(status="proposed")
    assert (renamed.skill_id, renamed.scan["findings"]) == (skill.pk, [mark])
    assert propose(skill, scripts={"a.py": "print(2)"}).scan["findings"] == []
