"""The page of insights: charts of what a person may see, as tables and files too, at any size of the store."""

import csv
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_q.models import Schedule
from pytest_django import DjangoAssertNumQueries

from consolidation import schedules
from consolidation.insights import day_counts
from consolidation.insights.charts import CHARTS
from consolidation.models import DailyCount
from consolidation.models.daily_counts import OTHER_SCOPES
from consolidation.models.worth import SkillWorth
from memories.models import Memory, Proposal
from memories.values.choices import Sensitivity
from tests.deciding import propose
from tests.make import caller, make_memory, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


def put(name: str, label: str, n: int, *, days_ago: int = 0, scope: str = "", sensitivity: int = 0) -> None:
    day = timezone.localdate() - timedelta(days=days_ago)
    DailyCount.objects.create(day=day, name=name, label=label, scope=scope, sensitivity=sensitivity, n=n)


def page_of(client: Client, query: str = "") -> str:
    answer = client.get(f"/insights/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def file_of(client: Client, chart: str, query: str = "") -> list[list[str]]:
    answer = client.get(f"/insights/{chart}.csv{query}")
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.reader(StringIO(answer.content.decode("utf-8-sig"))))


def test_an_empty_store_has_a_page_without_charts_that_says_when_they_come(reviewer: Client) -> None:
    page = page_of(reviewer)
    assert "a job counts every 15 minutes" in page and "<canvas" not in page
    assert page.count("<figure") == len(CHARTS)


def test_the_first_memories_of_a_store_are_counted_as_the_page_is_opened(reviewer: Client) -> None:
    day_counts.count(at=timezone.now() - timedelta(minutes=2))  # the job, on the store that was empty
    make_memory(created_at=timezone.now() - timedelta(minutes=1))
    page = page_of(reviewer)
    assert "<canvas" in page and "Counted" in page
    assert DailyCount.objects.filter(name="status", label="candidate").values_list("n", flat=True).get() == 1


