"""Editing a skill on its page, without a script: preview, then a proposed version like any other."""

from typing import Any

import pytest

from memories.values.choices import Sensitivity
from skills.models import Skill, SkillVersion
from tests.make import make_skill, make_version
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def form(skill: Skill, **changes: str) -> dict[str, str]:
    plain = {"base": "1", "title": "book flight", "description": "Books a flight"}
    names = ("trigger", "procedure", "failure_modes", "fallbacks", "experience", "preference", "tool")
    return plain | dict.fromkeys(names, "") | {"title": skill.versions.get(number=1).fields["title"]} | changes


def send(skill: Skill, **changes: str) -> Any:
    return signed_in().post(f"/skills/{skill.pk}/edit/", form(skill, **changes), follow=True)


def test_the_form_holds_the_fields_and_a_preview_changes_nothing() -> None:
    skill = make_skill()
    client = signed_in()
    assert "Books a flight" in client.get(f"/skills/{skill.pk}/edit/").content.decode()
    changed = form(skill, description="Books two flights", do="preview")
    page = client.post(f"/skills/{skill.pk}/edit/", changed).content.decode()
    assert '<ins><span class="unseen">added: </span>two</ins>' in page
    assert SkillVersion.objects.count() == 1


def test_the_preview_alone_is_answered_to_the_script_that_follows_what_is_typed() -> None:
    skill = make_skill()
    client = signed_in()
    for description, shown in (
        ("Books two flights", "<ins>"),
        (" ", '<p class="errors">'),
        ("Books a flight", "Nothing."),
    ):
        answer = client.post(f"/skills/{skill.pk}/edit/", form(skill, description=description), headers=HTMX)
        page = answer.content.decode()
        assert (answer.status_code, shown in page, "<form" in page) == (200, True, False)
    assert SkillVersion.objects.count() == 1


def test_saving_proposes_a_version_with_what_was_typed() -> None:
    skill = make_skill()
    page = send(skill, do="propose", failure_modes="- No seat\r\n- No card", trigger="fly, trip", changelog="lessons")
    version = SkillVersion.objects.get(number=2)
    assert (version.status, version.made_by, version.changelog) == ("proposed", "edit", "lessons")
    assert version.fields["failure_modes"] == ["No seat", "No card"]
    assert version.fields["trigger"] == ["fly", "trip"]
    assert "Version 2 waits to be published." in page.content.decode()


def test_what_is_wrong_or_too_late_keeps_the_typed_text() -> None:
    skill = make_skill()
    answer = send(skill, do="propose", description=" ", procedure="My long text")
    assert (answer.status_code, "My long text" in answer.content.decode()) == (400, True)
    make_version(skill, description="Books two flights")
    client = signed_in("berta")
    late = client.post(f"/skills/{skill.pk}/edit/", form(skill, do="propose", procedure="My long text"))
    page = late.content.decode()
    assert (late.status_code, "My long text" in page, "proposed version 2" in page) == (409, True, True)


def test_an_old_version_is_proposed_once_more_from_its_row() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    SkillVersion.objects.filter(number=2).update(status="rejected")
    client = signed_in()
    assert f"/skills/{skill.pk}/2/restore/" in client.get(f"/memories/{skill.pk}/").content.decode()
    client.post(f"/skills/{skill.pk}/2/restore/")
    assert SkillVersion.objects.get(number=3).fields["description"] == "Books two flights"


def test_viewers_and_hidden_skills_are_kept_out() -> None:
    skill, hidden = make_skill(), make_skill("other", sensitivity=Sensitivity.HIGH)
    viewer = signed_in(group="viewer")
    assert viewer.get(f"/skills/{skill.pk}/edit/").status_code == 403
    assert "/edit/" not in viewer.get(f"/memories/{skill.pk}/").content.decode()
    client = signed_in("berta")
    assert client.get(f"/skills/{hidden.pk}/edit/").status_code == 404
    assert client.post(f"/skills/{hidden.pk}/1/restore/").status_code == 404


