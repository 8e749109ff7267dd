"""Packages that others made, such as the public skills of Anthropic: in and out unchanged, byte for byte."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skills_ref.validator import validate

from skills.packaging import PackageRefused, extras, pack, pack_files, unpack, unpack_files
from tests.skills.generated import TEXTS, patiently
from tests.skills.test_unpacking import SKILL, make_zip, problems

PDF = """---
name: pdf
description: >-
  Fill forms, merge and split: everything "PDF".
  Use when the user mentions a .pdf file.
license: Proprietary. LICENSE.txt has complete terms
allowed-tools: Bash(python:*) Read
metadata:
  author: Ann
---

# PDF Processing

See [forms](forms.md), `references/api.md` and scripts/office/pack.py.

## Examples

````markdown
```python
print("nested")
```
````
"""
FILES = {
    "SKILL.md": PDF.encode(),
    "LICENSE.txt": b"All rights\r\n",
    "LICENSE": b"MIT",
    "forms.md": "# 表单 🧭\n".encode(),
    "references/api.md": b"# API\r\n\r\ntext  ",
    "scripts/__init__.py": b"",
    "scripts/fill.py": b"print(1)",
    "scripts/office/pack.py": b"import os\r\n",
    "assets/logo.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "assets/fonts/Sans.ttf": bytes(range(256)),
    "themes/dark.css": b"a{}",
}


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def validated(content: bytes, folder: Path) -> list[str]:
    """The problems that the reference validator finds in an export."""
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    name = next(iter(unzipped(content))).partition("/")[0]
    problems: list[str] = validate(folder / name)
    return problems


def test_a_public_skill_comes_in_and_goes_out_unchanged(tmp_path: Path) -> None:
    unpacked = unpack(make_zip({f"pdf/{path}": data for path, data in FILES.items()}))
    assert unpacked.warnings == []
    package = pack_files(unpacked.fields.name, unpacked.files)
    assert unzipped(package.content) == {f"pdf/{path}": data for path, data in sorted(FILES.items())}
    assert validated(package.content, tmp_path) == []
    assert unpack(package.content) == unpacked
    assert unpack_files({f"any-folder/{path}": data for path, data in FILES.items()}).files == unpacked.files


def test_its_fields_are_what_people_read_and_edit() -> None:
    fields = unpack_files(FILES).fields
    assert (fields.name, fields.title, fields.allowed_tools) == ("pdf", "PDF Processing", "Bash(python:*) Read")
    assert (
        fields.description == 'Fill forms, merge and split: everything "PDF". Use when the user mentions a .pdf file.'
    )
    assert (fields.scripts, fields.others) == ({"fill.py": "print(1)"}, {"api.md": "# API\r\n\r\ntext  "})
    assert (fields.reference_folder, fields.metadata) == ("references", {"author": "Ann"})


def test_an_edit_keeps_every_other_file_where_it_lies(tmp_path: Path) -> None:
    unpacked = unpack_files(FILES)
    package = pack_files("pdf", unpacked.files)
    edited = unpacked.fields.model_copy(update={"description": "Fills forms"})
    again = pack(edited, 2, extras(package.content, unpacked.fields))
    assert {path for path in again.contents if again.contents[path] != FILES[path]} == {"SKILL.md"}
    assert set(again.contents) == set(FILES)
    assert "](references/api.md)" in again.skill_md
    assert validated(again.content, tmp_path) == []


def test_a_frontmatter_that_no_validator_takes_is_written_anew_and_the_body_stays(tmp_path: Path) -> None:
    body = "\n# Plan\n\n---\n\nA rule above.\r\n"
    text = f"---\nname: Plan Trip\ndescription: [b]\nhooks: x\nmetadata: {{a: b}}\n---\n{body}"
    unpacked = unpack_files({"plan/SKILL.md": text.encode()})
    package = pack_files(unpacked.fields.name, unpacked.files)
    assert validated(package.content, tmp_path) == []
    assert package.skill_md.endswith(body.replace("\r\n", "\n"))
    assert "the frontmatter was rewritten to follow the specification" in unpacked.warnings


HEADS = st.builds(
    "---\nname: {}\ndescription: {}\n{}---\n{}".format,
    st.sampled_from(["trip", "'trip'", "Trip", "旅行", "trip # no", "&a trip", "!x trip"]),
    TEXTS,
    st.sampled_from(["", "license: MIT\n", "metadata:\n  a: b\n", "metadata: {a: b}\n", "name: twice\n", "x: y\n"]),
    TEXTS,
)


@patiently
@given(HEADS | TEXTS)
def test_whatever_comes_in_goes_out_valid_and_only_once_changed(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    try:
        unpacked = unpack_files({"trip/SKILL.md": text.encode("utf-8", "replace")})
    except PackageRefused:
        return
    package = pack_files(unpacked.fields.name, unpacked.files)
    assert validated(package.content, tmp_path_factory.mktemp("export")) == []
    again = unpack(package.content)
    assert (again.files, again.warnings) == (unpacked.files, [])


NAMES = st.sampled_from(
    ["a.md", "A.MD", "ü.py", "a b.sh", "__init__.py", "旅行.txt", "x.exe", ".env", "-x.md", "🧭.md"]
)
FOLDERS = st.sampled_from(["", "scripts/", "reference/", "references/", "assets/", "docs/deep/", "a b/", "../", "/"])


@patiently
@given(
    st.dictionaries(st.builds(str.__add__, FOLDERS, NAMES), st.binary(max_size=20) | TEXTS.map(str.encode), max_size=6)
)
def test_hostile_names_are_refused_renamed_or_kept_and_nothing_is_lost(files: dict[str, bytes]) -> None:
    try:
        unpacked = unpack_files({"SKILL.md": b"---\nname: trip\ndescription: b\n---\n", **files})
    except PackageRefused as refused:
        assert refused.problems
        return
    clutter = [name for name in files if "/." in f"/{name}"]
    assert len(unpacked.files) == 1 + len(files) - len(clutter)
    assert sorted(unpacked.files.values())[1:] or len(files) == len(clutter)
    assert {data for name, data in files.items() if name not in clutter} <= set(unpacked.files.values())
    assert all(".." not in path and path.isascii() and " " not in path for path in unpacked.files)


def test_a_file_that_is_a_folder_of_others_too_is_refused_for_no_system_unpacks_it() -> None:
    files = {"SKILL.md": PDF.encode(), "assets/data": b"1", "assets/data/more.bin": b"2"}
    for root in ("", "x/"):
        zipped = make_zip({f"{root}{path}": data for path, data in files.items()})
        assert problems(zipped) == [f"{root}assets/data: a file, and a folder with other files"]
    with pytest.raises(PackageRefused, match="a folder with other files"):
        pack_files("x", files)


@pytest.mark.parametrize("display", ["", "metadata:\n  display-name: 退款处理\n"])
def test_a_title_that_the_slug_does_not_say_is_read_again_from_the_package(display: str) -> None:
    name = "skill-1" if display else "退款处理"
    text = f"---\nname: {name}\ndescription: 处理退款\nversion: 2\n{display}---\n先查订单。\n"
    skill = unpack(make_zip({"SKILL.md": text.encode()}))
    again = unpack(pack_files(skill.fields.name, skill.files).content)
    assert (again.fields, again.fields.title, again.files) == (skill.fields, "退款处理", skill.files)


def test_a_zip_beyond_a_limit_names_the_files_that_may_not_lie_there() -> None:
    many = {f"trip/{number}.txt": b"" for number in range(201)}
    found = problems(make_zip({"trip/SKILL.md": SKILL.encode(), "trip/scripts/a.exe": b"x", **many}))
    assert [line.partition(":")[0] for line in found] == ["203 entries, the limit is 200", "scripts/a.exe"]


def test_a_broken_frontmatter_is_named_before_the_fields_that_it_hides() -> None:
    found = problems(make_zip({"SKILL.md": b"---\nname: [1\n---\n"}))
    assert found[0] == "SKILL.md: the frontmatter is not valid YAML, or too long or deep"


def test_a_link_follows_a_file_that_macos_has_packed() -> None:
    """Its archiver writes names in UTF-8 without saying so, and an umlaut as two signs."""
    name = "U\u0308bersicht.md"
    placeholder = "x" * (len(name.encode()) - 3) + ".md"
    text = f"{SKILL}\nSee [ways](reference/Übersicht.md).\n"
    content = make_zip({"plan-trip/SKILL.md": text.encode(), f"plan-trip/reference/{placeholder}": b"# Ways\n"})
    skill = unpack(content.replace(placeholder.encode(), name.encode()))
    [path] = [path for path in skill.files if path != "SKILL.md"]
    assert skill.warnings == [f"reference/Übersicht.md: is now {path}"]
    assert f"[ways]({path})" in skill.files["SKILL.md"].decode()
