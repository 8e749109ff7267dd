"""What the documentation names exists: links, files, commands."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
FILE = re.compile(r"`([\w./-]+/[\w./-]*)`")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
OURS = ("memos_site/", "memories/", "skills/", "consolidation/", "templates/", "static/", "tests/", "docs/", ".ci/")


def files_named_in(page: Path) -> Iterator[str]:
    yield from (name for name in FILE.findall(page.read_text()) if name.startswith(OURS))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = [link for link, _ in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    assert [name for name in files_named_in(page) if not (ROOT / name).exists()] == []


def test_the_map_names_files() -> None:
    assert len({*files_named_in(ROOT / "docs" / "architecture.md")}) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_named_exists(page: Path) -> None:
    assert [name for name in COMMAND.findall(page.read_text()) if name not in get_commands()] == []


def test_every_document_is_linked_from_the_readme() -> None:
    linked = {link for link, _ in LINK.findall((ROOT / "README.md").read_text())}
    assert {f"docs/{page.name}" for page in PAGES[1:]} <= linked
