import pytest
from pytest_django import DjangoAssertNumQueries

from consolidation.models import Run
from memories.choices import Sensitivity
from tests.make import AT
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def make_job(**facts: object) -> Run:
    return Run.objects.create(**{"kind": "consolidate", "trigger": Run.Trigger.COMMAND, "started_at": AT} | facts)


def test_the_list_shows_what_each_run_did_and_what_went_wrong() -> None:
    make_job(status=Run.Status.SUCCEEDED, counters={"episodes_read": 100, "skipped": 0})
    make_job(status=Run.Status.FAILED, error="the disk is full")
    page = signed_in().get("/runs/").content.decode()
    assert "100 episodes read" in page
    assert "skipped" not in page
    assert "the disk is full" in page


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    for _ in range(2):
        make_job()
        with django_assert_num_queries(6):
            client.get("/runs/")


def test_before_the_first_run_the_page_names_the_command() -> None:
    assert "manage.py consolidate" in signed_in().get("/runs/").content.decode()


def test_a_run_above_the_clearance_is_not_shown() -> None:
    make_job(sensitivity=Sensitivity.HIGH, error="a secret")
    assert "a secret" not in signed_in().get("/runs/").content.decode()
