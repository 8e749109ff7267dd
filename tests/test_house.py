"""The rules of the house that a linter does not know."""

import ast
import re
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.template.loader import get_template
from django.urls import URLPattern, get_resolver

from consolidation.schedules import JOBS

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("memos_site", "memories", "skills", "consolidation")
LONGEST_FILE, LONGEST_FUNCTION = 300, 45  # 25 is what we aim at; beyond 45 nobody may go
LONGEST_TEMPLATE, WIDEST_TEMPLATE = 150, 120
BLOCK = re.compile(
    r"<(li|p|div|section|aside|ul|ol|dl|dt|dd|table|thead|tbody|tr|td|th|form|nav|header|details|pre)[ >]"
)
PAGES = (
    *("inbox", "bulk", "memories", "memory", "evidence", "forget", "teach", "dismissed", "adaptations", "episodes"),
    *("episode", "skills", "runs", "run", "insights", "welcome", "import", "import-file", "login"),
)


def sources() -> Iterator[Path]:
    for room in (*ROOMS, "tests"):
        yield from (path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """The program without its tests: each file read once for all that look for something in it."""
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in sources() if "tests" not in path.parts}


def test_no_file_is_longer_than_300_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): n for path in sources() if (n := len(path.read_text().splitlines())) > LONGEST_FILE
    }
    assert long == {}


def test_no_function_is_longer_than_it_can_be_read(trees: dict[str, ast.Module]) -> None:
    long = {
        f"{name}:{node.name}": node.end_lineno - node.lineno + 1
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.end_lineno
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    }
    assert long == {}


def test_no_text_keeps_the_marks_of_a_conflict_of_branches() -> None:
    marks = r"^(<<<<<<<|>>>>>>>) "
    marked = subprocess.run(["git", "grep", "-lE", marks], cwd=ROOT, capture_output=True, text=True, check=False)
    assert marked.stdout.split() == []


GATE = "memories/intake/admission.py"
CREATING = {"create", "bulk_create", "get_or_create", "update_or_create"}
ASKING = {"met_by", "blocking"}  # of tombstones: what they block
INSERTING = re.compile(r"insert\s+into\s+memories_memory\b", re.IGNORECASE)


def passes_by_the_gate(node: ast.AST) -> bool:
    """Whether this node makes a memory, or asks what is dismissed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return bool(INSERTING.search(node.value))
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    creates = name in CREATING and bool(re.search(r"\bMemory\.(objects|_default_manager)\b", ast.unparse(node.func)))
    return name == "Memory" or creates or name in ASKING


def test_memories_are_made_and_dismissals_asked_in_the_gate_alone(trees: dict[str, ast.Module]) -> None:
    """A write path that forgets the gate would bring back what people dismissed."""
    # where the questions are defined
    asked = {GATE, "memories/models/tombstone.py", "memories/models/withholding.py"}
    elsewhere = {
        f"{name}:{node.lineno}"
        for name, tree in trees.items()
        if name not in asked
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and passes_by_the_gate(node)
    }
    assert elsewhere == set()


@pytest.mark.parametrize(
    "line",
    [
        "Memory(content='a')",
        "models.Memory(content='a')",
        "Memory.objects.create(content='a')",
        "Memory.objects.filter(scope='').bulk_create(rows)",
        "Tombstone.objects.met_by(words, scope='', key=None)",
        "cursor.execute('INSERT INTO memories_memory (id) VALUES (%s)', [pk])",
    ],
)
def test_the_gate_knows_who_passes_by(line: str) -> None:
    assert any(passes_by_the_gate(node) for node in ast.walk(ast.parse(line)))


WRITING = ("memories/intake", "memories/transfer", "skills", "consolidation/pipelines", "consolidation/extraction")
INSERTING_ROWS = {"bulk_rows.insert", "passage.part_of_insert", "passage.write"}


def inserts_a_memory(node: ast.AST) -> bool:
    """Whether this node saves a new row that is no audit row, writes its passages, or its audit row."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    of = ast.unparse(node.func.value)
    if node.func.attr == "save" and any(keyword.arg == "force_insert" for keyword in node.keywords):
        return not (of in ("entry", "made", "going", "run") or "audit(" in of or of.startswith("AuditEntry."))
    first = node.args[0] if node.args else None
    creates = isinstance(first, ast.Constant) and first.value == "create"
    return (node.func.attr == "audit" and creates) or f"{of}.{node.func.attr}" in INSERTING_ROWS