def test_a_skill_is_renamed_and_retired_on_its_page() -> None:
    skill = make_skill()
    client = signed_in()
    page = client.post(f"/skills/{skill.pk}/rename/", {"name": "book-trip"}, follow=True).content.decode()
    assert "<code>book-trip</code>" in page and "<code>book-flight</code>" in page
    wrong = client.post(f"/skills/{skill.pk}/rename/", {"name": "Book it"}, follow=True).content.decode()
    assert "for example book-it" in wrong
    assert 'value="retire"' in page
    client.post(f"/memories/{skill.pk}/decide/", {"decision": "retire"})
    page = client.get(f"/memories/{skill.pk}/").content.decode()
    assert 'value="retire"' not in page
    assert not SkillVersion.objects.filter(status="published").exists()
    assert signed_in("berta", group="viewer").post(f"/skills/{skill.pk}/rename/", {"name": "x"}).status_code == 403


def test_a_proposed_version_shows_its_words_section_by_section_on_its_page_and_in_the_inbox() -> None:
    skill = make_skill()
    version = make_version(skill, description="Books <two> flights")
    record = {"successes": 3, "failures": 1}
    files = {"scripts": {"pay.py": "print(1)"}}
    SkillVersion.objects.filter(pk=version.pk).update(fields={**version.fields, **files, "performance": record})
    client = signed_in()
    for page in (client.get(f"/memories/{skill.pk}/").content.decode(), client.get("/").content.decode()):
        assert "&lt;two&gt;</ins>" in page and '<del><span class="unseen">removed: </span>a</del>' in page
        assert "Track Record" not in page.partition('id="skill-md"')[0]
    assert "scripts/pay.py" in client.get("/").content.decode()


def test_a_version_tells_who_made_it_and_stands_above_older_ones() -> None:
    skill = make_skill()
    make_version(skill, description="Books two flights")
    page = signed_in().get(f"/memories/{skill.pk}/").content.decode()
    assert "Uploaded. Agents use version 1 until this one is published." in page
    assert page.index(f"/skills/{skill.pk}/2.zip", page.index('id="versions"')) < page.rindex(f"/{skill.pk}/1.zip")


def test_findings_are_told_by_gravity_and_in_words() -> None:
    version = make_skill().versions.get()
    about = {"file": "scripts/a.py", "line": 1, "excerpt": ""}
    findings = [
        {"rule": "written-by-model", "severity": "medium", **about},
        {"rule": "bandit-assert-used", "severity": "low", **about, "excerpt": "assert x"},
    ]
    SkillVersion.objects.filter(pk=version.pk).update(scan={"findings": findings})
    page = signed_in().get(f"/memories/{version.skill_id}/").content.decode()
    assert "written by a language model from one conversation: read it line by line" in page
    assert '<span class="lead">low</span>' in page
    assert "bullets errors" not in page


def test_of_many_findings_the_gravest_are_on_the_screen() -> None:
    version = make_skill().versions.get()
    about = {"line": 1, "excerpt": "", "rule": "hidden"}
    findings = [{"file": f"scripts/{n:02}.py", "severity": "low", **about} for n in range(30)]
    findings.append({"file": "scripts/grave.py", "severity": "critical", **about})
    SkillVersion.objects.filter(pk=version.pk).update(scan={"findings": findings})
    page = signed_in().get(f"/skills/{version.skill_id}/1/").content.decode()
    shown, _more, folded = page.partition("23 more findings")
    assert "scripts/grave.py" in shown and "scripts/06.py" in shown and "scripts/29.py" in folded


def test_a_skill_page_costs_at_most_twelve_queries(django_assert_max_num_queries: Any) -> None:
    skill, other = make_skill(), make_skill("other")
    for n in range(9):
        version = make_version(skill, description=f"Books {n} flights")
    SkillVersion.objects.filter(pk=version.pk).update(merges=other)
    client = signed_in()
    with django_assert_max_num_queries(12):
        assert "replaces <a" in client.get(f"/memories/{skill.pk}/").content.decode()