def test_a_store_with_figures_or_of_many_memories_waits_for_the_job(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_memory()
    make_memory()
    monkeypatch.setattr(day_counts, "SMALL", 1)
    assert "a job counts every 15 minutes" in page_of(reviewer)
    monkeypatch.setattr(day_counts, "SMALL", 2)
    put("retrieved", "all", 4, days_ago=50)
    page_of(reviewer)
    assert not DailyCount.objects.filter(name="status").exists()


def test_each_chart_has_a_table_and_a_file(reviewer: Client) -> None:
    make_memory(created_at=timezone.now())
    day_counts.count(at=timezone.now())
    put("retrieved", "all", 4, days_ago=1)
    put("retrieved", "hit", 3, days_ago=1)
    page = page_of(reviewer)
    assert "3 of 4 contexts" in page
    assert re.search(r'id="chart-memories".*?<th scope="row">.*?<canvas', page, re.DOTALL) or "chart-memories" in page
    for name in CHARTS:
        rows = file_of(reviewer, name)
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1, name
    assert file_of(reviewer, "retrievals")[-2][1:] == ["4", "3"], "yesterday"
    assert reviewer.get("/insights/nonsense.csv").status_code == 404


def test_numbers_are_those_within_the_clearance_of_the_reader(reviewer: Client) -> None:
    put("used", "success", 5, sensitivity=Sensitivity.HIGH)
    put("used", "success", 2, sensitivity=Sensitivity.MEDIUM)
    assert file_of(reviewer, "skills")[-1][1] == "2"
    assert file_of(signed_in("root", group="administrator"), "skills")[-1][1] == "7"


def test_one_scope_is_looked_at_by_itself(reviewer: Client) -> None:
    put("used", "success", 5, scope="project:a")
    put("used", "success", 2, scope=OTHER_SCOPES)
    put("used", "success", 1)
    for scope, n in (("project:a", "5"), ("*", "2"), ("-", "1"), ("", "8")):
        assert file_of(reviewer, "skills", f"?scope={scope}")[-1][1] == n
    page = page_of(reviewer, "?scope=project:a&days=90")
    assert (
        '<option value="project:a" selected>' in page and "/insights/skills.csv?days=90&amp;scope=project%3Aa" in page
    )


@pytest.mark.parametrize(
    "query", ["?days=1000000", "?days=x", "?scope=%00", f"?scope={'x' * 5000}", "?days=30&days=90"]
)
def test_nonsense_in_the_address_is_answered(reviewer: Client, query: str) -> None:
    assert reviewer.get(f"/insights/{query}").status_code in (200, 400)


def test_the_page_asks_no_more_questions_when_there_is_more(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(40):
        put("status", "candidate", 7, days_ago=n, scope=f"project:{n}")
    with django_assert_max_num_queries(MOST_QUERIES) as seen:
        page_of(reviewer)
    assert not any("memories_auditentry" in query["sql"] for query in seen.captured_queries), "the trail grows"


def test_answers_of_guidance_are_counted_as_they_are_given(reviewer: Client) -> None:
    agent = caller(permissions=["read"])
    answer: Any = agent.post("/api/v1/guidance", {"task": "Send the money back"}, format="json")
    assert answer.json()["decision"] == "unsure"
    assert file_of(reviewer, "guidance")[-1][1:] == ["0", "1", "0", "0"]


def test_an_administrator_changes_how_often_a_job_runs_and_nobody_else_does(reviewer: Client) -> None:
    schedules.ensure()
    row = Schedule.objects.get(func="consolidation.tasks.insights")
    Schedule.objects.filter(pk=row.pk).update(next_run=timezone.now() + timedelta(days=1))
    place = f"/runs/schedules/{row.pk}/"
    assert reviewer.post(place, {"minutes": "60"}).status_code == 403
    assert place not in reviewer.get("/runs/").content.decode()
    root = signed_in("root", group="administrator")
    assert place in root.get("/runs/").content.decode()
    assert root.post(place, {"minutes": "7"}).status_code == 400
    assert root.post(place, {"minutes": "60"})["Location"] == "/runs/"
    row.refresh_from_db()
    assert row.minutes == 60 and row.next_run and row.next_run <= timezone.now() + timedelta(hours=1)


def test_the_page_begins_with_whether_runs_with_memory_end_well_more_often(reviewer: Client) -> None:
    for days_ago, well in ((3, 31), (40, 20)):
        put("with_well", "desk", well, days_ago=days_ago, scope="project:a")
        put("with_ill", "desk", 40 - well, days_ago=days_ago, scope="project:a")
        put("without_well", "desk", 8, days_ago=days_ago)
    put("without_ill", "desk", 20, days_ago=3)
    put("withheld_ill", "night", 2, days_ago=2)
    page = page_of(reviewer)
    assert "Runs with memory end well more often than runs without it." in page
    assert "31 of 40" in page and "78 %" in page and "+28 points against the period before (20 of 40)" in page
    assert "8 of 30" in page and "Withheld at random: 0 of 2." in page
    assert '<th scope="row">night</th>' in page and "project:a" in page
    of_scope = page_of(reviewer, "?scope=project:a")
    assert "too few runs with or without it" in of_scope and "not known yet" in of_scope


def test_where_shares_may_be_alike_the_page_says_that_no_difference_is_known(reviewer: Client) -> None:
    for name, n in (("with_well", 6), ("with_ill", 4), ("without_well", 5), ("without_ill", 5)):
        put(name, "desk", n)
    page = page_of(reviewer)
    assert "No difference between runs with memory and runs without it is measured yet." in page
    assert "No data for the period before." in page and "60 %" not in page, "of 10 runs"


def test_the_page_says_how_many_decisions_wait_and_how_the_queue_grows(reviewer: Client, settings: Any) -> None:
    put("waiting", "day", 10, days_ago=7)
    put("waiting", "day", 20)
    put("waiting", "month", 4)
    put("waiting", "older", 7)
    put("model", "tokens_read", 1_500_000)
    page = page_of(reviewer)
    make_memory("Acme pays late")
    assert ">1</a>" in page_of(reviewer), "what waits now, as in the rail"
    assert "31" in page_of(reviewer, "?scope=-") and "7 of them for over a month" in page
    assert page.count("The queue grows by 3 a day.") == 2, "in short, and beside its chart"
    assert "no price is set" in page
    settings.LLM_PRICES = 2.0, 0.0
    assert "3.00" in page_of(reviewer)


def test_changes_of_the_week_lead_to_where_they_can_be_seen(reviewer: Client) -> None:
    skill = make_skill(at=timezone.now())
    put("decided", "refused", 3, days_ago=6)
    put("decided", "refused", 9, days_ago=8)
    page = page_of(reviewer)
    assert re.search(r'href="/dismissed/"><strong>3</strong> dismissed', page)
    assert f"/memories/{skill.pk}/" in page and "version 1 published" in page


def test_published_skills_are_named_by_what_their_runs_say_they_are_worth(reviewer: Client) -> None:
    counted = {"runs": 100, "routed": 12, "gained": 0, "lost": 0, "at": timezone.now()}
    for name, well, other in (("book-flight", 9, 1), ("send-letter", 1, 3)):
        skill = make_skill(name)
        ends = {"followed_well": well, "followed_ill": 10 - well, "otherwise_well": other, "otherwise_ill": 4 - other}
        SkillWorth.objects.create(memory=skill.memory, **ends, **counted)
    page = page_of(reviewer)
    best, worst = page.index("9 of 10 ended well"), page.index("1 of 10 ended well")
    assert best < worst and "does not help" in page[best:worst]


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((22, 9, 1, 6), "ended well in 22 of 31, others like them in 1 of 7: publish."),
        ((3, 7, 5, 2), "ended well in 3 of 10, others like them in 5 of 7: no benefit."),
        ((9, 1, 1, 0), "Whether it helps is not known yet"),
    ],
)
def test_a_proposed_skill_begins_with_what_its_runs_say_about_publishing_it(
    reviewer: Client, ends: tuple[int, ...], verdict: str
) -> None:
    skill = make_skill(published=False)
    names = ("followed_well", "followed_ill", "otherwise_well", "otherwise_ill")
    counted = {"runs": 100, "routed": 12, "gained": 0, "lost": 0, "at": timezone.now()}
    SkillWorth.objects.create(memory=skill.memory, **dict(zip(names, ends, strict=True)), **counted)
    page = reviewer.get(f"/memories/{skill.pk}/").content.decode()
    assert verdict in page and page.index(verdict) < page.index("What it is worth")


