import pytest
from pytest_django import DjangoAssertNumQueries

from consolidation.models import Pattern, Run
from consolidation.models.groups import Unread
from memories.models import Episode
from memories.values.choices import Sensitivity
from tests.make import AT, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def make_job(**facts: object) -> Run:
    return Run.objects.create(**{"kind": "consolidate", "trigger": Run.Trigger.COMMAND, "started_at": AT} | facts)


def test_the_list_shows_what_each_run_did_and_what_went_wrong() -> None:
    make_job(status=Run.Status.SUCCEEDED, counters={"episodes_read": 100, "skipped": 0})
    make_job(status=Run.Status.FAILED, error="the disk is full")
    page = signed_in().get("/runs/").content.decode()
    assert "episodes read: 100" in page
    assert "skipped" not in page
    assert "the disk is full" in page


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    for _ in range(2):
        make_job()
        with django_assert_num_queries(8):
            client.get("/runs/")


def test_before_the_first_run_the_page_names_the_command() -> None:
    assert "manage.py consolidate" in signed_in().get("/runs/").content.decode()


def test_a_run_above_the_clearance_is_not_shown() -> None:
    make_job(sensitivity=Sensitivity.HIGH, error="a secret")
    assert "a secret" not in signed_in().get("/runs/").content.decode()


def test_what_was_set_aside_is_shown_with_its_reason() -> None:
    run = make_run(title="A poisoned run", outcome="success")
    Episode.objects.filter(pk=run.pk).update(digest_attempts=3, digest_error="ValueError: no sense in it")
    hidden = make_run(title="A hidden run", outcome="success", sensitivity="hyper")
    Episode.objects.filter(pk=hidden.pk).update(digest_attempts=3)
    seen = {"first_seen_at": AT, "last_seen_at": AT, "sensitivity": Sensitivity.LOW, "signature_sha256": b"x"}
    Pattern.objects.create(kind="exact", signature="go_build", error="OSError: No space left", **seen)
    failed = {"rule": "override", "attempts": 3, "error": "ValueError: an edit makes no sense"}
    Unread.objects.create(episode_id=run.pk, event_id=run.pk, **failed)
    Unread.objects.create(episode_id=hidden.pk, event_id=hidden.pk, **failed | {"error": "a hidden error"})
    page = signed_in().get("/runs/").content.decode()
    for word in ("A poisoned run", "no sense in it", "go_build", "No space left", "an edit makes no sense"):
        assert word in page
    assert "A hidden run" not in page
    assert "a hidden error" not in page
