"""The README's own words, done: what it shows works as it stands there."""

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.journeys.forking import Forking
from tests.journeys.installation import ROOT, Installation, call

README = (ROOT / "README.md").read_text()
SAMPLE = re.search(r"sample\.jsonl <<'PY'\n(.*?)\nPY\n", README, re.DOTALL)


def token_of(home: Installation, name: str, *permissions: str) -> str:
    options = [option for permission in permissions for option in ("--permission", permission)]
    token: str = json.loads(home.run("create_agent", name, "--json", *options))["token"]
    return token


def test_the_tour_leads_from_a_sample_to_a_downloaded_skill(home: Forking, tmp_path: Path) -> None:
    assert SAMPLE is not None
    sample = tmp_path / "sample.jsonl"
    made = subprocess.run([sys.executable, "-c", SAMPLE[1]], capture_output=True, text=True, check=True)
    sample.write_text(made.stdout)
    with home.served() as port:
        imported = home.run("import_conversations", str(sample), "--scope", "project:shop", "--source", "refund-agent")
        assert "11 imported" in imported
        home.run("consolidate")
        agent, reviewer = token_of(home, "agent"), token_of(home, "lead", "read", "skills", "review")
        assert json.loads(call(port, "GET", "/api/v1/skills", token=agent)[1])["results"] == []
        waiting = json.loads(call(port, "GET", "/api/v1/skills?status=candidate", token=reviewer)[1])["results"]
        assert [skill["name"] for skill in waiting] == ["refund-payment"]
        promote = f"/api/v1/memories/{waiting[0]['memory_id']}/promote"
        assert call(port, "POST", promote, token=agent, body={})[0] == 403
        assert call(port, "POST", promote, token=reviewer, body={})[0] == 200
        [published] = json.loads(call(port, "GET", "/api/v1/skills", token=agent)[1])["results"]
        status, package = call(port, "GET", "/api/v1/skills/refund-payment/versions/latest/content", token=agent)
    assert status == 200
    assert hashlib.sha256(package).hexdigest() == published["package"]["sha256"]
    skill_md = zipfile.ZipFile(io.BytesIO(package)).read("refund-payment/SKILL.md").decode()
    assert "payment not found" in skill_md
    assert "refund-payment/SKILL.md" in zipfile.ZipFile(io.BytesIO(package)).namelist()
