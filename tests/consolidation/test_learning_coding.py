"""Skills of coding agents with tools for files: which files, which commands, and what starts."""

import pytest

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.run import Run
from consolidation.learning.writing import file_shapes
from tests.consolidation.recorded import RULES, Outcome, Script, learned, run

ROOT = "/home/ann/shop"
MISSING = "Exit code 1\nModuleNotFoundError: No module named 'django'"
PASSED = "====== 42 passed in 12.31s ======"


def edit(path: str) -> Script:
    return ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, f"The file {path} has been updated.")


def bash(command: str, result: str = "ok") -> Script:
    return ("Bash", {"command": f"cd {ROOT} && {command}"}, result)


def field_added(n: int, *more: Script, outcome: Outcome = "success") -> Run:
    service = ("billing", "orders", "catalog")[n % 3]
    return run(
        n,
        f"Add the field {'abcdefgh'[n % 8]} to {service}",
        ("Read", {"file_path": f"{ROOT}/services/{service}/models.py"}, "class Item: pass"),
        edit(f"{ROOT}/services/{service}/models.py"),
        edit(f"{ROOT}/services/{service}/api.py"),
        bash(f"pytest services/{service}", MISSING),
        bash(f"make migration app={service}"),
        bash(f"make test app={service}", PASSED),
        *more,
        outcome=outcome,
        thread=f"case {n}",
    )


def component_mended(n: int) -> Run:
    path = f"{ROOT}/web/src/components/{('CartTotal', 'PriceTag', 'OrderList')[n % 3]}.tsx"
    return run(n, "It shows the wrong currency", edit(path), bash("pnpm lint"), thread=f"case {n}")


def test_the_skill_names_the_files_and_the_commands_with_their_arguments() -> None:
    runs = [field_added(n) for n in range(6)]
    fields = learned(runs, [*runs, *(component_mended(n) for n in range(10, 16))]).fields

    assert fields.title == "Change files and run make migration and make test"
    assert fields.description.endswith("a request mentions add field.")
    assert fields.procedure.splitlines() == [
        "1. Change the files (`edit`); of 6 runs: `services/*/models.py` (6) and `services/*/api.py` (6).",
        "2. Run `make migration app={value}`.",
        "3. Run the tests with `make test app={value}` (started in 6 of 6 runs).",
        "4. Do not lose time with what does not start here: `pytest` (started in 0 of 6 runs).",
    ]
    assert not fields.tool


def test_a_file_whose_name_differs_is_told_by_its_folder_and_ending() -> None:
    procedure = learned([component_mended(n) for n in range(6)]).fields.procedure

    assert procedure.startswith("1. Change the files (`edit`); of 6 runs: `web/src/components/*.tsx` (6).")


def test_what_is_looked_up_before_the_files_are_changed_stands_before() -> None:
    runs = [
        run(
            n,
            f"Write the report of week {n}",
            ("get_sales", {"week": n}, {"total": n * 10}),
            ("write_file", {"path": f"reports/week-{n}.md", "content": f"{n * 10}"}, "ok"),
            ("send_report", {"week": n}, {"sent": True}),
            thread=f"case {n}",
        )
        for n in range(6)
    ]
    first, second, third, *_ = learned(runs).fields.procedure.splitlines()

    assert "`get_sales`" in first
    assert second == "2. Change the files (`write`); of 6 runs: `reports/*.md` (6)."
    assert "`send_report`" in third


def test_a_long_report_of_a_fault_gives_no_words_of_a_request() -> None:
    runs = [field_added(n) for n in range(6)]
    reports = [
        run(20 + n, "mitochondria " * 120, *[(c.tool, c.args, c.result) for c in runs[n].calls], thread=f"report {n}")
        for n in range(6)
    ]

    assert learned(reports, [*reports, *(component_mended(n) for n in range(10, 16))]).fields.trigger == []


@pytest.mark.parametrize(
    ("paths", "shapes"),
    [
        (["src/a/models.py", "src/b/models.py", "src/c/models.py"], ["src/*/models.py"]),
        (["/work/x/CHANGELOG.md", "/home/bo/y/CHANGELOG.md", "C:\\z\\CHANGELOG.md"], ["CHANGELOG.md"]),
        (["src/a.py", "lib/b.js", "c.txt"], []),
        (["anna/notes/x.md", "bo/notes/y.md", "cid/notes/z.md"], ["notes/*.md"]),
        (["src/page1/page1.vue", "src/page2/page2.vue"], []),
    ],
)
def test_files_that_half_of_the_runs_change_have_a_shape(paths: list[str], shapes: list[str]) -> None:
    runs = [run(n, "go on", edit(path), thread=f"case {n}") for n, path in enumerate(paths)]

    assert [shape.path for shape in file_shapes.changed_files(Scope(runs, runs, RULES), runs)] == shapes


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: docs/index.md\n+more\n*** End Patch"
    runs = [run(n, "go on", ("apply_patch", {"input": patch}, "ok"), thread=f"case {n}") for n in range(3)]

    assert learned(runs).fields.procedure == "1. Change the files (`edit`); of 3 runs: `docs/index.md` (3)."


