"""What the documentation names exists: links, files, commands."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
AGENTS = ROOT / "docs" / "agents"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
FILE = re.compile(r"`([\w./-]+/[\w./-]*)`")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
OF_EVERY_COMMAND = {
    option for action in BaseCommand().create_parser("", "")._actions for option in action.option_strings
}
OURS = ("memos_site/", "memories/", "skills/", "consolidation/", "templates/", "static/", "tests/", "docs/", ".ci/")


def files_named_in(page: Path) -> Iterator[str]:
    yield from (name for name in FILE.findall(page.read_text()) if name.startswith(OURS))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = [link for link, _ in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_is_named_exists(page: Path) -> None:
    assert [name for name in files_named_in(page) if not (ROOT / name).exists()] == []


def test_the_map_names_files() -> None:
    assert len({*files_named_in(ROOT / "docs" / "architecture.md")}) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_is_named_exists(page: Path) -> None:
    assert [name for name in COMMAND.findall(page.read_text()) if name not in get_commands()] == []


def test_the_page_of_commands_names_every_option_of_each() -> None:
    rows = dict(re.findall(r"^\| (`([a-z_]+).*) \|$", (ROOT / "docs" / "commands.md").read_text(), re.MULTILINE))
    missing = []
    for row, name in rows.items():
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        options = {option for action in parser._actions for option in action.option_strings[-1:]} - OF_EVERY_COMMAND
        missing += [(name, option) for option in options if option not in row]
    assert missing == []


def test_the_order_of_imports_is_drawn_as_the_contract_has_it() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    drawn = re.findall(r"```\n(.+?)```", (ROOT / "docs" / "architecture.md").read_text(), re.DOTALL)[0]
    layers = [layer.replace(" | memos_site.", ",") for layer in contracts[0]["layers"]]
    assert re.split(r"\s+>\s+", drawn.strip().replace("{", "").replace("}", "")) == layers


def test_every_document_is_linked_from_the_readme_or_from_the_first_page_of_its_folder() -> None:
    for first in (ROOT / "README.md", AGENTS / "README.md"):
        linked = {(first.parent / link).resolve() for link, _ in LINK.findall(first.read_text())}
        inner = [page for page in PAGES if page != first and page.parent in (first.parent, first.parent / "docs")]
        assert [page for page in inner if page not in linked] == []
    assert AGENTS / "README.md" in {
        (ROOT / link).resolve() for link, _ in LINK.findall((ROOT / "README.md").read_text())
    }


def test_every_link_to_a_heading_leads_to_one() -> None:
    for page in PAGES:
        for link, anchor in LINK.findall(page.read_text()):
            if anchor and "://" not in link:
                titles = re.findall(r"^#+ (.+)$", (page.parent / link).read_text(), re.MULTILINE)
                assert anchor in [re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles]
