"""LangChain's own tests for retrievers, from its package `langchain-tests`, on ours and a real server."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memos_site.launcher.client import Memos
from tests.make import make_agent

pytestmark = [pytest.mark.agents, pytest.mark.django_db(transaction=True)]
PACKAGE = "langchain-tests==1.1.9"
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


@pytest.fixture(scope="session")
def suite() -> Path:
    """Where the package lies. Alone: what it needs for suites of other kinds are plugins of pytest."""
    folder = Path(tempfile.gettempdir()) / f"memos-{PACKAGE.replace('==', '-')}"
    line = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--upgrade", "--target", str(folder), PACKAGE]
    if not folder.exists() and (ended := subprocess.run(line, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"the package index did not give {PACKAGE}: {ended.stderr.strip()[-300:]}")
    return folder


def test_the_retriever_passes_the_suite_of_langchain(tmp_path: Path, live_server: Any, suite: Path) -> None:
    token = make_agent()[1]
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
