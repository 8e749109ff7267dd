"""The real programs from npm, installed once as the lock file pins them."""

from pathlib import Path

import pytest
from django.utils import timezone

from memories.intake import claims
from memories.intake.reports.claims import read_teaching
from memories.values.trust import everything
from tests.agents import harnesses
from tests.agents.faults import KNOWN
from tests.make import ANNA, make_agent, make_skill


@pytest.fixture(scope="session")
def programs() -> Path:
    if why := harnesses.install():
        pytest.skip(f"the real programs were not run: {why}")
    return harnesses.folder_of_programs() / "node_modules" / ".bin"


@pytest.fixture
def token() -> str:
    """Of an agent, in a team where Anna has taught one thing and published a skill."""
    taught = read_teaching({"content": KNOWN, "key": "tests-how", "category": "fact", "company_id": "Acme"})
    claims.teach(taught, trust=everything(ANNA), at=timezone.now())
    make_skill()
    return make_agent()[1]
