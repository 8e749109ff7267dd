import io
import re
import zipfile
from typing import Any

import pytest
from django.core.files.storage import storages
from pytest_django import DjangoAssertNumQueries

from memories.models import Evidence, Performance
from memories.values.choices import Sensitivity
from skills import publishing
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.templatetags.skill import share_of_runs
from tests.make import ANNA, AT, caller, make_run, make_skill, make_version
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


def test_the_list_says_what_each_skill_does_without_its_title_again() -> None:
    skill = make_skill()
    fields = {"title": "Book a flight", "description": "Book a flight. Use when somebody travels."}
    SkillVersion.objects.filter(skill=skill).update(fields={**skill.versions.get().fields, **fields})
    assert "<p>Use when somebody travels.</p>" in signed_in().get("/skills/").content.decode()


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    candidate("first")
    with django_assert_num_queries(8):
        client.get("/skills/")
    for n in range(5):
        candidate(f"skill-{n}")
    with django_assert_num_queries(8):
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
    answer = signed_in().get(f"/skills/{skill.pk}/1.zip", follow=True)
    assert answer.redirect_chain == [(f"/skills/{skill.pk}/1/", 302)]
    assert "package" in str(next(iter(answer.context["messages"])))


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


def used(name: str, times: int, **facts: Any) -> Skill:
    skill = make_skill(name, **facts)
    Performance.objects.create(memory=skill.memory, successes=1, failures=times - 1, last_used_at=AT)
    return skill


def test_the_most_used_skill_stands_first_and_small_numbers_are_no_percentage() -> None:
    used("rarely", 2)
    used("often", 30)
    make_skill("never")
    page = " ".join(signed_in().get("/skills/").content.decode().split())
    assert page.index(">often<") < page.index(">rarely<") < page.index(">never<")
    assert "1 of 2" in page and "3&thinsp;%" in page and "fails more than half of its runs" in page
    newest = signed_in("berta").get("/skills/?sort=newest").content.decode()
    assert newest.index(">never<") < newest.index(">often<")


def test_a_skill_without_an_outcome_says_so_and_a_phone_shows_no_empty_cells() -> None:
    make_skill()
    page = " ".join(signed_in().get("/skills/").content.decode().split())
    assert '<td class="lead">no outcome yet</td>' in page
    assert '<td class="number none" data-is="cases"> 0 </td> <td class="number none">–</td>' in page


def test_skill_md_stands_open_above_the_recipe_which_says_the_same_in_brief() -> None:
    skill, versions = make_skill(), SkillVersion.objects.all()
    versions.update(fields={**versions.get().fields, "recipe": [{"step": "Book it", "tool": "book_flight"}]})
    page = signed_in().get(f"/memories/{skill.pk}/").content.decode()
    assert page.index('id="skill-md"') < page.index('id="recipe"')
    assert '<details class="whole">' not in page


def test_runs_of_one_thread_are_one_case() -> None:
    skill = make_skill()
    for thread in ("a", "a", "b", None, None):
        run = make_run(thread_id=thread)
        Evidence.objects.create(memory=skill.memory, occasion=f"episode:{run.pk}", episode_id=run.pk, at=AT)
    page = " ".join(signed_in().get("/skills/").content.decode().split())
    assert '<td class="number" data-is="cases"> 4 </td>' in page


def test_a_version_is_shown_beside_the_one_before_it_or_any_other() -> None:
    skill = make_skill()
    for words in ("Books two flights", "Books three flights"):
        make_version(skill, description=words)
    client = signed_in()
    page = client.get(f"/skills/{skill.pk}/3/").content.decode()
    assert "What changes from version 2" in page and "three</ins>" in page
    page = client.get(f"/skills/{skill.pk}/3/?from=1").content.decode()
    assert "What changes from version 1" in page and "<del>" in page
    assert f'action="/skills/{skill.pk}/2/restore/"' in client.get(f"/skills/{skill.pk}/2/").content.decode()
    assert client.get(f"/skills/{skill.pk}/9/").status_code == 404
    hidden = make_skill("other", sensitivity=Sensitivity.HIGH)
    assert client.get(f"/skills/{hidden.pk}/1/").status_code == 404


def test_the_files_of_a_version_are_shown_with_their_texts() -> None:
    skill = make_skill()
    fields = Fields.model_validate({"name": skill.name, "description": "Books", "scripts": {"a.py": "print('<b>')"}})
    prepared = publishing.prepare(fields, scope="", number=2, extras={"assets/logo.png": b"\x89PNG\x00"})
    publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.UPLOAD, by=ANNA, at=AT)
    client = signed_in()
    for address in (f"/skills/{skill.pk}/2/", f"/memories/{skill.pk}/"):
        page = client.get(address).content.decode()
        assert "print(&#x27;&lt;b&gt;&#x27;)" in page and "assets/logo.png" in page


def test_versions_that_were_used_are_compared_in_a_chart() -> None:
    skill = make_skill()
    agent = caller(name="refund-agent")
    report("success", client=agent)
    client = signed_in()
    assert "chart.js" not in client.get(f"/memories/{skill.pk}/").content.decode()
    version = make_version(skill)
    SkillVersion.objects.filter(skill=skill, number=1).update(status="retired")
    SkillVersion.objects.filter(pk=version.pk).update(status="published")
    report("failure", client=agent)
    page = client.get(f"/memories/{skill.pk}/").content.decode()
    assert "Reported uses by version" in page and "chart.js" in page


def test_of_many_versions_the_newest_are_shown_and_a_link_leads_to_all() -> None:
    skill = make_skill()
    for _ in range(11):
        make_version(skill)
        SkillVersion.objects.filter(skill=skill, status="proposed").update(status="replaced")
    path, client = f"/memories/{skill.pk}/", signed_in()
    page = client.get(path).content.decode()
    assert f"/skills/{skill.pk}/12/" in page and f"/skills/{skill.pk}/2/" not in page and "All 12 versions" in page
    assert f"/skills/{skill.pk}/2/" in client.get(f"{path}?versions=all").content.decode()


def test_long_changes_are_named_and_a_link_leads_to_every_word_of_them() -> None:
    skill = make_skill()
    version = make_version(skill)
    version.fields = {**version.fields, "procedure": "Look the order up, then pay. " * 600}
    version.save()
    page = signed_in().get(f"/memories/{skill.pk}/").content.decode()
    changes = page[page.index('id="changes"') : page.index('id="skill-md"')]
    assert "Procedure" in changes and "Look the order up" not in changes
    whole = re.search(r'href="([^"]+\?from=1)"', changes)
    assert whole and "Look the order up" in signed_in("ben").get(whole[1]).content.decode()


@pytest.mark.parametrize(
    ("share", "successes", "text"),
    [(0.5, 12, "in 6 of 12 runs"), (0.75, 40, "in 75 % of the runs"), (0.5, 0, "in 50 % of the runs")],
)
def test_the_share_of_a_step_is_a_count_where_the_runs_are_few(share: float, successes: int, text: str) -> None:
    assert text in share_of_runs(share, {"successes": successes})
