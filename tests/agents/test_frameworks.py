"""LangChain's own tests for retrievers, on ours; a session of the Claude Agent SDK with what `memos connect` wrote."""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memos_site.launcher.client import Memos
from tests.agents.faults import PATIENT, faults
from tests.agents.harnesses import AGENTS, PROMPT, play
from tests.make import make_agent

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
SDK_SESSION = """
import asyncio, shutil, sys
from claude_agent_sdk import ClaudeAgentOptions, query

async def main():
    connected = {"setting_sources": ["user"], "cli_path": shutil.which("claude")}
    options = ClaudeAgentOptions(permission_mode="bypassPermissions", **connected)
    async for _ in query(prompt=sys.argv[1], options=options):
        pass

asyncio.run(main())
"""
ROOT = Path(__file__).resolve().parents[2]
SUITE = """
import pytest
from langchain_tests.integration_tests.retrievers import RetrieversIntegrationTests
from memos_site.launcher.langchain import MemosRetriever

class TestMemosRetriever(RetrieversIntegrationTests):
    retriever_constructor = MemosRetriever
    retriever_constructor_params = {"include_candidates": True}
    retriever_query_example = "When do customers pay?"
    num_results_arg_name = "limit"

pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


def fetched(package: str, *options: str) -> Path:
    """Where the package lies, alone: of what it wants we have what it needs here."""
    folder = Path(tempfile.gettempdir()) / f"memos-{package.replace('==', '-')}"
    line = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", *options, "--target", str(folder), package]
    if not folder.exists() and (ended := subprocess.run(line, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"the package index did not give {package}: {ended.stderr.strip()[-300:]}")
    return folder


def test_the_retriever_passes_the_suite_of_langchain(tmp_path: Path, live_server: Any) -> None:
    suite, token = fetched("langchain-tests==1.1.9"), make_agent()[1]
    with Memos(live_server.url, token) as client:
        for number in range(4):
            told = f"Customer {number}{number} pays its invoices after {number + 2} weeks"
            client.store(f"terms-{number}", told, category="fact", source="suite")
    (tmp_path / "test_retriever.py").write_text(SUITE)
    known = {**os.environ, "PYTHONPATH": f"{ROOT}:{suite}", "MEMOS_URL": live_server.url, "MEMOS_TOKEN": token}
    line = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "no:django"]
    plain = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "anyio", "-W", "ignore", str(tmp_path)]
    ended = subprocess.run([*line, *plain], cwd=tmp_path, env=known, capture_output=True, text=True, check=False)
    assert "5 passed" in ended.stdout, ended.stdout + ended.stderr


def test_the_claude_agent_sdk_takes_what_connect_wrote_for_claude_code(
    tmp_path: Path, live_server: Any, programs: Path, token: str
) -> None:
    """From its source: the wheel brings a second Claude Code of 380 MB."""
    sdk = fetched("claude-agent-sdk==0.2.189", "--no-build-isolation", "--no-binary", ":all:")
    agent = replace(AGENTS[0], sessions=((sys.executable, "-c", SDK_SESSION, PROMPT),))
    known = {"PYTHONPATH": str(sdk), **PATIENT}
    session = play(agent, tmp_path / agent.name, programs, live_server.url, token, by=None, **known)
    assert list(faults(session, tmp_path)) == []