def by_shell(n: int, *commands: str) -> Run:
    calls = [("bash", {"command": ["bash", "-lc", command]}, "Tests  6 passed (6)") for command in commands]
    return run(n, f"Add the event {'abcdefgh'[n % 8]}", *calls, thread=f"case {n}")


def event_added(n: int) -> Run:
    service, path = ("billing", "orders", "seats")[n % 3], "packages/events/src/events.ts"
    change = (
        f"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\nEOF",
        f"cat > {path} <<'EOF'\nexport const a = 1 > x.py\nEOF",
    )[n % 2]
    return by_shell(
        n,
        "rg -n emit services | head",
        change,
        f"sed -i 's/a/b/' services/{service}/emit.ts",
        "cat > /tmp/probe.ts <<'EOF'\nlet a\nEOF",
        "cat > check.js <<'EOF'\nlet a\nEOF\nnode check.js",
        "pnpm --filter @acme/events codegen",
        f"pnpm turbo run typecheck --filter=@acme/{service}",
        f"pnpm --filter @acme/{service} test",
    )


def test_of_an_agent_with_a_shell_alone_the_files_and_the_commands_are_told_as_it_needs_them() -> None:
    fields = learned([event_added(n) for n in range(6)]).fields

    assert [line.split(". ", 1)[1] for line in fields.procedure.splitlines()] == [
        "Change the files (`cat >` or `sed -i`); of 6 runs: `packages/events/src/events.ts` (6) and "
        "`services/*/emit.ts` (6).",
        "Run your script again after the last change: 6 of 6.",
        "Run `pnpm --filter @acme/events codegen`.",
        "Run `pnpm turbo run typecheck --filter={value}`.",
        "Run the tests with `pnpm --filter {name} test` (started in 6 of 6 runs).",
    ]
    assert fields.recipe[0].step == "Change `packages/events/src/events.ts` and `services/*/emit.ts`"


def test_a_package_that_not_all_runs_name_is_no_part_of_a_command() -> None:
    runs = [by_shell(n, f"pnpm --filter @acme/{name} codegen") for n, name in enumerate(["a", "a", "b", "a"])]

    assert "`pnpm --filter {name} codegen`" in learned(runs).fields.procedure


NOTE = "Added: a field {n}"
WRITTEN = {
    "echo": 'echo "{note}" > {path}',
    "here-document": "cat > {path} <<'E'\n{note}\nE",
    "patch": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: {path}\n+{note}\n*** End Patch\nE",
    "code": "python3 - <<'E'\nimport pathlib\npathlib.Path('{path}').write_text('{note}')\nE",
}


def note_written(n: int, way: str, note: str = NOTE) -> Run:
    path, note = f"changes/000{n}-{'abcdef'[n]}.md", note.format(n="abcdef"[n])
    call = bash(WRITTEN[way].format(path=path, note=note)) if way in WRITTEN else None
    wrote = call or ("Write", {"file_path": f"{ROOT}/{path}", "content": f"{note}\n\nMore."}, "ok")
    return run(n, "A field", edit(f"{ROOT}/shop/models.py"), wrote, bash("bin/gen"), thread=f"case {n}")


def shapes_of(runs: list[Run]) -> dict[str, tuple[str, ...]]:
    return {shape.path: shape.beginnings for shape in file_shapes.changed_files(Scope(runs, runs, RULES), runs)}


@pytest.mark.parametrize("way", [*WRITTEN, "tool"])
def test_how_new_files_of_several_runs_are_named_and_begin_is_told(way: str) -> None:
    fields = learned([note_written(n, way) for n in range(4)]).fields

    assert "`changes/NNNN-*.md` (4; first line such as `Added: …`)" in fields.procedure


@pytest.mark.parametrize(
    "note", ["{n}: a field", "A field {n}", "Dr Smith: {n}", "ab@acme.org: {n}", "Ticket 12: {n}", "<b>: {n}"]
)
def test_beginnings_that_differ_say_nothing_or_identify_are_not_told(note: str) -> None:
    assert not any(shapes_of([note_written(n, "tool", note) for n in range(4)]).values())


def test_a_beginning_of_two_runs_is_not_told() -> None:
    runs = [note_written(n, "tool", NOTE if n < 2 else "{n}") for n in range(4)]

    assert not any(shapes_of(runs).values())