def test_new_memories_and_episodes_are_inserted_by_one_verb_each(trees: dict[str, ast.Module]) -> None:
    """A write path of its own would forget the trail or the passages."""
    of_evidence_alone = {"memories/intake/claims/reinforcement.py", "memories/transfer/claim_writes.py"}
    apart = {"memories/intake/inserting.py", *of_evidence_alone}
    elsewhere = {
        f"{name}:{node.lineno}"
        for name, tree in trees.items()
        if name.startswith(WRITING) and name not in apart
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and inserts_a_memory(node)
    }
    assert elsewhere == set()
    for line in ("memory.save(force_insert=True)", "row.audit('create', by=by)", "bulk_rows.insert([memory], [trail])"):
        assert any(inserts_a_memory(node) for node in ast.walk(ast.parse(line)))


def test_every_template_compiles() -> None:
    assert templates()
    for name in templates():
        get_template(name)


def test_templates_are_short_and_hold_one_element_a_line() -> None:
    faults = []
    for name, text in templates().items():
        lines = text.splitlines()
        faults += [f"{name}: {len(lines)} lines"] if len(lines) > LONGEST_TEMPLATE else []
        for n, line in enumerate(lines, start=1):
            faults += [f"{name}:{n} is {len(line)} wide"] if len(line) > WIDEST_TEMPLATE else []
            faults += [f"{name}:{n} has a block that does not begin its line"] if BLOCK.search(line.strip()[1:]) else []
    assert faults == []


def test_a_page_is_found_by_its_urls_name() -> None:
    files = {Path(name).stem for name in templates()}
    assert [name for name in PAGES if name not in files] == []
    assert set(PAGES) <= {pattern.name for pattern in url_patterns(get_resolver())}


def test_every_partial_template_is_used() -> None:
    sources_of_pages = "".join(path.read_text() for path in sources() if "tests" not in path.parts)
    everything = sources_of_pages + "".join(templates().values())
    partials = [name for name in templates() if Path(name).name.startswith("_")]
    assert [name for name in partials if f'"{name}"' not in everything] == []


def templates() -> dict[str, str]:
    folder = ROOT / "templates"
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.html"))}


def url_patterns(resolver: Any) -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from url_patterns(pattern)


def test_every_scheduled_task_can_be_imported() -> None:
    for func in JOBS:
        module, _, name = func.rpartition(".")
        assert callable(getattr(import_module(module), name))


@pytest.mark.django_db
def test_models_and_migrations_agree() -> None:
    try:
        call_command("makemigrations", check=True, dry_run=True, verbosity=1)
    except SystemExit:
        pytest.fail("run `manage.py makemigrations`", pytrace=False)


def test_the_names_of_forbidden_modules_are_not_used() -> None:
    forbidden = {"utils", "helpers", "services", "common", "core", "managers", "handlers"}
    assert [path for path in sources() if path.stem in forbidden] == []


def test_what_a_folder_tells_of_its_modules_is_about_modules_that_it_has() -> None:
    outlines = [init for init in sources() if init.stem == "__init__"]
    named = [init.parent / name for init in outlines for name in re.findall(r"(?<![\w/`*])\w+\.py\b", init.read_text())]
    assert [str(path) for path in named if not path.exists()] == []


def test_top_level_holds_only_what_was_agreed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    agreed = {
        *ROOMS, "templates", "static", "tests", "manage.py", "requirements.txt", "requirements-dev.txt", "README.md",
        "pyproject.toml", "LICENSE", "Dockerfile", "compose.yaml", "docs", ".ci", ".gitignore",
    }  # fmt: skip
    assert {line.split("/")[0] for line in listed if line} <= agreed


def test_the_program_writes_only_under_its_data_directory() -> None:
    storages: Any = settings.STORAGES
    for storage in storages.values():
        location = storage.get("OPTIONS", {}).get("location", settings.DATA_DIR)
        assert Path(location).is_relative_to(settings.DATA_DIR)
