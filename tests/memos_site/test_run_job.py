"""A scheduled job that an operator does by hand."""

import gc
import io
import os
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

import manage
from consolidation import schedules, tasks
from memories.intake import episodes
from memories.models import Episode
from tests.make import bearing, make_agent

pytestmark = pytest.mark.django_db
NAMES = sorted({func.rpartition(".")[2] for func in (*schedules.JOBS, *schedules.AT_START)})


def run_job(*arguments: str) -> str:
    out = io.StringIO()
    call_command("run_job", *arguments, stdout=out)
    return out.getvalue().strip()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as refusal:
        run_job(*arguments)
    assert refusal.value.returncode == 1
    return str(refusal.value)


def open_episode() -> None:
    body = {"source": "P01", "event_kind": "message", "ref": "m1", "thread_id": "t"}
    assert bearing(make_agent()[1]).post("/api/v1/events", body, format="json").status_code == 201


def test_without_a_name_the_jobs_are_listed_and_each_has_its_own() -> None:
    assert run_job().split("\n") == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    said = refused("tidy")
    assert said.startswith("there is no job 'tidy', but ")
    assert all(name in said for name in NAMES)
    assert "there is no job 'os.getcwd'" in refused("os.getcwd")


@pytest.mark.parametrize("name", ["close_silent", "memories.tasks.close_silent"])
def test_a_job_is_done_as_the_schedule_would_and_says_what_it_did(name: str) -> None:
    open_episode()
    Episode.objects.update(last_event_at=timezone.now() - timedelta(hours=1))
    assert run_job(name) == "memories.tasks.close_silent: 1 closed"
    assert Episode.objects.get().closed_at is not None


def test_a_job_that_raises_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes, "close_silent", lambda **_: 1 / 0)
    assert refused("close_silent") == "memories.tasks.close_silent failed: ZeroDivisionError: division by zero"


def test_a_job_whose_run_failed_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "patterns", lambda: "failed: {} ValueError")
    assert refused("patterns") == "consolidation.tasks.patterns failed: {} ValueError"


def test_a_time_of_its_own_needs_debug(settings: Any) -> None:
    settings.DEBUG = False
    assert refused("close_silent", "--at", "2026-03-01T12:00:00Z") == "--at is for development: it needs DEBUG"
    settings.DEBUG = True
    assert refused("close_silent", "--at", "tomorrow").startswith("--at ")
    open_episode()
    assert run_job("close_silent") == "memories.tasks.close_silent: 0 closed"
    assert run_job("close_silent", "--at", "2999-01-01T00:00:00Z") == "memories.tasks.close_silent: 1 closed"
    assert timezone.now().year < 2999


def test_a_reader_that_leaves_ends_a_command_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)  # as `| head` does when it has seen enough
    monkeypatch.setattr(gc, "set_threshold", lambda _objects: None)
    monkeypatch.setattr(sys, "argv", ["manage.py", "version"])
    with os.fdopen(writer, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(SystemExit) as ended:
            manage.main()
    assert (ended.value.code, capfd.readouterr().err) == (1, "")
