"""What the pages for agents' developers show works as it stands there: their commands, their programs, their tables."""

import json
import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders

from memories.models import Episode
from memos_site.api.tools import TOOLS
from tests.make import make_agent
from tests.memos_site.harness import SCRIPTS, shell

DOCS = Path(__file__).resolve().parents[2] / "docs" / "agents"
PAGES = sorted(DOCS.glob("*.md"))
CONNECTED = {
    of.source: of for of in runpy.run_path(str(SCRIPTS / "memos_harnesses.py"))["HARNESSES"].values()
}  # page -> what `connect` writes


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)


def test_the_reference_says_of_each_tool_what_the_table_says() -> None:
    rows = re.findall(
        r"^\| `([a-z_]+)` \| ([a-z ]+) \| [a-z]+ \| (.+) \|$", (DOCS / "reference.md").read_text(), re.MULTILINE
    )
    assert rows == [(tool.name, " or ".join(tool.needs), tool.description) for tool in TOOLS.values()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_configurations_are_json_and_name_events_that_the_hook_knows(page: Path) -> None:
    known = (SCRIPTS / "memos_hook.py").read_text()
    for block in blocks(page.name, "json"):
        for event in json.loads(block).get("hooks", {}):
            assert f'"{event}"' in known


@pytest.mark.parametrize("page", CONNECTED)
def test_hooks_that_are_written_by_hand_are_asked_about_the_tools_that_connect_asks_about(page: str) -> None:
    for block in blocks(f"{page}.md", "json"):
        for event, [entry] in json.loads(block).get("hooks", {}).items():
            wanted = CONNECTED[page].hooks[event]
            assert entry.get("matcher") == wanted or not wanted


def test_the_pages_promise_the_skills_of_each_agent_that_connect_brings_them_to() -> None:
    rows = dict(re.findall(r"\]\(([\w-]+)\.md\) \| (.+) \|$", (DOCS / "README.md").read_text(), re.MULTILINE))
    told = {
        page
        for page in CONNECTED
        if "skills" in rows[page] and " and skills in `~/" in (DOCS / f"{page}.md").read_text()
    }
    assert told == {page for page, harness in CONNECTED.items() if harness.skills}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_downloaded_is_served(page: Path) -> None:
    for name in re.findall(r"/static/(agents/[\w.]+)", page.read_text()):
        assert finders.find(name)


@pytest.mark.django_db(transaction=True)
def test_the_first_useful_answer_comes_from_the_lines_of_the_first_page(tmp_path: Path, live_server: Any) -> None:
    [_create, lines] = blocks("README.md", "sh")
    lines = lines.replace("http://127.0.0.1:8000", live_server.url).replace("YOUR_TOKEN", make_agent()[1])
    ended = shell(tmp_path, lines)
    assert '"content":"Acme pays on net-30 terms"' in ended.stdout
    assert ended.stderr == ""


@pytest.mark.django_db(transaction=True)
def test_the_program_of_a_whole_run_leaves_a_finished_episode(tmp_path: Path, live_server: Any) -> None:
    shutil.copy(SCRIPTS / "memos_client.py", tmp_path)
    (tmp_path / "whole_run.py").write_text(blocks("http.md", "python")[0])
    ended = shell(tmp_path, "python3 whole_run.py", MEMOS_URL=live_server.url, MEMOS_TOKEN=make_agent()[1])
    assert (ended.stdout, ended.stderr) == ("unknown\n", "")
    assert Episode.objects.get(thread_id="ticket-812").outcome == "success"


@pytest.mark.django_db(transaction=True)
def test_the_program_of_an_mcp_client_finds_the_tools(tmp_path: Path, live_server: Any) -> None:
    program = blocks("mcp.md", "python")[0].replace("http://127.0.0.1:8000", live_server.url)
    (tmp_path / "client.py").write_text(program.replace("YOUR_TOKEN", make_agent()[1]))
    ended = shell(tmp_path, "python3 client.py")
    assert ended.returncode == 0, ended.stderr
    assert "'memory_query'" in ended.stdout
