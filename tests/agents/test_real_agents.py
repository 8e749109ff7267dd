"""Sessions of the real agents from npm with a model that is none: what arrives in Memos, and what reaches the model."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.faults import PATIENT, faults, faults_of_episodes, faults_of_work, outcomes_when_read
from tests.agents.harnesses import AGENTS, MENDED, STILL_WRONG, Agent, Session, play
from tests.agents.slow_server import QUESTIONS, REPORTS, slow_server

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
NOTHING_WRONG: dict[str, list[str]] = {agent.name: [] for agent in AGENTS}
DEADLINE, OF_MCP = 1.0, 5.0  # seconds
Played = Callable[..., list[Session]]


@pytest.fixture
def played(tmp_path: Path, live_server: Any, programs: Path, token: str) -> Played:
    """Sessions of all agents at once, each in a home of its own."""

    def all_at_once(*, wanted: str = MENDED, **more: str) -> list[Session]:
        def one(agent: Agent) -> Session:
            home = tmp_path / agent.name
            return play(agent, home, programs, live_server.url, token, by=None, wanted=wanted, **more)

        with ThreadPoolExecutor(len(AGENTS)) as pool:
            return list(pool.map(one, AGENTS))

    return all_at_once


def test_a_whole_session_of_each_agent_arrives_and_is_told_what_is_known(tmp_path: Path, played: Played) -> None:
    """It ends as its tests did, although each listed files last."""
    assert {one.agent.name: list(faults(one, tmp_path)) for one in played(**PATIENT)} == NOTHING_WRONG
    assert outcomes_when_read() == {agent.source: ("success", "checks") for agent in AGENTS}


def test_on_a_busy_machine_no_report_is_lost(tmp_path: Path, played: Played) -> None:
    """Sessions whose tests still fail at the end: each ends so."""
    with two_busy_loops():
        sessions = played(wanted=STILL_WRONG)
    wrong = {one.agent.name: [*faults_of_work(one), *faults_of_episodes(one)] for one in sessions}
    assert wrong == NOTHING_WRONG
    assert list(tmp_path.glob("*/.memos/spool/*/*.json")) == []
    assert outcomes_when_read() == {agent.source: ("failure", "checks") for agent in AGENTS}


@contextmanager
def two_busy_loops() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def all_calls_wait(agent: Agent, home: Path) -> bool:
    """They come when the server does. opencode reports beside them that it has no tool of MCP to call."""
    paths = [json.loads(path.read_text())["path"] for path in home.glob(".memos/spool/*/*.json")]
    return paths.count("tool-outputs") >= (5 if agent.read[0] else 4)


def test_a_dead_server_costs_nothing(tmp_path: Path, played: Played) -> None:
    sessions = played(MEMOS_URL="http://127.0.0.1:9", **PATIENT)
    assert {one.agent.name: list(faults_of_work(one)) for one in sessions} == NOTHING_WRONG
    for agent in AGENTS:
        home = tmp_path / agent.name
        assert not (home / ".memos" / "counts" / "missed").exists(), agent.name
        assert all_calls_wait(agent, home), agent.name


def test_a_slow_server_costs_each_question_its_deadline_and_no_report_any_time(tmp_path: Path, played: Played) -> None:
    """Tools of MCP are gone for the session when they are not listed in time."""
    with slow_server() as server:
        sessions = played(MEMOS_URL=server.url, MEMOS_DEADLINE=str(DEADLINE))
        assert {one.agent.name: list(faults_of_work(one)) for one in sessions} == NOTHING_WRONG
        for session in sessions:
            agent, home = session.agent, tmp_path / session.agent.name
            questions, reports = (server.of(agent.source, paths) for paths in (QUESTIONS, REPORTS))
            assert questions, agent.name
            assert max(one.waited(DEADLINE + 2) for one in questions) < DEADLINE + 2, agent.name
            assert (home / ".memos" / "counts" / "missed").stat().st_size >= len(questions), agent.name
            for later in questions[1:][-1:]:  # it goes on while a report is being delivered; opencode asks but once
                assert any(one.begun < later.begun < one.gone for one in reports), agent.name
            assert all_calls_wait(agent, home), agent.name
        lists = [one for one in server.asked if one.path == "/mcp"]
        assert [one for one in lists if one.waited(OF_MCP + 2) >= OF_MCP + 2] == []
