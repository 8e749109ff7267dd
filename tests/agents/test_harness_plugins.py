"""The zips of /agents/ and packs in the real harnesses: Claude Code as plugins, Gemini CLI as extensions."""

import io
import json
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from consolidation.packs import making
from memories import people
from memories.models import Agent as Caller
from tests.agents.faults import PATIENT, faults
from tests.agents.harnesses import AGENTS, Agent, Session, play, run
from tests.make import make_person, make_skill
from tests.pages import signed_in

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
CLAUDE, GEMINI = AGENTS[0], AGENTS[2]


def unpack(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def pack() -> bytes:
    """One skill of another scope, which the plugin of the agent does not hold."""
    make_skill("carried-over", scope="team:old")
    trust, at = people.trust_of(make_person("vera")), timezone.now()
    contents = making.chosen("team:old", trust, at=at, memories=[], skills=["carried-over"])
    return making.make(contents, trust, name="old-hands", scope="team:old", description="", at=at)


def test_plugins_and_packs_are_taken_by_the_harnesses_that_they_are_made_for(
    tmp_path: Path, live_server: Any, programs: Path, token: str
) -> None:
    carried, reader, [caller] = pack(), signed_in(), Caller.objects.all()
    zips = {one.name: reader.get(f"/agents/{caller.pk}/memos-{one.name}.zip").content for one in (CLAUDE, GEMINI)}

    def played(agent: Agent) -> Session:
        home = tmp_path / agent.name
        folders = [unpack(zips[agent.name], home / "memos"), unpack(carried, home / "old-hands")]

        def by(folder: Path, known: dict[str, str]) -> "subprocess.CompletedProcess[str]":
            (home / ".memos").mkdir()
            (home / ".memos" / "config.json").write_text(json.dumps({"url": live_server.url, "token": token}))
            if agent.name == "claude":
                return run(["claude", "plugin", "validate", str(folders[0])], folder, known)
            ended = [run(["gemini", "extensions", "install", str(one), "--consent"], folder, known) for one in folders]
            return next((one for one in ended if one.returncode), ended[0])

        asks = agent
        if agent.name == "claude":
            plugins = [word for one in folders for word in ("--plugin-dir", str(one))]
            asks = replace(agent, sessions=tuple((*line, *plugins) for line in agent.sessions),
                           query="mcp__plugin_memos_memos__context")  # fmt: skip
        return play(asks, home, programs, live_server.url, token, by=by, **PATIENT)

    with ThreadPoolExecutor(2) as pool:
        sessions = list(pool.map(played, (CLAUDE, GEMINI)))
    for session in sessions:
        assert list(faults(session, tmp_path)) == [], session.connected + session.printed
        assert "carried-over" in json.dumps([body for _path, body in session.requests]), session.connected
