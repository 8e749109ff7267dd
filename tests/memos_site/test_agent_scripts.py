"""What agents' developers copy, run as they would run it: the client, and the sync of published skills."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from skills.models import Skill, SkillVersion
from tests.make import make_agent, make_skill, make_version
from tests.memos_site.harness import SCRIPTS, connect, shell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def home(tmp_path: Path, live_server: Any) -> Path:
    connect(tmp_path, live_server.url, make_agent()[1])
    return tmp_path


def test_the_client_stores_and_finds(tmp_path: Path, live_server: Any) -> None:
    line = f"python3 {SCRIPTS}/memos_client.py"
    ended = shell(tmp_path, line, MEMOS_URL=live_server.url, MEMOS_TOKEN=make_agent()[1])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "'content': 'Acme pays on net-30 terms'" in ended.stdout


def test_the_client_says_what_was_wrong(tmp_path: Path, live_server: Any) -> None:
    line = f"cp {SCRIPTS}/memos_client.py . && python3 -c 'from memos_client import Memos; Memos().memory_query()'"
    ended = shell(tmp_path, line, MEMOS_URL=live_server.url, MEMOS_TOKEN=make_agent()[1])
    assert "ValueError: memory_query: text: is required" in ended.stderr


def test_the_client_is_as_short_as_it_is_called() -> None:
    assert len((SCRIPTS / "memos_client.py").read_text().splitlines()) <= 30


def sync(home: Path, scope: str = "") -> str:
    ended = shell(home, f"mkdir -p skills && python3 {SCRIPTS}/memos_sync.py skills {scope}")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def publish(version: SkillVersion) -> None:
    status = SkillVersion.Status
    SkillVersion.objects.filter(skill=version.skill, status=status.PUBLISHED).update(status=status.RETIRED)
    SkillVersion.objects.filter(pk=version.pk).update(status=status.PUBLISHED)


def test_a_folder_follows_what_is_published(home: Path) -> None:
    skill: Skill = make_skill()
    make_skill("rename-file", published=False)
    theirs = home / "skills" / "their-own"
    theirs.mkdir(parents=True)
    text = home / "skills" / "book-flight" / "SKILL.md"
    assert sync(home) == "book-flight: version 1\n"
    assert "name: book-flight" in text.read_text()
    assert sync(home) == ""
    publish(make_version(skill, description="Books a flight in two steps"))
    assert sync(home) == "book-flight: version 2\n"
    assert "in two steps" in text.read_text()
    SkillVersion.objects.filter(skill=skill).update(status=SkillVersion.Status.RETIRED)
    assert sync(home) == "book-flight: removed\n"
    assert [path.name for path in (home / "skills").iterdir()] == ["their-own"]


def test_only_the_skills_of_a_scope_come(home: Path) -> None:
    make_skill("book-flight", scope="project:a")
    make_skill("rename-file", scope="project:b")
    assert sync(home, "project:b") == "rename-file: version 1\n"


def test_a_folder_that_somebody_else_made_is_not_touched(home: Path) -> None:
    make_skill()
    theirs = home / "skills" / "book-flight"
    theirs.mkdir(parents=True)
    assert sync(home) == ""
    assert list(theirs.iterdir()) == []


def test_what_stays_unchanged_is_not_downloaded_again(home: Path) -> None:
    """The ETag in the list is enough: a package that the storage has lost does not matter."""
    skill: Skill = make_skill()
    sync(home)
    storages["skills"].delete(SkillVersion.objects.get(skill=skill).package)
    assert sync(home) == ""


@pytest.mark.parametrize(
    ("config", "folder", "says"),
    [
        ({"url": "http://127.0.0.1:9", "token": "t"}, "skills", "skills of http://127.0.0.1:9 into skills: "),
        (
            {"url": "http://127.0.0.1:9", "token": "t"},
            "",
            "which folder? As in: memos_sync.py ~/.claude/skills [SCOPE]",
        ),
        ("no object", "skills", "config.json is not valid JSON"),
    ],
)
def test_a_sync_that_cannot_be_done_says_why_in_one_line(tmp_path: Path, config: Any, folder: str, says: str) -> None:
    (tmp_path / ".memos").mkdir()
    (tmp_path / ".memos" / "config.json").write_text(json.dumps(config))
    ended = shell(tmp_path, f"python3 {SCRIPTS}/memos_sync.py {folder}")
    assert ended.returncode == 1 and says in ended.stderr and ended.stderr.count("\n") == 1