def test_conflicts_and_faded_claims_of_the_week_are_named_with_links(reviewer: Client) -> None:
    now = timezone.now()
    pair = [make_memory(f"Acme pays on net-{n} terms") for n in (30, 60)]
    opened = propose(pair[0])
    change = {"verb": "choose", "ids": [str(one.pk) for one in pair]}
    Proposal.objects.filter(pk=opened.pk).update(kind="conflict", change=change, others=[pair[1].pk])
    faded, long_ago = make_memory("Globex prefers phone calls"), make_memory("Initech renews in March")
    Memory.objects.filter(pk=faded.pk).update(decay_steps=1, decay_due_at=now + timedelta(days=6))
    Memory.objects.filter(pk=long_ago.pk).update(decay_steps=1, decay_due_at=now + timedelta(days=60))
    page = page_of(reviewer)
    assert "<strong>1</strong> open conflict" in " ".join(page.split())
    for memory in (pair[0], faded):
        assert re.search(rf'href="/memories/{memory.pk}/">{memory.content}', page)
    assert long_ago.content not in page
    Proposal.objects.update(snoozed_until=now + timedelta(days=1))
    assert "open conflict" not in page_of(reviewer)


def test_what_has_nothing_to_show_yet_stands_below_the_charts(reviewer: Client) -> None:
    put("status", "candidate", 7)
    page = page_of(reviewer)
    assert page.index('id="chart-memories"') < page.index("still-empty") < page.index('id="chart-skills"')


@pytest.mark.parametrize(("days", "said"), [(1, "in 1 day."), (6, "in 6 days.")])
def test_a_queue_that_hardly_changes_is_said_to_over_the_days_that_were_counted(
    reviewer: Client, days: int, said: str
) -> None:
    put("waiting", "day", 10, days_ago=days)
    put("waiting", "day", 10)
    assert f"The queue has hardly changed {said}" in page_of(reviewer)


def test_the_counts_of_a_scope_lead_to_the_rows_of_this_scope(reviewer: Client) -> None:
    for name, label in (("arrived", ""), ("decided", "taken"), ("decided", "refused")):
        put(name, label, 3, scope="project:shop")
    page, every = page_of(reviewer, "?scope=project:shop"), page_of(reviewer)
    for address in ("/", "/memories/?status=confirmed", "/dismissed/"):
        assert f'href="{address}"><strong>3' in every
        narrowed = f"{address}{'&amp;' if '?' in address else '?'}scope=project%3Ashop"
        assert f'href="{narrowed}"><strong>3' in page
