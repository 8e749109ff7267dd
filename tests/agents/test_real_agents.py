"""Sessions of the real agents from npm with a model that is none: what arrives in Memos, and what reaches the model."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memories.models import Episode
from tests.agents.faults import PATIENT, faults
from tests.agents.harnesses import AGENTS, Agent, Session, play

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
CLAUDE, CODEX = AGENTS[:2]


def test_a_whole_session_of_each_agent_arrives_and_is_told_what_is_known(
    tmp_path: Path, live_server: Any, programs: Path, token: str
) -> None:
    def played(agent: Agent) -> Session:
        return play(agent, tmp_path / agent.name, programs, live_server.url, token, by=None, **PATIENT)

    with ThreadPoolExecutor(len(AGENTS)) as pool:
        sessions = list(pool.map(played, AGENTS))
    wrong = {session.agent.name: list(faults(session, tmp_path)) for session in sessions}
    assert wrong == {agent.name: [] for agent in AGENTS}


@contextmanager
def two_busy_loops() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_on_a_busy_machine_no_report_is_lost(tmp_path: Path, live_server: Any, programs: Path, token: str) -> None:
    with two_busy_loops():
        play(CODEX, tmp_path, programs, live_server.url, token)
    [episode] = Episode.objects.filter(source="codex").exclude(thread_id__startswith="memos-connect")
    kinds = [
        kind for kind in episode.events.order_by("position").values_list("kind", flat=True) if kind != "memos_missed"
    ]
    talk = ["user_message", "assistant_message"]
    assert kinds == ["user_message", *["tool_call"] * 4, "assistant_message", *talk]
    assert list((tmp_path / ".memos" / "spool").glob("*/*.json")) == []


@pytest.mark.parametrize("server", ["dead", "slow"])
def test_a_dead_or_slow_server_costs_at_most_the_deadline(
    tmp_path: Path, live_server: Any, programs: Path, token: str, server: str
) -> None:
    """Four questions are asked: before two prompts of Claude, and before its calls that change something."""
    with silent_server() as slow:
        url = slow if server == "slow" else "http://127.0.0.1:9"
        begun = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            well = pool.submit(play, CLAUDE, tmp_path / "well", programs, live_server.url, token)
            ill = pool.submit(play, CLAUDE, tmp_path / "ill", programs, live_server.url, token, MEMOS_URL=url)
            assert (well.result().returned, ill.result().returned) == ([0, 0], [0, 0])
        seconds = time.monotonic() - begun
    missed = tmp_path / "ill" / ".memos" / "counts" / "missed"
    assert missed.exists() == (server == "slow")
    assert seconds < 120
    waiting = [json.loads(path.read_text())["path"] for path in (tmp_path / "ill").glob(".memos/spool/*/*.json")]
    assert waiting.count("tool-outputs") == 5  # they come when the server does


@contextmanager
def silent_server() -> Iterator[str]:
    import socket

    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
