"""The real programs from npm, installed once as the lock file pins them."""

import hashlib
import tempfile
from pathlib import Path

import pytest
from django.utils import timezone

from memories.intake import claims
from memories.intake.reports.claims import read_teaching
from memories.values.trust import everything
from tests.agents.faults import KNOWN
from tests.agents.harnesses import install
from tests.make import ANNA, make_agent, make_skill


@pytest.fixture(scope="session")
def programs() -> Path:
    lock = (Path(__file__).parent / "package-lock.json").read_bytes()
    folder = Path(tempfile.gettempdir()) / f"memos-agents-{hashlib.sha256(lock).hexdigest()[:16]}"
    if why := install(folder):
        pytest.skip(f"the real programs were not run: {why}")
    return folder / "node_modules" / ".bin"


@pytest.fixture
def token() -> str:
    """Of an agent, in a team where Anna has taught one thing and published a skill."""
    taught = read_teaching({"content": KNOWN, "key": "tests-how", "category": "fact", "company_id": "Acme"})
    claims.teach(taught, trust=everything(ANNA), at=timezone.now())
    make_skill()
    return make_agent()[1]
