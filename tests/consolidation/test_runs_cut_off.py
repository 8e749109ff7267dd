"""Runs that an outage cut off, and what a run over the whole store tells those who read a part of it."""

import pytest
from django.db import OperationalError
from django.test import Client
from rest_framework.test import APIClient

from consolidation.execution import execute
from consolidation.models import LLMCall, Run
from memories import accounts
from memories.accounts import Access
from tests.consolidation.test_api_runs import get, make, work
from tests.make import ANNA, AT, caller, make_memory

pytestmark = pytest.mark.django_db


def test_an_ordered_run_that_is_cut_off_by_an_outage_goes_back_to_the_queue(judge: APIClient) -> None:
    def lost(_run: Run) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    ordered, scheduled = make(), make(trigger=Run.Trigger.SCHEDULE)
    for run in (ordered, scheduled):
        execute(run, lost, at=AT)
    told = get(judge, f"runs/{ordered.pk}")
    assert (told["status"], told["finished_at"]) == ("queued", None)
    assert told["error"].endswith("server closed the connection unexpectedly; it is tried again")
    assert get(judge, f"runs/{scheduled.pk}")["status"] == "failed"
    assert work() == 1 and get(judge, f"runs/{ordered.pk}")["status"] == "succeeded"


def test_who_reads_in_some_scopes_is_not_told_what_a_run_counted_in_all(judge: APIClient) -> None:
    counted = {"counters": {"episodes_read": 50}, "done": 50, "total": 120, "stage": "project:secret"}
    whole, own = (
        make(**counted, status="running"),
        make(kind="extract", subject=make_memory().pk, counters={"tasks": 1}),
    )
    LLMCall.objects.create(ok=True, purpose="facts", model="m", run=whole, at=AT, tokens_in=100, tokens_out=20)
    confined = caller(name="confined", scopes=["project:shop"])
    for path in (f"runs/{whole.pk}", "runs"):
        told, seen = ((row if path != "runs" else row["results"][1]) for row in (get(confined, path), get(judge, path)))
        figures = ("counters", "done", "total", "stage", "model")
        assert [told[name] for name in figures[:4]] == [{}, 0, 0, ""]
        assert not any(told["model"].values()) and seen["model"]["tokens_in"] == 100
        assert [seen[name] for name in figures[:4]] == [{"episodes_read": 50}, 50, 120, "project:secret"]
    assert get(confined, f"runs/{own.pk}")["counters"] == {"tasks": 1}
    person = Client()
    person.force_login(accounts.invite("carl", Access("reviewer", scopes=["project:shop"]), by=ANNA, at=AT))
    pages = [person.get(f"/runs/{path}") for path in ("", f"{whole.pk}/")]
    assert all(page.status_code == 200 and b"project:secret" not in page.content for page in pages)
    assert all(b"of 120" not in page.content for page in pages)
