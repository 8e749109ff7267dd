"""The limit of calls a minute: several web processes count as one, and most calls ask nobody."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.api import call_limits
from memories.api.call_limits import Shares
from memories.models import Agent, CallAllowance
from memories.models.coordination import Grant
from tests.journeys.installation import free_port
from tests.memos_site.processes import until

pytestmark = pytest.mark.django_db
REDIS = shutil.which("redis-server")


@pytest.fixture
def agent_row() -> Agent:
    return Agent.objects.issue("caller")[0]


@pytest.fixture
def redis(tmp_path: Path, settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A Redis of its own that CACHE_URL names."""
    port = free_port()
    command = [REDIS or "", "--port", f"{port}", "--save", "", "--dir", f"{tmp_path}"]
    settings.CACHE_URL = f"redis://127.0.0.1:{port}/0"
    backend = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": settings.CACHE_URL}}
    with serving(command) as server:
        yield server


@contextmanager
def serving(command: Any) -> Iterator[subprocess.Popen[bytes]]:
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        until(answers)
        yield server
    finally:
        server.terminate()
        server.wait()


def answers() -> bool:
    from redis.exceptions import ConnectionError

    try:
        return caches["default"].get("nothing") is None
    except ConnectionError:
        return False


def answered(processes: list[Shares], calls: Iterator[int], agent: Agent, limit: int) -> int:
    """How many of the calls were answered; each goes to the process of its number."""
    return sum(not processes[number].wait(agent.pk, limit) for number in calls)


def even(processes: int, calls: int) -> Iterator[int]:
    return (call % processes for call in range(calls))


@pytest.mark.parametrize("limit", [1, 7, 60, 600])
@pytest.mark.parametrize("processes", [1, 10])
def test_processes_that_are_called_alike_answer_exactly_the_limit(agent_row: Agent, limit: int, processes: int) -> None:
    many = [Shares() for _ in range(processes)]
    assert answered(many, even(processes, 2 * limit + 20 * processes), agent_row, limit) == limit
    assert 0 < many[0].wait(agent_row.pk, limit) <= 60


def test_calls_that_move_from_process_to_process_are_never_above_the_limit_and_seldom_far_below(
    agent_row: Agent,
) -> None:
    limit, many = 200, [Shares() for _ in range(10)]
    one_after_another = (number for number in range(10) for _ in range(20 if number < 9 else 200))
    assert 0.75 * limit <= answered(many, one_after_another, agent_row, limit) <= limit


def test_most_calls_ask_nobody(agent_row: Agent) -> None:
    shares = Shares()
    with CaptureQueriesContext(connection) as asked:
        assert answered([shares], iter([0] * 600), agent_row, 600) == 600
    assert len(asked) <= 50
    end_window(agent_row, shares)
    with CaptureQueriesContext(connection) as asked:
        assert answered([shares], iter([0] * 600), agent_row, 600) == 600
    assert len(asked) <= 9  # what the window before had makes large shares at once


def test_who_has_used_up_the_limit_is_refused_without_a_question(agent_row: Agent) -> None:
    shares = Shares()
    assert answered([shares], iter([0] * 3), agent_row, 2) == 2
    with CaptureQueriesContext(connection) as asked:
        assert shares.wait(agent_row.pk, 2)
    assert not asked


def test_a_raised_limit_holds_at_once(agent_row: Agent) -> None:
    shares = Shares()
    assert answered([shares], iter([0] * 3), agent_row, 2) == 2
    assert answered([shares], iter([0] * 9), agent_row, 5) == 3


def test_the_next_window_has_the_whole_limit_again(agent_row: Agent) -> None:
    shares, other = Shares(), Shares()
    assert answered([shares, other], even(2, 9), agent_row, 4) == 4
    end_window(agent_row, shares, other)
    assert answered([shares, other], even(2, 9), agent_row, 4) == 4


def test_a_grant_of_another_token_takes_nothing_away(agent_row: Agent) -> None:
    other = Agent.objects.issue("other")[0]
    assert CallAllowance.objects.grant(agent_row.pk, wanted=5, limit=3).calls == 3
    assert CallAllowance.objects.grant(agent_row.pk, wanted=5, limit=3).calls == 0
    assert CallAllowance.objects.grant(other.pk, wanted=5, limit=3).calls == 3


def test_a_database_that_fails_leaves_the_allowance_as_it_was() -> None:
    grants: list[Callable[[], Grant]] = [broken, lambda: Grant(1, 30.0)]
    shares, name = Shares(lambda *_, **__: grants.pop(0)()), uuid4()
    with pytest.raises(OSError, match="gone"):
        shares.wait(name, 1)
    assert shares.wait(name, 1) == 0.0


def broken() -> Grant:
    raise OSError("gone")


def end_window(agent: Agent, *processes: Shares) -> None:
    """A minute later: for the database and for each process."""
    CallAllowance.objects.update(until="2026-01-01T00:00Z")
    for process in processes:
        process._shares[agent.pk].until -= 60


@pytest.mark.skipif(not REDIS, reason="Redis is not installed")
def test_a_cache_counts_for_all_processes_until_it_is_away(agent_row: Agent, redis: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("memories.api.call_limits.time.time", lambda: 1_000_000.0)  # no minute ends meanwhile
    many = [Shares(), Shares()]
    assert answered(many, even(2, 99), agent_row, 60) == 60
    assert not CallAllowance.objects.exists()
    redis.terminate()
    redis.wait()
    assert answered([Shares()], iter([0] * 9), agent_row, 3) == 3
    assert CallAllowance.objects.get().granted == 3


@pytest.mark.skipif(not REDIS, reason="Redis is not installed")
def test_a_cache_that_is_away_is_logged_once_until_it_is_back(agent_row: Agent, redis: Any, caplog: Any) -> None:
    def asked() -> list[str]:
        """What is logged while three processes ask."""
        caplog.clear()
        assert [Shares().wait(agent_row.pk, 99) for _ in range(3)] == [0.0] * 3
        return [message.partition(":")[0] for message in caplog.messages]

    away, back = "the cache does not answer, calls are counted in the database", call_limits._cache_outage.over
    call_limits._cache_outage.end()  # the one of an earlier test
    assert asked() == []
    redis.terminate()
    redis.wait()
    assert (asked(), asked()) == ([away], [])
    with serving(redis.args):
        assert (asked(), asked()) == ([back], [])
    assert (asked(), asked()) == ([away], [])


def test_a_cache_that_fails_in_several_ways_is_one_outage(agent_row: Agent, settings: Any, monkeypatch: Any) -> None:
    from redis.exceptions import ConnectionError, TimeoutError

    errors, logged = [ConnectionError("closed"), TimeoutError("silent"), ConnectionError("refused")], list[str]()

    def failing(*_: object, **__: object) -> Grant:
        raise errors.pop(0)

    call_limits._cache_outage.end()
    settings.CACHE_URL = "redis://nowhere:6379/0"
    monkeypatch.setattr(call_limits, "_cache_grant", failing)
    monkeypatch.setattr(call_limits.log, "warning", lambda message, *args: logged.append(message % args))
    assert [Shares().wait(agent_row.pk, 99) for _ in range(3)] == [0.0] * 3
    assert logged == ["the cache does not answer, calls are counted in the database: closed"]
