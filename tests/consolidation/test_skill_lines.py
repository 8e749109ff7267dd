"""A reviewer sees the runs behind each line of a skill that may be seen, and which writes it makes likelier."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from consolidation.guidance import line_runs
from consolidation.models.worth import SkillLines, SkillWorth
from memories.models import Memory
from memories.values.choices import Type
from skills.models import SkillVersion
from tests.consolidation.experience import consolidated
from tests.consolidation.recorded import learned, run
from tests.consolidation.test_guidance import learn
from tests.make import make_person
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def runs() -> list[Memory]:
    """Six cases that ended well with it and two that ended ill without."""
    rows = [learn(n, "cancel_ticket") for n in range(6)] + [learn(n, outcome="failure") for n in (6, 7)]
    consolidated()
    return rows


def skill() -> Memory:
    return Memory.objects.get(type=Type.COMPETENCE, payload__effects=["cancel_ticket"])


def page_of(memory: Memory) -> str:
    client = Client()
    client.force_login(make_person(group="reviewer"))
    return client.get(f"/memories/{memory.pk}/").content.decode()


def links(page: str) -> set[str]:
    """The runs that the section of the lines links to."""
    section = page.split('<section id="lines">')[1].split("</section>", maxsplit=1)[0]
    return set(re.findall(r"/episodes/([0-9a-f-]{36})/", section))


def test_each_step_keeps_the_runs_that_say_so(runs: list[Memory]) -> None:
    kept = SkillLines.objects.get(pk=skill().pk).lines
    step = next(row for row in kept["procedure"] if "`cancel_ticket`" in row["text"])
    assert set(step["runs"]) == {str(row.pk) for row in runs[:6]}
    assert step["of"] == 6
    failed = next(row for row in kept["experience"] if row["text"].startswith("Call `cancel_ticket`"))
    assert {str(runs[6].pk), str(runs[7].pk)} <= set(failed["runs"])


def test_no_run_is_named_in_the_package_or_in_what_agents_get(runs: list[Memory]) -> None:
    memory = skill()
    told = f"{memory.payload} {memory.skill.versions.get().fields} {memory.skill.versions.get().skill_md}"
    assert not [row.pk for row in runs if str(row.pk) in told]


def test_the_page_links_each_line_to_its_runs(runs: list[Memory]) -> None:
    assert links(page_of(skill())) == {str(row.pk) for row in runs}


def test_a_run_above_the_reader_is_named_nowhere_on_the_page(runs: list[Memory]) -> None:
    Memory.objects.filter(pk=runs[0].pk).update(sensitivity=4)
    page = page_of(skill())
    assert links(page) == {str(row.pk) for row in runs[1:]}
    assert f"/episodes/{runs[0].pk}" not in page.split('<section id="evidence">')[0]


def test_a_line_that_a_person_has_written_has_no_runs(runs: list[Memory]) -> None:
    memory = skill()
    version = memory.skill.versions.get()
    fields: dict[str, Any] = {**version.fields, "procedure": "1. Ask a colleague.", "experience": []}
    type(version).objects.filter(pk=version.pk).update(fields=fields)
    assert 'id="lines"' not in page_of(memory)


def test_numbers_that_moved_since_the_version_was_published_hide_no_runs(runs: list[Memory]) -> None:
    memory = skill()
    version = memory.skill.versions.get()
    fields = {**version.fields, "procedure": re.sub(r"\b6\b", "4", version.fields["procedure"])}
    type(version).objects.filter(pk=version.pk).update(fields=fields)
    assert {str(row.pk) for row in runs[:6]} <= links(page_of(memory))


def test_a_version_with_former_placeholders_keeps_the_runs_of_its_lines() -> None:
    row = {"text": "Run `make test app={value}`.", "runs": [str(uuid4())], "of": 1}
    version = SkillVersion(fields={"procedure": "1. Run `make test app=<value>`."})
    assert [line.text for line in line_runs.of_version({"procedure": [row]}, version)] == [row["text"]]


def test_of_many_runs_the_first_and_the_last_are_named() -> None:
    for n in range(30):
        learn(n, "cancel_ticket")
    consolidated()
    kept = SkillLines.objects.get(pk=skill().pk).lines["procedure"]
    assert [(len(row["runs"]), row["of"]) for row in kept if "`cancel_ticket`" in row["text"]] == [(24, 30)]


def test_the_page_says_which_writes_it_makes_likelier(runs: list[Memory]) -> None:
    worth = SkillWorth.objects.get(pk=skill().pk)
    assert worth.writes == [["cancel_ticket", 6, 0]]
    told = re.sub(r"<[^>]*>|\s+", " ", page_of(skill()))
    assert "cancel_ticket 6 of 6 0 of 2" in " ".join(told.split())


def test_writes_that_following_it_makes_likelier_come_first() -> None:
    worth = SkillWorth(followed_well=3, followed_ill=1, otherwise_well=0, otherwise_ill=2)
    worth.writes = [["close", 0, 2], ["same", 2, 1], ["refund", 4, 1]]
    assert worth.differences == [["refund", 4, 1], ["close", 0, 2]]


def test_a_single_case_is_told_where_similar_ones_are_at_most_four() -> None:
    asked = "I want my order refunded, it is broken"
    order = ("get_order", {"order_id": "a-1"}, {"state": "delivered"})
    own = [run(n, asked, order, ("refund_order", {"order_id": "a-1"}, "ok")) for n in range(3)]
    others = [run(n, asked, order, ("exchange_order", {"order_id": "a-1"}, "ok")) for n in (4, 5)]
    others.append(run(6, asked, order, outcome="failure"))
    told = " ".join(learned(own, others).fields.experience)
    assert "2 of 2 with `exchange_order` and one case that changed nothing (it did not)" in told
    many = [run(n, asked, order, ("exchange_order", {"order_id": "a-1"}, "ok")) for n in range(10, 13)]
    told = " ".join(learned(own, [*others, *many]).fields.experience)
    assert "changed nothing" not in told and "one case in another way (it did not)" in told


def test_the_page_asks_no_more_than_thirteen_times(
    runs: list[Memory], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = Client()
    client.force_login(make_person(group="reviewer"))
    memory = skill()
    with django_assert_max_num_queries(12):
        assert b'id="lines"' in client.get(f"/memories/{memory.pk}/").content
