"""What operators do in the admin: decide as at the desk, look after people and jobs."""

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import Permission, User
from django.test import Client
from django_q.models import Failure, Schedule

from memories.models import AuditEntry, Memory
from memories.values.choices import Sensitivity, Status
from skills.models import SkillVersion
from tests.make import AT, make_memory, make_person, make_skill
from tests.operators import administrator, page, staff

pytestmark = pytest.mark.django_db


def decide(client: Client, verb: str, memory: Memory, reason: str = "") -> str:
    act = {"action": verb, "_selected_action": [str(memory.pk)], "reason": reason}
    return client.post(page(Memory, "changelist"), act, follow=True).content.decode()


def test_decisions_are_the_desks_with_their_reason_and_their_conflicts() -> None:
    client, memory = staff(), make_memory()
    assert "say why" in decide(client, "dismiss", memory)
    assert "dismiss: 1" in decide(client, "dismiss", memory, "stale")
    assert "cannot promote a memory that is dismissed" in decide(client, "promote", memory)
    assert "restore: 1" in decide(client, "restore", memory)
    assert "promote: 1" in decide(client, "promote", memory)
    memory.refresh_from_db()
    assert memory.status == Status.CONFIRMED
    trail = AuditEntry.objects.about("memory", memory.pk)
    assert [(entry.action, entry.actor, entry.rationale) for entry in trail] == [
        ("dismiss", "olga", "stale"), ("restore", "olga", ""), ("promote", "olga", ""),
    ]  # fmt: skip


def test_a_promoted_skill_is_published_as_from_the_inbox() -> None:
    skill = make_skill(published=False)
    decide(staff(), "promote", skill.memory)
    assert skill.versions.get().status == SkillVersion.Status.PUBLISHED


def test_nobody_decides_what_is_above_them_or_without_review() -> None:
    above, low = make_memory(sensitivity=Sensitivity.HIGH), make_memory()
    client = staff()
    decide(client, "promote", above)
    User.objects.get(username="olga").groups.clear()
    User.objects.get(username="olga").user_permissions.add(Permission.objects.get(codename="use_read"))
    decide(client, "promote", low)
    assert not Memory.objects.exclude(status=Status.CANDIDATE).exists()


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
