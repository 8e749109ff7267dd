"""What a run wrote, on its page: the rows of this run alone, paged, and its counters lead there."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from consolidation import run_queue
from consolidation.models import Run
from consolidation.web.runs import ENTRIES_AT_ONCE
from memories.models import AuditEntry
from memories.values.trust import SYSTEM, everything
from memos_site import review
from memos_site.templatetags.runs import IN_THE_TRAIL
from skills.models import Skill
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import ANNA, make_memory, make_person
from tests.pages import signed_in
from tests.transfer.sources import FOUNDER_OS, database, founder_memory

pytestmark = pytest.mark.django_db
BUILD = ["go_test", "go_build", "lint"]


def entries(number: int, of_run: Run | None) -> None:
    """About memories that are no longer there, which are named as they were."""
    facts = {"kind": "memory", "action": "create", "by": ANNA, "at": NOON, "scope": "", "sensitivity": 1}
    drafted = [AuditEntry.draft(subject=uuid4(), label=f"claim-{n}", **facts) for n in range(number)]  # type: ignore[arg-type]
    for entry in drafted:
        entry.run = of_run.pk if of_run else None
    AuditEntry.objects.bulk_create(drafted)


def test_a_run_names_what_it_wrote_and_its_counters_lead_there() -> None:
    for minute in range(2):
        run(BUILD, minutes=minute)
    done = consolidated()
    client = signed_in()
    page, trail = client.get(f"/runs/{done.pk}/").content.decode(), f'href="/runs/{done.pk}/#wrote"'
    wrote = page.split('id="wrote"')[1]
    skill = Skill.objects.get()
    assert wrote.count(f'href="/memories/{skill.memory_id}/"') == 2, "the skill that it learned, and its version"
    assert skill.title in wrote and f"{skill.name} 1" in wrote and "proposed" in wrote
    assert "first seen" in wrote and "first said" not in wrote
    counters = [counter for counter in done.counters if counter in IN_THE_TRAIL and done.counters[counter]]
    assert len(counters) == page.count(trail) == client.get("/runs/").content.decode().count(trail) > 1


def test_without_entries_its_counters_lead_to_the_lists_of_such_rows() -> None:
    """As those of runs that are older than the column do."""
    old = Run.objects.create(kind="consolidate", trigger="page", counters={"plans_created": 2})
    page = signed_in().get(f"/runs/{old.pk}/").content.decode()
    assert "#wrote" not in page and 'class="counter" href="/memories/?type=plan_graph"' in page


def test_a_bulk_decision_and_its_undo_name_what_they_wrote() -> None:
    person, rows = make_person("anna", group="reviewer"), [make_memory(f"Acme pays late {n}") for n in range(3)]
    decided = review.order(person, dict.fromkeys((row.pk for row in rows), ""), "dismiss", why="noise", at=NOON)
    run_queue.work()
    undone = review.order_undo(person, decided.batch, at=NOON)
    run_queue.work()
    for order, action in ((decided, "dismiss"), (undone, "undo")):
        assert actions_of(order.run) == [action] * 3


def test_imports_of_one_worker_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)
    client = signed_in()
    for number in range(2):
        path = database(tmp_path / f"{number}.db", FOUNDER_OS, memories=[founder_memory(number)])
        file = SimpleUploadedFile("memory.db", path.read_bytes())
        page = client.post("/import/", {"file": file, "format": "founderos", "status": "keep"}, follow=True)
        client.post(f"{page.request['PATH_INFO']}start/")
    run_queue.work()
    labels = [tuple(actions_of(run, "label")) for run in Run.objects.filter(kind="import")]
    assert sorted(labels) == [("customer-0-terms",), ("customer-1-terms",)]


def actions_of(run: Run, column: str = "action") -> list[str]:
    return list(AuditEntry.objects.filter(run=run.pk).values_list(column, flat=True))


def test_what_others_did_is_not_the_runs_and_a_run_that_wrote_nothing_says_nothing() -> None:
    one, other = (Run.objects.create(kind="consolidate", trigger="page") for _ in range(2))
    entries(1, one)
    entries(1, None)
    client = signed_in()
    assert client.get(f"/runs/{one.pk}/").content.decode().count("claim-0") == 1
    assert "What it wrote" not in client.get(f"/runs/{other.pk}/").content.decode()


def test_what_is_above_the_reader_is_not_named() -> None:
    one = Run.objects.create(kind="consolidate", trigger="page")
    entries(1, one)
    entry = AuditEntry.draft(
        kind="memory", subject=uuid4(), label="vault", action="create", by=ANNA, at=NOON, scope="", sensitivity=4
    )
    entry.run = one.pk
    entry.save(force_insert=True)
    page = signed_in().get(f"/runs/{one.pk}/").content.decode()
    assert "claim-0" in page and "vault" not in page


def test_however_much_it_wrote_its_page_asks_no_more(django_assert_num_queries: Any) -> None:
    one = Run.objects.create(kind="consolidate", trigger="page")
    entries(ENTRIES_AT_ONCE + 5, one)
    client = signed_in()
    with django_assert_num_queries(9):
        page = client.get(f"/runs/{one.pk}/").content.decode()
    assert page.count("claim-") == ENTRIES_AT_ONCE
    older = page.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert client.get(f"/runs/{one.pk}/{older}").content.decode().count("claim-") == 5


def test_the_rows_of_a_run_are_found_by_an_index() -> None:
    one = Run.objects.create(kind="consolidate", trigger="page")
    entries(2_000, None)
    entries(30, one)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_auditentry")
    rows = AuditEntry.objects.visible_to(everything()).filter(run=one.pk).order_by("-at", "-id")[:ENTRIES_AT_ONCE]
    assert "audit_of_runs" in rows.explain()


def test_how_an_episode_ended_is_said_in_words_of_its_own() -> None:
    done, episode = Run.objects.create(kind="extract", trigger="page", status="succeeded"), run(BUILD)
    for by in (ANNA, SYSTEM):
        entry = episode.audit("outcome", by=by, at=NOON)
        entry.run = done.pk
        entry.save(force_insert=True)
    page = signed_in().get(f"/runs/{done.pk}/").content.decode()
    assert "said how it ended" in page and "judged how it ended" in page and "outcome of a use" not in page


def test_runs_under_way_tell_their_scopes_by_which_one_is_known_from_another() -> None:
    for scope in ("project:billing", "project:shop"):
        Run.objects.create(kind="extract", trigger=Run.Trigger.API, scope=scope)
    cards = signed_in().get("/runs/").content.decode().partition('class="unfinished"')[2].partition("</ul>")[0]
    assert "project:billing" in cards and "project:shop" in cards
