"""The real programs from npm, installed once as the lock file pins them."""

import hashlib
import tempfile
from pathlib import Path

import pytest

from tests.agents.faults import KNOWN
from tests.agents.harnesses import install
from tests.make import make_agent, make_memory, make_skill


@pytest.fixture(scope="session")
def programs() -> Path:
    lock = (Path(__file__).parent / "package-lock.json").read_bytes()
    folder = Path(tempfile.gettempdir()) / f"memos-agents-{hashlib.sha256(lock).hexdigest()[:16]}"
    if why := install(folder):
        pytest.skip(f"the real programs were not run: {why}")
    return folder / "node_modules" / ".bin"


@pytest.fixture
def token() -> str:
    make_memory(KNOWN, key="tests-how", category="fact", status="confirmed", confidence=90, company_id="Acme")
    make_skill()
    return make_agent()[1]
