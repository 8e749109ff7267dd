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

from memories.models import Episode, Event
from tests.agents.harnesses import AGENTS, PROMPT, TEST, Agent, Session, play
from tests.agents.protocols import LAST_WORDS
from tests.make import make_agent, make_memory, make_skill

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
KNOWN = "The tests of this repository run with python3 test_add.py, never with pytest"
CLAUDE, CODEX = AGENTS[:2]
PATIENT = {"MEMOS_DEADLINE": "30"}  # six agents at once on a small machine


@pytest.fixture
def token() -> str:
    make_memory(KNOWN, key="tests-how", category="fact", status="confirmed", confidence=90, company_id="Acme")
    make_skill()
    return make_agent()[1]


def test_a_whole_session_of_each_agent_arrives_and_is_told_what_is_known(
    tmp_path: Path, live_server: Any, programs: Path, token: str
) -> None:
    def played(agent: Agent) -> Session:
        return play(agent, tmp_path / agent.name, programs, live_server.url, token, **PATIENT)

    with ThreadPoolExecutor(len(AGENTS)) as pool:
        sessions = list(pool.map(played, AGENTS))
    wrong = {session.agent.name: list(faults(session, tmp_path)) for session in sessions}
    assert wrong == {agent.name: [] for agent in AGENTS}


def faults(session: Session, homes: Path) -> Iterator[str]:
    """What is not as it should be, each in a sentence."""
    agent, sent = session.agent, [json.dumps(body) for _path, body in session.requests]
    if set(session.returned) != {0} or "a + b" not in session.file:
        yield f"the session failed: {session.returned} {session.printed[-500:]}"
    if "NOT " in session.connected:
        yield f"connect: {session.connected}"
    if not any(KNOWN in text and LAST_WORDS not in text for text in sent):
        yield "what is known did not stand before the prompt"
    if not any(text.count(KNOWN) > 1 for text in sent):  # before the prompt, and as its answer
        yield "the tool of MCP did not answer"
    if agent.lists_mcp_tools and agent.query not in session.offered:
        yield f"the tools of MCP were not offered: {sorted(session.offered)}"
    if "book-flight" not in "".join(sent):
        yield "the agent does not know the skill"
    if (homes / agent.name / ".memos" / "counts" / "dropped").exists():
        yield "reports were dropped"
    yield from faults_of_episodes(agent)


def faults_of_episodes(agent: Agent) -> Iterator[str]:
    episodes = list(Episode.objects.filter(source=agent.source).exclude(thread_id__startswith="memos-connect"))
    if len(episodes) != 1:
        yield f"its sessions are {len(episodes)} episodes"
        return
    if episodes[0].outcome is not None:
        yield f"the hook decided the outcome: {episodes[0].outcome}"
    events = list(Event.objects.filter(episode=episodes[0]).order_by("position"))
    calls = [event.ok for event in events if event.kind == "tool_call"]
    if calls != [True, False, *([True] if agent.read[0] else []), True, True]:
        yield f"the calls arrived as {calls}"
    tests = [
        (event.result or {}).get("exit_code")
        for event in events
        if isinstance(event.args, dict) and TEST in event.args.values()
    ]
    if tests != [1, 0]:
        yield f"the tests ended with {tests}"
    said = [(event.role, event.text.strip('"')) for event in events if event.role]
    resumed = [("user", "Thanks"), ("assistant", LAST_WORDS)] if len(agent.sessions) > 1 else []
    if said != [("user", PROMPT), ("assistant", LAST_WORDS), *resumed]:
        yield f"what was said arrived as {said}"


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
