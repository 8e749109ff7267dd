"""What operators do in the admin: look after people and jobs."""

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.test import Client
from django_q.models import Failure, Schedule

from tests.make import AT, make_person
from tests.operators import administrator, page

pytestmark = pytest.mark.django_db


def test_administrators_make_people_and_schedules() -> None:
    client = administrator()
    words = {"username": "ben", "usable_password": "true", "password1": "a long walk", "password2": "a long walk"}
    assert client.post(page(User, "add"), words).status_code == 302
    ben = User.objects.get(username="ben")
    assert client.get(page(User, "change", ben.pk)).status_code == 200
    words = {"name": "x", "func": "memories.tasks.close_silent", "schedule_type": "D", "repeats": "-1"}
    when = {"next_run_0": "2030-01-01", "next_run_1": "00:00:00"}
    assert client.post(page(Schedule, "add"), {**words, **when}).status_code == 302
    schedule = Schedule.objects.get(name="x")
    assert client.get(page(Schedule, "change", schedule.pk)).status_code == 200


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("args", {"args": "nonsense("}), ("args", {"args": "close()"}), ("schedule_type", {"schedule_type": "C"})],
)
def test_a_schedule_that_would_stop_all_others_is_refused(field: str, wrong: dict[str, str]) -> None:
    words = {"name": "x", "func": "memories.tasks.close_silent", "schedule_type": "D", "repeats": "-1"}
    when = {"next_run_0": "2030-01-01", "next_run_1": "00:00:00"}
    response = administrator().post(page(Schedule, "add"), {**words, **when, **wrong})
    assert list(response.context["adminform"].form.errors) == [field]
    assert not Schedule.objects.filter(name="x").exists()


def test_a_failed_task_is_read_and_sent_again_by_administrators() -> None:
    at = {"started": AT, "stopped": AT}
    facts = {"id": "f" * 32, "name": "x", "func": "memories.tasks.close_silent", "success": False, "result": "a row"}
    failed = Failure.objects.create(**facts, **at)
    client = administrator()
    assert "a row" in client.get(page(Failure, "changelist")).content.decode()
    assert client.get(page(Failure, "change", failed.pk)).status_code == 200
    client.post(page(Failure, "changelist"), {"action": "resubmit_task", "_selected_action": [failed.pk]})
    assert not Failure.objects.exists()


def test_wrong_passwords_are_seen_and_not_rewritten() -> None:
    make_person()
    Client().post("/login/", {"username": "anna", "password": "guess"})
    attempt, client = AccessAttempt.objects.get(), administrator()
    for model in (AccessAttempt, AccessLog, AccessFailureLog):
        assert client.get(page(model, "changelist")).status_code == 200
        assert client.get(page(model, "add")).status_code == 403
    assert "guess" not in client.get(page(AccessAttempt, "change", attempt.pk)).content.decode()
    assert client.post(page(AccessAttempt, "change", attempt.pk), {"username": "ben"}).status_code == 403
