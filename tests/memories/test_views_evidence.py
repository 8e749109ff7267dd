"""What the pages say of the grounds of a memory: runs told apart, and no voices where nobody spoke."""

import pytest

from memories.models import Episode
from memories.values.choices import Origin, Outcome, Status
from memories.values.trust import everything
from memos_site.templatetags.episode import run_name, says_more
from skills import outcomes
from tests.consolidation.plugins import EMAIL, MORNING, days, live, ran, ruled
from tests.make import ANNA, AT, make_memory, make_skill
from tests.pages import candidate, signed_in

pytestmark = pytest.mark.django_db


def pattern_of_three_runs() -> tuple[str, list[str]]:
    """The id of a pattern over three runs of a plugin, and what the runs were about."""
    runs = [ran(at=MORNING + days(n), **EMAIL) for n in range(3)]
    ruled()
    pattern = live("p01-acmecorp-action-required")
    assert pattern is not None
    return str(pattern.pk), [run.content.split(" ", 1)[1] for run in runs]


def test_runs_of_a_plugin_are_told_apart_by_what_they_are_about() -> None:
    memory, refs = pattern_of_three_runs()
    client = signed_in()
    for address in (f"/memories/{memory}/", f"/memories/{memory}/evidence/", f"/memories/{memory}/pane/"):
        page = client.get(address).content.decode()
        assert all(f"Plugin run: {ref}" in " ".join(page.split()) for ref in refs), address


def test_of_a_skill_nobody_is_said_to_have_said_it() -> None:
    skill = candidate()
    page = " ".join(signed_in().get(f"/memories/{skill.pk}/pane/").content.decode().split())
    assert "Where it was seen" in page and "2 sessions" in page and "was the first to show it" in page
    assert "voice" not in page.replace('class="voices"', "") and "said it" not in page


def test_a_skill_that_a_person_brought_in_says_so_and_that_agents_used_it() -> None:
    skill = make_skill(origin=Origin.IMPORTED, created_by="ben", source="ben")
    outcomes.report(skill, outcomes.Use(Outcome.SUCCESS), trust=everything(ANNA), at=AT)
    page = " ".join(signed_in().get(f"/memories/{skill.pk}/pane/").content.decode().split())
    said = page.split('<ol class="said-by">')[1].split("</ol>")[0]
    assert "<strong>ben</strong> brought it in" in said and "<strong>anna</strong> used it" in said
    assert "Where it was used" in page and "the first to show it" not in page


def test_a_quote_is_left_out_only_where_the_name_of_the_run_says_it() -> None:
    untitled, titled = Episode(source="P01"), Episode(source="P01", title="Where is")
    untitled.opening = "Where is my\nparcel?"  # type: ignore[attr-defined]
    words = "Where is my parcel? It is late."
    assert not says_more(words, untitled) and says_more("It is late.", untitled)
    assert says_more(words, titled) and not says_more("Where is", titled)
    assert says_more(words, None) and not says_more("", None)


def test_the_tags_around_a_task_are_no_part_of_its_name() -> None:
    task = Episode(source="P01")
    task.opening = "<task>\n<pr_description>\nMend the <b> tag"  # type: ignore[attr-defined]
    assert run_name(task) == "Mend the <b> tag"
    assert not says_more("<task> <pr_description> Mend the <b> tag, please", task)
    task.opening = "<task>"  # type: ignore[attr-defined]
    assert run_name(task) == "<task>"


def test_what_was_learned_from_runs_says_so_in_words() -> None:
    learned = make_memory("Run the tests with -n 2", source="consolidation", origin=Origin.CONSOLIDATED)
    told = make_memory("Acme pays late", source="P01", status=Status.CONFIRMED)
    client = signed_in()
    page = client.get(f"/memories/{learned.pk}/").content.decode()
    assert "learned from recorded runs" in page and "consolidated" not in page
    inbox = client.get("/").content.decode()
    assert "<span>from runs</span>" in inbox and "consolidation</span>" not in inbox
    assert "learned from recorded runs" not in client.get(f"/memories/{told.pk}/").content.decode()
