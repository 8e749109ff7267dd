import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from skills_ref.validator import validate

from skills.manifest import Fields, Step
from skills.packaging import PackageRefused, pack, texts, unpack
from tests.skills.generated import FIELDS, patiently


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def reference_problems(fields: Fields, folder: Path) -> list[str]:
    skill = folder / fields.name
    skill.mkdir(exist_ok=True)
    (skill / "SKILL.md").write_text(pack(fields, 7).skill_md, encoding="utf-8")
    problems: list[str] = validate(skill)
    return problems


@patiently
@given(FIELDS)
def test_a_package_reads_back_as_the_fields_that_made_it(fields: Fields) -> None:
    unpacked = unpack(pack(fields, 3).content)
    assert unpacked.fields == fields
    assert unpacked.warnings == []


@patiently
@given(FIELDS)
def test_fields_that_were_stored_as_json_make_the_same_bytes(fields: Fields) -> None:
    stored = json.loads(json.dumps(fields.model_dump(mode="json"), sort_keys=True))
    assert pack(Fields.model_validate(stored), 3) == pack(fields, 3)


@patiently
@given(FIELDS)
def test_every_package_passes_the_reference_validator(tmp_path_factory: pytest.TempPathFactory, fields: Fields) -> None:
    assert reference_problems(fields, tmp_path_factory.getbasetemp()) == []


@pytest.mark.parametrize(
    "description",
    [
        "Plans: a trip",
        "Says \"no\" and 'yes'",
        "One\n---\ntwo",
        "---",
        "- a\n- b",
        "#1 tool",
        "规划旅行：三天",
        "x " * 3000,
    ],
)
def test_no_description_breaks_the_frontmatter(tmp_path: Path, description: str) -> None:
    assert reference_problems(Fields(name="旅行计划", description=description), tmp_path) == []


def test_files_lie_in_the_folder_of_the_skill_each_kind_in_its_own() -> None:
    fields = Fields(
        name="plan-trip",
        description="Plans",
        scripts={"budget.py": "print(1)\n"},
        others={"advice.md": "# Advice"},
        assets={"form.html": "<p>"},
        recipe=[Step(step="Ask")],
    )
    files = unzipped(pack(fields, 1).content)
    assert sorted(files) == [
        "plan-trip/SKILL.md",
        "plan-trip/assets/form.html",
        "plan-trip/recipe.json",
        "plan-trip/reference/advice.md",
        "plan-trip/scripts/budget.py",
    ]
    assert files["plan-trip/scripts/budget.py"] == b"print(1)\n"


def test_a_package_lists_its_files_with_size_and_hash() -> None:
    package = pack(Fields(name="a", description="b", scripts={"x.sh": "é"}), 1)
    script = next(file for file in package.files if file.path == "scripts/x.sh")
    assert (script.size, script.sha256[:8]) == (2, "4a99557e")


def test_times_and_modes_in_a_zip_are_fixed() -> None:
    with zipfile.ZipFile(io.BytesIO(pack(Fields(name="a", description="b"), 1).content)) as archive:
        (info,) = archive.infolist()
    assert (info.date_time, info.external_attr >> 16, info.create_system) == ((1980, 1, 1, 0, 0, 0), 0o100644, 3)


def test_the_bytes_of_a_package_are_the_same_on_every_machine_and_day() -> None:
    fields = Fields(name="plan-trip", description="Plans a trip", trigger=["travel"], scripts={"a.py": "1"})
    assert pack(fields, 2).sha256 == "e434bbd2ab0c5afd310ee1221e89d1d90347531f580d3fe3118748f51a7cf6bb"


def test_another_version_number_makes_another_package() -> None:
    fields = Fields(name="a", description="b")
    assert pack(fields, 1).sha256 != pack(fields, 2).sha256


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (Fields(name="a", description="b", procedure="x" * 262_144), "SKILL.md is larger than 256 KiB"),
        (Fields(name="a", description="b", others={"a.md": "x" * 6_000_000}), "the package is larger than 5 MiB"),
        (Fields(name="a", description="b", assets={f"{n}.txt": "" for n in range(200)}), "201 files, the limit is 200"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(fields: Fields, problem: str) -> None:
    with pytest.raises(PackageRefused) as refused:
        pack(fields, 1)
    assert refused.value.problems == [problem]


def test_the_texts_of_a_package_are_what_its_zip_holds() -> None:
    fields = Fields(name="a", description="b", others={"z.md": "Z"}, scripts={"a.py": "1\r\n"})
    held = {path.removeprefix("a/"): data.decode() for path, data in unzipped(pack(fields, 4).content).items()}
    assert texts(fields, 4) == held
